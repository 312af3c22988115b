package rest

import (
	"understudy/internal/platform/apidocs"
)

// shape is what the docs add to a row of the route table.
type shape struct {
	parameters []apidocs.Parameter
	body       any
	replies    map[int]any
}

func ok(status int, reply any) map[int]any { return map[int]any{status: reply} }

// partly returns the replies of a batch that can partly fail.
func partly(status int, items any) map[int]any {
	return map[int]any{status: batchOf(items), 207: batchOf(items)}
}

var readParameters = []apidocs.Parameter{
	{Name: "properties", Description: "Names with commas between, or the parameter repeated."},
	{Name: "propertiesWithHistory", Description: "Names of properties whose history is wanted."},
	{Name: "associations", Description: "Object types whose associations are wanted."},
	{Name: "archived", Type: "boolean"},
}

var pageParameters = []apidocs.Parameter{
	{Name: "limit", Type: "integer"}, {Name: "after", Description: "The paging.next.after of the page before."},
}

// shapes maps handlers to their shapes; one without replies answers 204 and has
// no body.
var shapes = map[string]shape{
	"health": {replies: ok(200, map[string]string{})}, "docs": {replies: ok(200, apidocs.Text("*/*"))},

	"listRecords":  {parameters: append(pageParameters, readParameters...), replies: ok(200, collection(recordSchema))},
	"createRecord": {body: createBody, replies: ok(201, recordSchema)},
	"getRecord":    {parameters: append(readParameters, apidocs.Parameter{Name: "idProperty"}), replies: ok(200, recordSchema)},
	"updateRecord": {parameters: []apidocs.Parameter{{Name: "idProperty"}}, body: propertiesBody, replies: ok(200, recordSchema)},
	"mergeRecords": {body: members("primaryObjectId:string!", "objectIdToMerge:string!"), replies: ok(200, recordSchema)},
	"eraseRecord":  {body: members("objectId:string!", "idProperty:string"), replies: ok(204, nil)},
	"batchRead": {body: with(with(batchBody(idOf), "properties", typeSchema("[]string")), "propertiesWithHistory", typeSchema("[]string")),
		replies: partly(200, recordSchema)},
	"batchCreate":  {body: batchBody(createBody), replies: partly(201, recordSchema)},
	"batchUpdate":  {body: batchBody(updateBody), replies: partly(200, recordSchema)},
	"batchUpsert":  {body: batchBody(updateBody), replies: partly(200, recordSchema)},
	"batchArchive": {body: batchBody(idOf), replies: ok(204, nil)},
	"search":       {body: searchBody, replies: ok(200, searchReply)},

	"associateDefault":        {replies: ok(200, batchOf(defaultReply{}))},
	"associateLabeled":        {body: array(specSchema), replies: ok(201, labeledSchema)},
	"listAssociations":        {parameters: pageParameters, replies: ok(200, collection(multiSchema))},
	"listAssociationsV3":      {parameters: pageParameters, replies: ok(200, collection(typedRef{}))},
	"listLabels":              {replies: ok(200, collection(labelReply{}))},
	"listTypesV3":             {replies: ok(200, collection(members("id:string!", "name:string!")))},
	"batchAssociate":          {body: batchBody(typedPair), replies: partly(201, labeledSchema)},
	"batchAssociateDefault":   {body: batchBody(pairBody), replies: partly(200, defaultReply{})},
	"batchReadAssociations":   {body: batchBody(members("id:string!", "after:string")), replies: partly(200, linksOf(multiSchema))},
	"batchReadAssociationsV3": {body: batchBody(members("id:string!", "after:string")), replies: partly(200, linksOf(typedRef{}))},
	"batchDissociate":         {body: batchBody(with(pairBody, "to", array(idOf))), replies: ended},
	"batchRemoveLabels":       {body: batchBody(typedPair), replies: ended},
	"associateV3":             {replies: ok(200, recordSchema)},
	"dissociateV3":            {replies: ok(204, nil)},
	"batchAssociateV3":        {body: batchBody(pairOfV3), replies: partly(201, pairReplyV3{})},
	"batchDissociateV3":       {body: batchBody(pairOfV3), replies: ok(204, nil)},

	"listSchemas": {parameters: []apidocs.Parameter{{Name: "archived", Type: "boolean"}}, replies: ok(200, collection(members("id:string!", "name:string!")))},
	"listProperties": {parameters: []apidocs.Parameter{{Name: "archived", Type: "boolean"}, {Name: "properties"}}, replies: ok(200, struct {
		Results []propertyReply `json:"results"`
	}{})},
	"createProperty":         {body: propertyInput{}, replies: ok(201, propertyReply{})},
	"getProperty":            {parameters: []apidocs.Parameter{{Name: "archived", Type: "boolean"}}, replies: ok(200, propertyReply{})},
	"updateProperty":         {body: propertyEdit, replies: ok(200, propertyReply{})},
	"batchReadProperties":    {body: with(batchBody(members("name:string!")), "archived", typeSchema("boolean")), replies: partly(200, propertyReply{})},
	"batchCreateProperties":  {body: batchBody(propertyInput{}), replies: partly(201, propertyReply{})},
	"batchArchiveProperties": {body: batchBody(members("name:string!")), replies: ok(204, nil)},
	"listGroups": {replies: ok(200, struct {
		Results []groupReply `json:"results"`
	}{})},
	"createGroup": {body: groupReply{}, replies: ok(201, groupReply{})},
	"getGroup":    {replies: ok(200, groupReply{})},
	"updateGroup": {body: members("label:string", "displayOrder:integer"), replies: ok(200, groupReply{})},

	"listPipelines": {replies: ok(200, struct {
		Results []pipelineReply `json:"results"`
	}{})},
	"createPipeline":  {body: pipeBody, replies: ok(201, pipelineReply{})},
	"getPipeline":     {replies: ok(200, pipelineReply{})},
	"replacePipeline": {body: pipeBody, replies: ok(200, pipelineReply{})},
	"updatePipeline":  {body: pipeEdit, replies: ok(200, pipelineReply{})},
	"pipelineAudit":   {replies: ok(200, collection(auditReply{}))},
	"listStages": {replies: ok(200, struct {
		Results []stageReply `json:"results"`
	}{})},
	"createStage":  {body: stageBody, replies: ok(201, stageReply{})},
	"getStage":     {replies: ok(200, stageReply{})},
	"replaceStage": {body: stageBody, replies: ok(200, stageReply{})},
	"updateStage":  {body: stageEdit, replies: ok(200, stageReply{})},
	"stageAudit":   {replies: ok(200, collection(auditReply{}))},

	"listOwners": {parameters: append(pageParameters, apidocs.Parameter{Name: "email"}), replies: ok(200, struct {
		Results []ownerReply `json:"results"`
	}{})},
	"getOwner": {parameters: []apidocs.Parameter{{Name: "idProperty"}, {Name: "archived", Type: "boolean"}}, replies: ok(200, ownerReply{})},

	"login": {body: members("email:string!", "password:string!"), replies: ok(200, members("accessToken:string!", "tokenType:string!", "expiresIn:integer!",
		"portalId:integer!", "userId:integer!"))},
	"changePassword":    {body: members("current_password:string!", "new_password:string!"), replies: ok(204, nil)},
	"listPrivateTokens": {replies: ok(200, collection(members("id:string!", "name:string!", "scopes:[]string!", "tier:string!", "createdAt:date-time!")))},
	"redirectURIs": {parameters: []apidocs.Parameter{{Name: "clientId", Description: "Left out: the portal's first client."}},
		replies: ok(200, members("clientId:string!", "redirectUris:[]string!"))},
	"putRedirectURIs": {body: members("redirectUris:[]string!", "clientId:string"), replies: ok(200, members("clientId:string!", "redirectUris:[]string!"))},
	"mintToken": {body: members("name:string!", "scopes:[]string", "tier:string", "addOn:boolean"), replies: ok(201, members("id:string!", "name:string!",
		"token:string!", "scopes:[]string!", "tier:string!", "portalId:integer!", "createdAt:date-time!"))},
	"accountDetails": {replies: ok(200, members("portalId:integer!", "accountType:string!", "timeZone:string!", "companyCurrency:string!",
		"additionalCurrencies:[]string!", "utcOffset:string!", "utcOffsetMilliseconds:integer!", "uiDomain:string!", "dataHostingLocation:string!"))},
	"dailyUsage": {replies: ok(200, collection(members("name:string!", "usageLimit:integer!", "currentUsage:integer!", "collectedAt:date-time!",
		"fetchStatus:string!", "resetsAt:date-time!")))},
	"exchangeTokens":       {body: tokenForm, replies: ok(200, tokenReply)},
	"exchangeTokensOfBody": {body: tokenForm, replies: ok(200, tokenReply)},
	"introspectToken":      {body: clientForm, replies: ok(200, introspection{})},
	"revokeToken":          {body: clientForm, replies: ok(200, nil)},
	"privateTokenInfo": {body: members("tokenKey:string!"), replies: ok(200, members("userId:integer!", "hubId:integer!", "appId:integer!",
		"scopes:[]string!"))},
	"accessTokenInfo":  {replies: ok(200, tokenInfoReply{})},
	"refreshTokenInfo": {replies: ok(200, tokenInfoReply{})},
	"authorize":        {replies: ok(200, apidocs.Text("text/html"))},
	"consent":          {replies: ok(303, nil)},
}

// The replies about associations; their ids are numbers, or strings under the
// dated paths.
var (
	labeledSchema = members("fromObjectTypeId:string!", "fromObjectId:any!", "toObjectTypeId:string!", "toObjectId:any!", "labels:[]string!")
	multiSchema   = with(members("toObjectId:any!", "associationTypes:any!"), "associationTypes", array(members("category:string!", "typeId:integer!", "label:any")))
	ended         = map[int]any{204: nil, 200: batchOf(members())}
)

func linksOf(to any) apidocs.Schema {
	return with(with(with(members("from:any!", "to:any!"), "from", idOf), "to", array(to)), "paging", pages)
}
