package schema

import "slices"

// Property is the definition of a property. Its JSON form is that of the
// database.
type Property struct {
	Name                 string           `json:"name"`
	Label                string           `json:"label"`
	Type                 string           `json:"type"`
	FieldType            string           `json:"fieldType"`
	GroupName            string           `json:"groupName"`
	Description          string           `json:"description"`
	Options              []Option         `json:"options"`
	DisplayOrder         int              `json:"displayOrder"`
	HasUniqueValue       bool             `json:"hasUniqueValue"`
	Hidden               bool             `json:"hidden"`
	HubspotDefined       bool             `json:"hubspotDefined"`
	FormField            bool             `json:"formField"`
	Calculated           bool             `json:"calculated"`
	ExternalOptions      bool             `json:"externalOptions"`
	ReferencedObjectType string           `json:"referencedObjectType,omitempty"`
	CalculationFormula   string           `json:"calculationFormula,omitempty"`
	ModificationMetadata PropertyMetadata `json:"modificationMetadata"`
	CreatedUserID        int64            `json:"createdUserId,omitempty"`
	UpdatedUserID        int64            `json:"updatedUserId,omitempty"`

	CreatedAt, UpdatedAt, ArchivedAt int64 `json:"-"` // microseconds; ArchivedAt is 0 unless archived
	Object                           Type  `json:"-"` // the type of record that has the property
	// Alias is the name under which the value is stored, "" for its own. Both names
	// have the same number.
	Alias string `json:"-"`
	// Compute returns the value of a calculated property, which is not stored; nil for others.
	Compute func(r *Record) string `json:"-"`
	Number  int64                  `json:"-"` // identifies the property in the value table
}

// PropertyMetadata states which parts of a property may be changed.
type PropertyMetadata struct {
	Archivable         bool  `json:"archivable"`
	ReadOnlyDefinition bool  `json:"readOnlyDefinition"`
	ReadOnlyValue      bool  `json:"readOnlyValue"`
	ReadOnlyOptions    *bool `json:"readOnlyOptions,omitempty"`
}

// Option is a value that an enumeration allows.
type Option struct {
	Label        string `json:"label"`
	Value        string `json:"value"`
	DisplayOrder int    `json:"displayOrder"`
	Hidden       bool   `json:"hidden"`
	Description  string `json:"description,omitempty"`
}

// Many reports whether a value is a set, with elements separated by ";".
func (p *Property) Many() bool {
	return p.FieldType == "checkbox" && p.Type == "enumeration" || p.Name == "hs_additional_emails"
}

// ReadOnly reports whether callers cannot set a value.
func (p *Property) ReadOnly() bool { return p.Calculated || p.ModificationMetadata.ReadOnlyValue }

// Values returns the values of the options; nil means that any value is allowed.
func (p *Property) Values() []string {
	out := make([]string, len(p.Options))
	for i, o := range p.Options {
		out[i] = o.Value
	}
	return out
}

// HasWords reports whether searches find values by words.
func (p *Property) HasWords() bool {
	return p.Type == "string" || p.Type == "phone_number" || p.Type == "enumeration"
}

// Column returns the column of the record that holds the value, "" for the bag. A
// property with a column has no rows in the value table.
func (p *Property) Column() string {
	switch p.Name {
	case "hs_object_id":
		return "id"
	case "createdate":
		return "created"
	case "lastmodifieddate", "hs_lastmodifieddate":
		if p.Name == p.Object.ModifiedName() {
			return "updated"
		}
	}
	return ""
}

// Derived lists, by type, the properties whose values are computed on read.
var Derived = map[Type][]string{
	Contacts:  {"hs_email_domain", "hs_full_name_or_email", "hs_is_contact"},
	Companies: {"hs_createdate"},
	Deals:     {"hs_createdate"},
	Tickets:   {"hs_createdate", "hs_ticket_id"},
}

// DerivedFromSource lists the properties that are computed from a record's
// source.
var DerivedFromSource = []string{"hs_object_source", "hs_object_source_id", "hs_object_source_label"}

// IsDerived reports whether values are computed on read.
func (p *Property) IsDerived() bool {
	return p.Compute != nil || slices.Contains(DerivedFromSource, p.Name) || slices.Contains(Derived[p.Object], p.Name)
}
