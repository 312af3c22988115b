package entity

import "understudy/internal/platform/ids"

// CheckUUIDs returns BadArgument for ids that are not UUIDs.
func CheckUUIDs(field string, values ...string) error {
	for _, id := range values {
		if !ids.IsUUID(id) {
			return badArgument(field, "%s must be a UUID.", field)
		}
	}
	return nil
}
