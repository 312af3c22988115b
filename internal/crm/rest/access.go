package rest

import (
	"slices"

	"understudy/internal/crm"
	"understudy/internal/platform/auth"
)

// access is the authorization that a route requires.
type access int

const (
	public     access = iota // no credential
	anyCaller                // any credential of a portal
	readTypes                // a scope to read the objects of the path's types
	writeTypes               // a scope to write them
	readSchemas
	writeSchemas
	readOwners
)

// scopes returns the scopes of which a caller needs one, for each type in the
// path.
func (c *call) scopes(a access) [][]string {
	if a == readOwners {
		return [][]string{{"crm.objects.owners.read"}}
	}
	var out [][]string
	for _, t := range []crm.Type{c.t, c.to} {
		if t == 0 {
			continue
		}
		kind, verb := "objects", "read"
		if a == readSchemas || a == writeSchemas {
			kind = "schemas"
		}
		if a == writeTypes || a == writeSchemas {
			verb = "write"
		}
		names := []string{"crm." + kind + "." + t.String() + "." + verb}
		if t == crm.Tickets {
			names = []string{"tickets", "crm." + kind + ".tickets." + verb}
		}
		if a == readSchemas { // a scope for the records includes their definitions
			names = append(names, "crm.objects."+t.String()+".read")
		}
		out = append(out, names)
	}
	return out
}

// checkScope returns an error for a token that is limited to scopes without one
// that the route accepts.
func (c *call) checkScope(a access) error {
	if a == anyCaller || c.principal.Kind == auth.Session || c.principal.Kind == auth.Key && len(c.principal.Scopes) == 0 {
		return nil
	}
	var missing []string
	for _, names := range c.scopes(a) {
		if !slices.ContainsFunc(names, c.principal.Has) {
			missing = append(missing, names[0])
		}
	}
	if len(missing) > 0 {
		return errScopes.With(missing)
	}
	return nil
}
