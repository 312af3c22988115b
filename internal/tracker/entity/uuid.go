package entity

import "regexp"

var uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)

// IsUUID reports whether a text has the form of a UUID.
func IsUUID(s string) bool { return len(s) == 36 && uuid.MatchString(s) }

// CheckUUIDs returns BadArgument for ids that are no UUIDs.
func CheckUUIDs(field string, ids ...string) error {
	for _, id := range ids {
		if !IsUUID(id) {
			return badArgument(field, "%s must be a UUID.", field)
		}
	}
	return nil
}
