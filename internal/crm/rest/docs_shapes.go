package rest

import (
	"understudy/internal/platform/apidocs"
)

// shape is what the docs tell of a handler beside its row.
type shape struct {
	parameters []apidocs.Parameter
	body       any
	replies    map[int]any
}

// The wire forms of records, which are written without types of their own.
var (
	stringMap    = apidocs.Schema{"type": "object", "additionalProperties": apidocs.Schema{"type": []string{"string", "null"}}}
	recordSchema = apidocs.Schema{"type": "object", "required": []string{"id", "properties", "createdAt", "updatedAt", "archived"}, "properties": apidocs.Schema{
		"id": apidocs.Schema{"type": "string"}, "properties": stringMap,
		"propertiesWithHistory": apidocs.Schema{"type": "object"}, "associations": apidocs.Schema{"type": "object"},
		"createdAt": apidocs.Schema{"type": "string", "format": "date-time"}, "updatedAt": apidocs.Schema{"type": "string", "format": "date-time"},
		"archived": apidocs.Schema{"type": "boolean"}, "archivedAt": apidocs.Schema{"type": "string", "format": "date-time"},
		"new": apidocs.Schema{"type": "boolean", "description": "Of an upsert: whether the record was made."},
	}}
	propertiesBody = apidocs.Schema{"type": "object", "required": []string{"properties"}, "properties": apidocs.Schema{
		"properties": apidocs.Schema{"type": "object", "additionalProperties": true}}}
	createBody = apidocs.Schema{"type": "object", "required": []string{"properties"}, "properties": apidocs.Schema{
		"properties": apidocs.Schema{"type": "object", "additionalProperties": true},
		"associations": apidocs.Schema{"type": "array", "items": apidocs.Schema{"type": "object", "properties": apidocs.Schema{
			"to":    apidocs.Schema{"type": "object", "properties": apidocs.Schema{"id": apidocs.Schema{"type": "string"}}},
			"types": apidocs.Schema{"type": "array", "items": apidocs.Schema{"type": "object"}}}}}}}
	searchBody = apidocs.Schema{"type": "object", "properties": apidocs.Schema{
		"filterGroups": apidocs.Schema{"type": "array", "maxItems": 5, "items": apidocs.Schema{"type": "object", "properties": apidocs.Schema{
			"filters": apidocs.Schema{"type": "array", "maxItems": 6, "items": apidocs.Schema{"type": "object", "required": []string{"propertyName", "operator"},
				"properties": apidocs.Schema{"propertyName": apidocs.Schema{"type": "string"}, "operator": apidocs.Schema{"type": "string"},
					"value": apidocs.Schema{"type": "string"}, "highValue": apidocs.Schema{"type": "string"},
					"values": apidocs.Schema{"type": "array", "items": apidocs.Schema{"type": "string"}}}}}}}},
		"query": apidocs.Schema{"type": "string", "maxLength": 3000}, "sorts": apidocs.Schema{"type": "array", "maxItems": 1},
		"properties": apidocs.Schema{"type": "array", "items": apidocs.Schema{"type": "string"}},
		"limit":      apidocs.Schema{"type": "integer", "minimum": 0, "maximum": 200, "default": 10}, "after": apidocs.Schema{"type": "string"}}}
)

func collection(items any) apidocs.Schema {
	return apidocs.Schema{"type": "object", "required": []string{"results"}, "properties": apidocs.Schema{
		"results": apidocs.Schema{"type": "array", "items": items}, "paging": apidocs.Schema{"type": "object", "properties": apidocs.Schema{
			"next": apidocs.Schema{"type": "object", "properties": apidocs.Schema{"after": apidocs.Schema{"type": "string"}, "link": apidocs.Schema{"type": "string"}}}}}}}
}

func batchOf(items any) apidocs.Schema {
	s := collection(items)
	p := s["properties"].(apidocs.Schema)
	delete(p, "paging")
	for name, t := range map[string]string{"status": "string", "startedAt": "string", "completedAt": "string", "numErrors": "integer", "errors": "array"} {
		p[name] = apidocs.Schema{"type": t}
	}
	return s
}

func batchBody(item apidocs.Schema) apidocs.Schema {
	return apidocs.Schema{"type": "object", "required": []string{"inputs"}, "properties": apidocs.Schema{"inputs": apidocs.Schema{"type": "array", "items": item}}}
}

var object = apidocs.Schema{"type": "object"}

func ok(status int, reply any) map[int]any { return map[int]any{status: reply} }

var readParameters = []apidocs.Parameter{
	{Name: "properties", Description: "Names with commas between, or the parameter repeated."},
	{Name: "propertiesWithHistory", Description: "Names of properties whose history is wanted."},
	{Name: "associations", Description: "Object types whose associations are wanted."},
	{Name: "archived", Type: "boolean"},
}

var pageParameters = []apidocs.Parameter{
	{Name: "limit", Type: "integer"}, {Name: "after", Description: "The paging.next.after of the page before."},
}

