package schema

import "slices"

// Property defines what values a name holds. The JSON form is that of the store.
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

	CreatedAt, UpdatedAt, ArchivedAt int64 `json:"-"` // microseconds; ArchivedAt is 0 for one in use
	Object                           Type  `json:"-"` // whose property it is
	// Alias is the name under which the value is stored, "" for its own. Both have one number.
	Alias string `json:"-"`
	// Compute returns the value of a calculated property, which is not stored; nil for others.
	Compute func(r *Record) string `json:"-"`
	Number  int64                  `json:"-"` // names the property in the value table
}

// PropertyMetadata is what of a property may be changed.
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

// Many reports whether a value is a set, its elements separated by ";".
func (p *Property) Many() bool {
	return p.FieldType == "checkbox" && p.Type == "enumeration" || p.Name == "hs_additional_emails"
}

// ReadOnly reports whether callers are refused to set a value.
func (p *Property) ReadOnly() bool { return p.Calculated || p.ModificationMetadata.ReadOnlyValue }

// Values returns the values of the options; none means that any value is allowed.
func (p *Property) Values() []string {
	out := make([]string, len(p.Options))
	for i, o := range p.Options {
		out[i] = o.Value
	}
	return out
}

// HasWords reports whether searches find values by their words.
func (p *Property) HasWords() bool {
	return p.Type == "string" || p.Type == "phone_number" || p.Type == "enumeration"
}

// Column names the column of the record that holds the value, "" for the bag.
// Such a property has no row in the value table.
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

// Derived names, by type, the properties whose values are computed when they are read.
var Derived = map[Type][]string{
	Contacts:  {"hs_email_domain", "hs_full_name_or_email", "hs_is_contact"},
	Companies: {"hs_createdate"},
	Deals:     {"hs_createdate"},
	Tickets:   {"hs_createdate", "hs_ticket_id"},
}

// DerivedFromSource names the properties that are read from a record's source.
var DerivedFromSource = []string{"hs_object_source", "hs_object_source_id", "hs_object_source_label"}

// IsDerived reports whether values are computed when they are read.
func (p *Property) IsDerived() bool {
	return p.Compute != nil || slices.Contains(DerivedFromSource, p.Name) || slices.Contains(Derived[p.Object], p.Name)
}
