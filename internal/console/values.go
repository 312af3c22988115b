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

// among returns an error for a value of a parameter that is neither empty nor
// known.
func among(parameter, value string, known []string) error {
	if value == "" || slices.Contains(known, value) {
		return nil
	}
	return environment.BadValue.At(parameter).Detailf("must be one of %s", strings.Join(known, ", "))
}
