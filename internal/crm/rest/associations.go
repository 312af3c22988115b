package rest

var associationRoutes, propertyRoutes, pipelineRoutes, ownerRoutes, accountRoutes, oauthRoutes []route

var oauthErrors = map[string]string{}
