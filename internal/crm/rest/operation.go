package rest

import (
	"strings"

	"understudy/internal/crm"
)

// upstreamNames replaces the parameters of patterns by their names in upstream's
// reference.
var upstreamNames = strings.NewReplacer(
	"{from}/{id}", "{objectType}/{objectId}", "{from}", "{fromObjectType}", "{to}", "{toObjectType}", "{toId}", "{toObjectId}",
	"groups/{name}", "groups/{groupName}", "{name}", "{propertyName}", "{type}", "{objectType}", "{id}", "{objectId}",
	"{pipeline}", "{pipelineId}", "{stage}", "{stageId}", "{owner}", "{ownerId}", "{associationType}", "{associationTypeId}")

// operation returns the operation name of a pattern, as upstream writes it:
// crm.POST /crm/v3/objects/{objectType}.
func operation(pattern string) string {
	method, path, _ := strings.Cut(strings.TrimSuffix(pattern, "/{$}"), " ")
	return crm.Name + "." + method + " " + upstreamNames.Replace(strings.TrimPrefix(path, "/api"))
}

// OperationNames returns the names of all operations.
func OperationNames() []string { return table().Operations() }
