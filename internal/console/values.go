package console

import (
	"slices"
	"strings"

	"understudy/internal/platform/environment"
)

// Filters of the admin plane's lists reject unknown values if all values are
// known: an empty list for a misspelt name would suggest that nothing happened.
// Types of events, ids and names of tasks are not known.

// checkService returns an error for an unknown service; "" means all.
func checkService(c *Console, name string) error {
	var known []string
	for _, s := range c.d.Environments.Platform.Services {
		known = append(known, s.Name())
	}
	return among("service", name, known)
}

// checkEntity returns an error for an entity that no service has; "" means all.
func checkEntity(c *Console, name string) error {
	if name == "" {
		return nil
	}
	var known []string
	for _, e := range c.d.Environments.Platform.Entities() {
		known = append(known, e.Names()...)
	}
	slices.Sort(known)
	return among("entity", name, slices.Compact(known))
}

// checkOperation returns an error for a pattern that matches no operation of a
// service; "" means all services, and all operations.
func checkOperation(c *Console, service, pattern string) error {
	if pattern == "" {
		return nil
	}
	near, ok := environment.Operations(c.d.Environments.Platform.Services).In(service).Check(pattern)
	switch {
	case ok:
		return nil
	case near != "":
		return environment.BadValue.At("operation").Detailf("there is no operation %q; perhaps %q is meant", pattern, near)
	case service != "":
		return environment.BadValue.At("operation").Detailf("%s has no operation %q; GET /admin/v1/entities lists them", service, pattern)
	}
	return environment.BadValue.At("operation").Detailf("there is no operation %q; GET /admin/v1/entities lists them", pattern)
}

// among returns an error for a value of a parameter that is neither empty nor
// known.
func among(parameter, value string, known []string) error {
	if value == "" || slices.Contains(known, value) {
		return nil
	}
	return environment.BadValue.At(parameter).Detailf("must be one of %s", strings.Join(known, ", "))
}
