package console

import (
	"slices"
	"strings"

	"understudy/internal/platform/environment"
)

// What the lists of the admin plane are narrowed by is refused where its values
// are known and it is none of them: a list that is empty for a misspelt name
// says that nothing has happened. Types of events, ids and the names of tasks are
// not known beforehand.

// checkService refuses the name of a service that there is not; "" stands for all.
func checkService(c *Console, name string) error {
	var known []string
	for _, s := range c.d.Environments.Platform.Services {
		known = append(known, s.Name())
	}
	return among("service", name, known)
}

// checkEntity refuses the name of an entity that no service has; "" stands for all.
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

// among refuses a value of a parameter that is neither empty nor known.
func among(parameter, value string, known []string) error {
	if value == "" || slices.Contains(known, value) {
		return nil
	}
	return environment.BadValue.At(parameter).Detailf("must be one of %s", strings.Join(known, ", "))
}