// shapes are those of the handlers, by name; one without answers 204 and takes no body.
var shapes = map[string]shape{
	"health": {replies: ok(200, map[string]string{})}, "docs": {replies: ok(200, apidocs.Text("*/*"))},

	"listRecords":  {parameters: append(pageParameters, readParameters...), replies: ok(200, collection(recordSchema))},
	"createRecord": {body: createBody, replies: ok(201, recordSchema)},
	"getRecord":    {parameters: append(readParameters, apidocs.Parameter{Name: "idProperty"}), replies: ok(200, recordSchema)},
	"updateRecord": {parameters: []apidocs.Parameter{{Name: "idProperty"}}, body: propertiesBody, replies: ok(200, recordSchema)},
	"mergeRecords": {body: object, replies: ok(200, recordSchema)},
	"eraseRecord":  {body: object, replies: ok(204, nil)},
	"batchRead":    {body: batchBody(object), replies: map[int]any{200: batchOf(recordSchema), 207: batchOf(recordSchema)}},
	"batchCreate":  {body: batchBody(createBody), replies: map[int]any{201: batchOf(recordSchema), 207: batchOf(recordSchema)}},
	"batchUpdate":  {body: batchBody(propertiesBody), replies: map[int]any{200: batchOf(recordSchema), 207: batchOf(recordSchema)}},
	"batchUpsert":  {body: batchBody(propertiesBody), replies: map[int]any{200: batchOf(recordSchema), 207: batchOf(recordSchema)}},
	"batchArchive": {body: batchBody(object), replies: ok(204, nil)},
	"search": {body: searchBody, replies: ok(200, apidocs.Schema{"type": "object", "required": []string{"total", "results"}, "properties": apidocs.Schema{
		"total": apidocs.Schema{"type": "integer"}, "results": apidocs.Schema{"type": "array", "items": recordSchema}, "paging": object}})},

	"associateDefault":        {replies: ok(200, batchOf(object))},
	"associateLabeled":        {body: []specInput{}, replies: ok(201, labeledReply{})},
	"listAssociations":        {parameters: pageParameters, replies: ok(200, collection(object))},
	"listAssociationsV3":      {parameters: pageParameters, replies: ok(200, collection(object))},
	"listLabels":              {replies: ok(200, collection(object))},
	"listTypesV3":             {replies: ok(200, collection(object))},
	"batchAssociate":          {body: batchBody(object), replies: map[int]any{201: batchOf(object), 207: batchOf(object)}},
	"batchAssociateDefault":   {body: batchBody(object), replies: map[int]any{200: batchOf(object), 207: batchOf(object)}},
	"batchReadAssociations":   {body: batchBody(object), replies: map[int]any{200: batchOf(object), 207: batchOf(object)}},
	"batchReadAssociationsV3": {body: batchBody(object), replies: map[int]any{200: batchOf(object), 207: batchOf(object)}},
	"batchDissociate":         {body: batchBody(object), replies: ok(204, nil)},
	"batchRemoveLabels":       {body: batchBody(object), replies: ok(204, nil)},

	"listProperties": {parameters: []apidocs.Parameter{{Name: "archived", Type: "boolean"}, {Name: "properties"}}, replies: ok(200, struct {
		Results []propertyReply `json:"results"`
	}{})},
	"createProperty":         {body: propertyInput{}, replies: ok(201, propertyReply{})},
	"getProperty":            {parameters: []apidocs.Parameter{{Name: "archived", Type: "boolean"}}, replies: ok(200, propertyReply{})},
	"updateProperty":         {body: object, replies: ok(200, propertyReply{})},
	"batchReadProperties":    {body: batchBody(object), replies: map[int]any{200: batchOf(object), 207: batchOf(object)}},
	"batchCreateProperties":  {body: batchBody(object), replies: map[int]any{201: batchOf(object), 207: batchOf(object)}},
	"batchArchiveProperties": {body: batchBody(object), replies: ok(204, nil)},
	"listGroups": {replies: ok(200, struct {
		Results []groupReply `json:"results"`
	}{})},
	"createGroup": {body: groupReply{}, replies: ok(201, groupReply{})},
	"getGroup":    {replies: ok(200, groupReply{})},
	"updateGroup": {body: object, replies: ok(200, groupReply{})},

	"listPipelines": {replies: ok(200, struct {
		Results []pipelineReply `json:"results"`
	}{})},
	"createPipeline":  {body: object, replies: ok(201, pipelineReply{})},
	"getPipeline":     {replies: ok(200, pipelineReply{})},
	"replacePipeline": {body: object, replies: ok(200, pipelineReply{})},
	"updatePipeline":  {body: object, replies: ok(200, pipelineReply{})},
	"pipelineAudit":   {replies: ok(200, collection(object))},
	"listStages": {replies: ok(200, struct {
		Results []stageReply `json:"results"`
	}{})},
	"createStage":  {body: object, replies: ok(201, stageReply{})},
	"getStage":     {replies: ok(200, stageReply{})},
	"replaceStage": {body: object, replies: ok(200, stageReply{})},
	"updateStage":  {body: object, replies: ok(200, stageReply{})},
	"stageAudit":   {replies: ok(200, collection(object))},

	"listOwners": {parameters: append(pageParameters, apidocs.Parameter{Name: "email"}), replies: ok(200, struct {
		Results []ownerReply `json:"results"`
	}{})},
	"getOwner": {parameters: []apidocs.Parameter{{Name: "idProperty"}, {Name: "archived", Type: "boolean"}}, replies: ok(200, ownerReply{})},

	"login":            {body: object, replies: ok(200, object)},
	"mintToken":        {body: object, replies: ok(201, object)},
	"accountDetails":   {replies: ok(200, object)},
	"dailyUsage":       {replies: ok(200, collection(object))},
	"exchangeTokens":   {body: object, replies: ok(200, object)},
	"accessTokenInfo":  {replies: ok(200, tokenInfoReply{})},
	"refreshTokenInfo": {replies: ok(200, tokenInfoReply{})},
	"authorize":        {replies: ok(200, apidocs.Text("text/html"))},
	"consent":          {replies: ok(303, nil)},
}
