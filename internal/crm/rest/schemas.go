package rest

import "net/http"

var schemaRoutes = []route{
	{"GET", "/crm-object-schemas/v3/schemas", anyCaller, (*call).listSchemas},
}

// listSchemas lists the custom object types: there are none.
func (c *call) listSchemas() error {
	return c.reply(http.StatusOK, map[string]any{"results": []any{}})
}
