package rest

import (
	"strings"

	"understudy/internal/platform/apidocs"
)

// members returns the schema of an object. Each field is a name and a type
// separated by a colon; a trailing "!" makes it required. A type is one of JSON
// Schema, "date-time", "any", or one of those after "[]" for an array.
func members(fields ...string) apidocs.Schema {
	properties, required := apidocs.Schema{}, []string{}
	for _, f := range fields {
		f, needed := strings.CutSuffix(f, "!")
		name, kind, _ := strings.Cut(f, ":")
		properties[name] = typeSchema(kind)
		if needed {
			required = append(required, name)
		}
	}
	out := apidocs.Schema{"type": "object", "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

func typeSchema(kind string) apidocs.Schema {
	if item, ok := strings.CutPrefix(kind, "[]"); ok {
		return array(typeSchema(item))
	}
	switch kind {
	case "date-time":
		return apidocs.Schema{"type": "string", "format": kind}
	case "any":
		return apidocs.Schema{}
	case "map":
		return apidocs.Schema{"type": "object", "additionalProperties": true}
	}
	return apidocs.Schema{"type": kind}
}

func array(items any) apidocs.Schema { return apidocs.Schema{"type": "array", "items": items} }

// with returns a schema of an object with one more member.
func with(s apidocs.Schema, name string, member any) apidocs.Schema {
	properties := apidocs.Schema{}
	for k, v := range s["properties"].(apidocs.Schema) {
		properties[k] = v
	}
	properties[name] = member
	out := apidocs.Schema{}
	for k, v := range s {
		out[k] = v
	}
	out["properties"] = properties
	return out
}

// The schemas of bodies that handlers read or write without a Go type.
var (
	idOf      = members("id:string!")
	stringMap = apidocs.Schema{"type": "object", "additionalProperties": apidocs.Schema{"type": []string{"string", "null"}}}
	anyValues = apidocs.Schema{"type": "object", "additionalProperties": true}
	pages     = with(members(), "next", members("after:string!", "link:string"))

	history      = members("value:string!", "timestamp:date-time!", "sourceType:string!", "sourceId:string", "updatedByUserId:integer")
	linked       = apidocs.Schema{"type": "object", "properties": apidocs.Schema{"results": array(members("id:string!", "type:string!")), "paging": pages}}
	recordSchema = with(with(with(members("id:string!", "properties:any!", "createdAt:date-time!", "updatedAt:date-time!", "archived:boolean!", "archivedAt:date-time",
		"objectWriteTraceId:string", "new:boolean"),
		"properties", stringMap),
		"propertiesWithHistory", apidocs.Schema{"type": "object", "additionalProperties": array(history)}),
		"associations", apidocs.Schema{"type": "object", "additionalProperties": linked})

	specSchema     = members("associationCategory:string", "associationTypeId:integer!")
	propertiesBody = with(members("properties:any!"), "properties", anyValues)
	createBody     = with(with(propertiesBody, "associations", array(with(with(members("to:any!", "types:any!"), "to", idOf), "types", array(specSchema)))),
		"objectWriteTraceId", apidocs.Schema{"type": "string"})
	updateBody = with(members("id:string!", "idProperty:string", "properties:any!", "objectWriteTraceId:string"), "properties", anyValues)
	pairBody   = with(with(members("from:any!", "to:any!"), "from", idOf), "to", idOf)
	typedPair  = with(members("from:any!", "to:any!", "types:any!"), "types", array(specSchema))
	pairOfV3   = with(with(members("from:any!", "to:any!", "type:string!"), "from", idOf), "to", idOf)

	filterSchema = members("propertyName:string!", "operator:string!", "value:string", "highValue:string", "values:[]string")
	searchBody   = apidocs.Schema{"type": "object", "properties": apidocs.Schema{
		"filterGroups": apidocs.Schema{"type": "array", "maxItems": 5, "items": apidocs.Schema{"type": "object", "properties": apidocs.Schema{
			"filters": apidocs.Schema{"type": "array", "maxItems": 6, "items": filterSchema}}}},
		"query": apidocs.Schema{"type": "string", "maxLength": 3000},
		"sorts": apidocs.Schema{"type": "array", "maxItems": 1, "items": apidocs.Schema{"oneOf": []any{
			apidocs.Schema{"type": "string"}, members("propertyName:string!", "direction:string")}}},
		"properties": typeSchema("[]string"),
		"limit":      apidocs.Schema{"type": "integer", "minimum": 0, "maximum": 200, "default": 10}, "after": apidocs.Schema{"type": "string"}}}
	searchReply = with(with(members("total:integer!", "results:any!"), "results", array(recordSchema)), "paging", pages)

	stageBody = with(members("stageId:string", "label:string!", "displayOrder:integer", "archived:boolean"), "metadata", anyValues)
	stageEdit = with(members("label:string", "displayOrder:integer", "archived:boolean"), "metadata", anyValues)
	pipeBody  = with(members("pipelineId:string", "label:string!", "displayOrder:integer", "stages:any!"), "stages", array(stageBody))
	pipeEdit  = members("label:string", "displayOrder:integer", "archived:boolean")

	optionSchema = members("label:string!", "value:string!", "displayOrder:integer", "hidden:boolean", "description:string")
	propertyEdit = with(members("label:string", "description:string", "groupName:string", "type:string", "fieldType:string", "displayOrder:integer",
		"hidden:boolean", "formField:boolean", "calculationFormula:string"), "options", array(optionSchema))

	tokenForm = members("grant_type:string!", "client_id:string!", "client_secret:string!", "code:string", "redirect_uri:string",
		"refresh_token:string", "code_verifier:string", "scope:string")
	tokenReply = members("token_type:string!", "access_token:string!", "refresh_token:string", "expires_in:integer!", "hub_id:integer!",
		"user_id:integer", "scopes:[]string!", "token_use:string!")
	clientForm = members("client_id:string!", "client_secret:string!", "token:string!", "token_type_hint:string")
)

func collection(items any) apidocs.Schema {
	return with(with(members("results:any!"), "results", array(items)), "paging", pages)
}

// batchOf returns the schema of a batch's envelope.
func batchOf(items any) apidocs.Schema {
	refusal := with(members("status:string!", "category:string!", "subCategory:string", "message:string!"), "context",
		apidocs.Schema{"type": "object", "additionalProperties": typeSchema("[]string")})
	return with(with(members("status:string!", "results:any!", "startedAt:date-time!", "completedAt:date-time!", "numErrors:integer"),
		"results", array(items)), "errors", array(refusal))
}

func batchBody(item any) apidocs.Schema {
	return with(members("inputs:any!"), "inputs", array(item))
}
