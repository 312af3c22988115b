package rest

var searchRoutes = []route{}
