// Package schema contains what the CRM's rules and its searches share: object
// types, property definitions, the forms in which values are stored and compared,
// and the stored part of a record. It depends on no database.
package schema

import (
	"strings"
)

// Type is an object type; its number is the upstream's, so contacts are 0-1.
type Type int64

// The object types.
const (
	Contacts  Type = 1
	Companies Type = 2
	Deals     Type = 3
	Tickets   Type = 5
)

// Types lists the object types.
var Types = []Type{Contacts, Companies, Deals, Tickets}

var typeNames = map[Type]struct{ plural, singular, id string }{
	Contacts: {"contacts", "contact", "0-1"}, Companies: {"companies", "company", "0-2"},
	Deals: {"deals", "deal", "0-3"}, Tickets: {"tickets", "ticket", "0-5"},
}

// TypesByName holds the types by plural name, singular name and id.
var TypesByName = func() map[string]Type {
	m := map[string]Type{}
	for t, n := range typeNames {
		m[n.plural], m[n.singular], m[n.id] = t, t, t
	}
	return m
}()

// String returns the plural name, such as "contacts".
func (t Type) String() string { return typeNames[t].plural }

// Singular returns the singular name, such as "contact".
func (t Type) Singular() string { return typeNames[t].singular }

// ID returns the upstream's id, such as "0-1".
func (t Type) ID() string { return typeNames[t].id }

// ParseType reads a plural or singular name or an id, in any case. It returns UnknownType.
func ParseType(s string) (Type, error) {
	if t, ok := TypesByName[strings.ToLower(s)]; ok {
		return t, nil
	}
	if a, b, ok := strings.Cut(s, "-"); ok && IsDigits(a) && IsDigits(b) {
		return 0, UnknownType.Detailf("Invalid object or event type id: %s", s)
	}
	return 0, UnknownType.Detailf("Unable to infer object type from: %s", s)
}

// IsDigits reports whether s is one or more digits.
func IsDigits(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return s != ""
}

// ModifiedName returns the name of the property for the modification time of a
// record.
func (t Type) ModifiedName() string {
	if t == Contacts {
		return "lastmodifieddate"
	}
	return "hs_lastmodifieddate"
}

// StageNames returns the names of the properties that hold a record's pipeline and stage, "" for types without pipelines.
func (t Type) StageNames() (pipeline, stage string) {
	switch t {
	case Deals:
		return "pipeline", "dealstage"
	case Tickets:
		return "hs_pipeline", "hs_pipeline_stage"
	}
	return "", ""
}

// HasPipelines reports whether records of the type move through pipelines.
func (t Type) HasPipelines() bool { return t == Deals || t == Tickets }
