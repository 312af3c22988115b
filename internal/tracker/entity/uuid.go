package entity

import "understudy/internal/platform/ids"

// CheckUUID returns BadArgument for an id that is not a UUID.
func CheckUUID(field, id string) error {
	if !ids.IsUUID(id) {
		return badArgument(field, "%s must be a UUID.", field)
	}
	return nil
}

// CheckUUIDs returns BadArgument for a list with an id that is not a UUID.
func CheckUUIDs(field string, values []string) error {
	for _, id := range values {
		if !ids.IsUUID(id) {
			return badArgument(field, "each value in %s must be a UUID.", field)
		}
	}
	return nil
}
