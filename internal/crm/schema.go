package crm

import "understudy/internal/crm/schema"

// These aliases are for types that rules and searches share; package schema
// defines them.
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

// ParseType parses a plural or singular name or an id, in any case. It returns
// UnknownType.
func ParseType(s string) (Type, error) { return schema.ParseType(s) }

// IsOtherType reports whether s names an object type of upstream that this
// service lacks.
func IsOtherType(s string) bool { return schema.IsOtherType(s) }
