package crm

import "understudy/internal/crm/schema"

// What rules and searches both know stands in package schema; these are its names here.
type (
	Type             = schema.Type
	Property         = schema.Property
	PropertyMetadata = schema.PropertyMetadata
	Option           = schema.Option
	Bag              = schema.Bag
)

// The object types.
const (
	Contacts  = schema.Contacts
	Companies = schema.Companies
	Deals     = schema.Deals
	Tickets   = schema.Tickets
)

// Types lists the object types.
var Types = schema.Types

// ParseType reads a plural or singular name or an id, in any case. It returns UnknownType.
func ParseType(s string) (Type, error) { return schema.ParseType(s) }

// IsOtherType reports whether s names an object type that upstream has and this service does not.
func IsOtherType(s string) bool { return schema.IsOtherType(s) }
