package crm

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
	object                           Type
	number                           int64 // names the property in the value table
}

// PropertyMetadata tells what may be changed.
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

// Group puts properties together for people.
type Group struct {
	Name         string `json:"name"`
	Label        string `json:"label"`
	DisplayOrder int    `json:"displayOrder"`
	ArchivedAt   int64  `json:"-"`
}

// many tells whether a value is a set, its elements separated by ";".
func (p *Property) many() bool {
	return p.FieldType == "checkbox" && p.Type == "enumeration" || p.Name == "hs_additional_emails"
}

// readOnly tells whether callers may set a value.
func (p *Property) readOnly() bool { return p.Calculated || p.ModificationMetadata.ReadOnlyValue }

// values gives the option values; none when any value goes.
func (p *Property) values() []string {
	out := make([]string, len(p.Options))
	for i, o := range p.Options {
		out[i] = o.Value
	}
	return out
}

// words tells whether the words of values are indexed.
func (p *Property) words() bool {
	return p.Type == "string" || p.Type == "phone_number" || p.Type == "enumeration"
}

// column names the column of the record that holds the value, "" for the bag.
// Such a property has no row in the value table.
func (p *Property) column() string {
	switch p.Name {
	case "hs_object_id":
		return "id"
	case "createdate":
		return "created"
	case "lastmodifieddate", "hs_lastmodifieddate":
		if p.Name == p.object.modifiedName() {
			return "updated"
		}
	}
	return ""
}

// derived names the properties that are worked out when they are read.
var derived = map[Type][]string{
	Contacts:  {"hs_email_domain", "hs_full_name_or_email", "hs_is_contact"},
	Companies: {"hs_createdate"},
	Deals:     {"hs_createdate"},
	Tickets:   {"hs_createdate", "hs_ticket_id"},
}

var derivedFromSource = []string{"hs_object_source", "hs_object_source_id", "hs_object_source_label"}

// isDerived tells whether the value is worked out when it is read.
func (p *Property) isDerived() bool {
	return slices.Contains(derivedFromSource, p.Name) || slices.Contains(derived[p.object], p.Name)
}
