package rest

import (
	"strings"

	"understudy/internal/crm"
)

// upstreamNames holds the names that upstream's reference has for the
// parameters of patterns.
var upstreamNames = strings.NewReplacer(
	"{from}/{id}", "{objectType}/{objectId}", "{from}", "{fromObjectType}", "{to}", "{toObjectType}", "{toId}", "{toObjectId}",
	"groups/{name}", "groups/{groupName}", "{name}", "{propertyName}", "{type}", "{objectType}", "{id}", "{objectId}",
	"{pipeline}", "{pipelineId}", "{stage}", "{stageId}", "{owner}", "{ownerId}", "{associationType}", "{associationTypeId}")

// operation returns the name of what a pattern of the table serves, as upstream
// writes it: crm.POST /crm/v3/objects/{objectType}.
func operation(pattern string) string {
	method, path, _ := strings.Cut(strings.TrimSuffix(pattern, "/{$}"), " ")
	return crm.Name + "." + method + " " + upstreamNames.Replace(strings.TrimPrefix(path, "/api"))
}

// OperationNames returns the names of all that is served.
func OperationNames() []string { return table().Operations() }
