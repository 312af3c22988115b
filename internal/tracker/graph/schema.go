// Package graph is the tracker's GraphQL wire: the schema, its bindings to the
// tracker's rules, and the cost of a document. It contains no SQL.
package graph

import _ "embed"

//go:generate go run ./schemagen -schema schema.graphql -doc ../../../docs/divergences/tracker.md

// typeAliases are the names that older versions of the client use for input
// types.
var typeAliases = map[string]string{"UpdateOrganizationInput": "OrganizationUpdateInput", "UpdateUserInput": "UserUpdateInput"}

// SchemaPath is the path at which the schema is served as text.
const SchemaPath = "/schema.graphql"

// SDL is the schema. It is generated: change schemagen/additions.json or areas.go instead.
//
//go:embed schema.graphql
var SDL string
