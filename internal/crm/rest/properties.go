package rest

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"understudy/internal/crm"
	"understudy/internal/platform/opt"
)

var propertyRoutes = []route{
	{"GET", "/crm/v3/properties/{type}", readSchemas, (*call).listProperties},
	{"POST", "/crm/v3/properties/{type}", writeSchemas, (*call).createProperty},
	{"GET", "/crm/v3/properties/{type}/{name}", readSchemas, (*call).getProperty},
	{"PATCH", "/crm/v3/properties/{type}/{name}", writeSchemas, (*call).updateProperty},
	{"DELETE", "/crm/v3/properties/{type}/{name}", writeSchemas, (*call).archiveProperty},
	{"POST", "/crm/v3/properties/{type}/batch/read", readSchemas, (*call).batchReadProperties},
	{"POST", "/crm/v3/properties/{type}/batch/create", writeSchemas, (*call).batchCreateProperties},
	{"POST", "/crm/v3/properties/{type}/batch/archive", writeSchemas, (*call).batchArchiveProperties},
	{"GET", "/crm/v3/properties/{type}/groups", readSchemas, (*call).listGroups},
	{"POST", "/crm/v3/properties/{type}/groups", writeSchemas, (*call).createGroup},
	{"GET", "/crm/v3/properties/{type}/groups/{name}", readSchemas, (*call).getGroup},
	{"PATCH", "/crm/v3/properties/{type}/groups/{name}", writeSchemas, (*call).updateGroup},
	{"DELETE", "/crm/v3/properties/{type}/groups/{name}", writeSchemas, (*call).archiveGroup},
}

type propertyReply struct {
	Name                 string               `json:"name"`
	Label                string               `json:"label"`
	Type                 string               `json:"type"`
	FieldType            string               `json:"fieldType"`
	GroupName            string               `json:"groupName"`
	Description          string               `json:"description"`
	Options              []crm.Option         `json:"options"`
	DisplayOrder         int                  `json:"displayOrder"`
	Calculated           bool                 `json:"calculated"`
	ExternalOptions      bool                 `json:"externalOptions"`
	HasUniqueValue       bool                 `json:"hasUniqueValue"`
	Hidden               bool                 `json:"hidden"`
	HubspotDefined       bool                 `json:"hubspotDefined"`
	FormField            bool                 `json:"formField"`
	DataSensitivity      string               `json:"dataSensitivity"`
	ReferencedObjectType string               `json:"referencedObjectType,omitempty"`
	CalculationFormula   string               `json:"calculationFormula,omitempty"`
	ModificationMetadata crm.PropertyMetadata `json:"modificationMetadata"`
	CreatedUserID        string               `json:"createdUserId,omitempty"`
	UpdatedUserID        string               `json:"updatedUserId,omitempty"`
	Archived             bool                 `json:"archived"`
	ArchivedAt           string               `json:"archivedAt,omitempty"`
	CreatedAt            string               `json:"createdAt"`
	UpdatedAt            string               `json:"updatedAt"`
}

func property(p *crm.Property) propertyReply {
	out := propertyReply{
		Name: p.Name, Label: p.Label, Type: p.Type, FieldType: p.FieldType, GroupName: p.GroupName, Description: p.Description,
		Options: p.Options, DisplayOrder: p.DisplayOrder, Calculated: p.Calculated, ExternalOptions: p.ExternalOptions,
		HasUniqueValue: p.HasUniqueValue, Hidden: p.Hidden, HubspotDefined: p.HubspotDefined, FormField: p.FormField,
		DataSensitivity: nonSensitive, ReferencedObjectType: p.ReferencedObjectType, CalculationFormula: p.CalculationFormula,
		ModificationMetadata: p.ModificationMetadata, Archived: p.ArchivedAt != 0,
		CreatedAt: crm.FormatTime(p.CreatedAt), UpdatedAt: crm.FormatTime(p.UpdatedAt),
	}
	if p.ArchivedAt != 0 {
		out.ArchivedAt = crm.FormatTime(p.ArchivedAt)
	}
	if p.CreatedUserID != 0 {
		out.CreatedUserID, out.UpdatedUserID = id(p.CreatedUserID), id(p.UpdatedUserID)
	}
	return out
}

type optionInput struct {
	Label        text   `json:"label"`
	Value        text   `json:"value"`
	DisplayOrder *whole `json:"displayOrder"`
	Hidden       truth  `json:"hidden"`
	Description  string `json:"description"`
}

func options(in []optionInput) []crm.Option {
	out := make([]crm.Option, len(in))
	for i, o := range in {
		out[i] = crm.Option{Label: string(o.Label), Value: string(o.Value), DisplayOrder: i, Hidden: bool(o.Hidden), Description: o.Description}
		if o.DisplayOrder != nil {
			out[i].DisplayOrder = int(*o.DisplayOrder)
		}
	}
	return out
}

type propertyInput struct {
	Name               string        `json:"name"`
	Label              string        `json:"label"`
	Type               string        `json:"type"`
	FieldType          string        `json:"fieldType"`
	GroupName          string        `json:"groupName"`
	Description        string        `json:"description"`
	Options            []optionInput `json:"options"`
	DisplayOrder       *whole        `json:"displayOrder"`
	HasUniqueValue     truth         `json:"hasUniqueValue"`
	Hidden             truth         `json:"hidden"`
	FormField          truth         `json:"formField"`
	ExternalOptions    truth         `json:"externalOptions"`
	ReferencedObject   string        `json:"referencedObjectType"`
	CalculationFormula string        `json:"calculationFormula"`
}

func (in propertyInput) property(list string) (crm.Property, error) {
	var missing []string
	for _, f := range []struct{ name, value string }{{"name", in.Name}, {"label", in.Label}, {"type", in.Type}, {"fieldType", in.FieldType}, {"groupName", in.GroupName}} {
		if f.value == "" {
			missing = append(missing, f.name)
		}
	}
	if missing != nil {
		return crm.Property{}, requiredIn(list, missing...)
	}
	out := crm.Property{Name: in.Name, Label: in.Label, Type: in.Type, FieldType: in.FieldType, GroupName: in.GroupName,
		Description: in.Description, Options: options(in.Options), DisplayOrder: -1, HasUniqueValue: bool(in.HasUniqueValue), Hidden: bool(in.Hidden),
		FormField: bool(in.FormField), ExternalOptions: bool(in.ExternalOptions), ReferencedObjectType: in.ReferencedObject, CalculationFormula: in.CalculationFormula}
	if in.DisplayOrder != nil {
		out.DisplayOrder = int(*in.DisplayOrder)
	}
	return out, nil
}

func (c *call) definitions() (*crm.Definitions, error) { return c.CRM.Definitions(c.ctx, c.principal) }

// namesFields reports whether names are members of definitions, such as
// "name,label", and not names of properties.
func namesFields(all []*crm.Property, names []string) bool {
	fields, properties := 0, 0
	for _, name := range names {
		for _, f := range reflect.VisibleFields(reflect.TypeFor[propertyReply]()) {
			if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name {
				fields++
			}
		}
		if slices.ContainsFunc(all, func(p *crm.Property) bool { return p.Name == name }) {
			properties++
		}
	}
	return fields == len(names) && properties < len(names)
}

// nonSensitive is the sensitivity of all properties: the service has no others.
const nonSensitive = "non_sensitive"

func (c *call) listProperties() error {
	d, err := c.definitions()
	if err != nil {
		return err
	}
	archived, err := c.flag("archived")
	if err != nil {
		return err
	}
	only := c.list("properties")
	all := d.Properties(c.t, archived)
	if namesFields(all, only) {
		only = nil // a reply has all members of each definition
	}
	if s := c.r.URL.Query().Get("dataSensitivity"); s != "" && s != nonSensitive {
		all = nil // a reply has the definitions of one sensitivity
	}
	results := []propertyReply{}
	for _, p := range all {
		if len(only) == 0 || slices.Contains(only, p.Name) {
			results = append(results, property(p))
		}
	}
	return c.reply(http.StatusOK, map[string]any{"results": results})
}

func (c *call) createProperty() error {
	var in propertyInput
	if err := c.body(&in); err != nil {
		return err
	}
	p, err := in.property("")
	if err != nil {
		return err
	}
	made, errs, err := c.CRM.CreateProperties(c.ctx, c.principal, c.t, []crm.Property{p})
	if err == nil {
		err = errs[0]
	}
	if err != nil {
		return err
	}
	return c.reply(http.StatusCreated, property(made[0]))
}

func (c *call) getProperty() error {
	d, err := c.definitions()
	if err != nil {
		return err
	}
	archived, err := c.flag("archived")
	if err != nil {
		return err
	}
	p, err := d.FindProperty(c.t, c.r.PathValue("name"), archived)
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, property(p))
}

func (c *call) updateProperty() error {
	var in struct {
		Label              opt.Opt[string]        `json:"label"`
		Description        opt.Opt[string]        `json:"description"`
		GroupName          opt.Opt[string]        `json:"groupName"`
		Type               opt.Opt[string]        `json:"type"`
		FieldType          opt.Opt[string]        `json:"fieldType"`
		CalculationFormula opt.Opt[string]        `json:"calculationFormula"`
		DisplayOrder       opt.Opt[whole]         `json:"displayOrder"`
		Hidden             opt.Opt[truth]         `json:"hidden"`
		FormField          opt.Opt[truth]         `json:"formField"`
		Options            opt.Opt[[]optionInput] `json:"options"`
	}
	if err := c.body(&in); err != nil {
		return err
	}
	u := crm.UpdateProperty{Label: in.Label, Description: in.Description, GroupName: in.GroupName, Type: in.Type, FieldType: in.FieldType,
		CalculationFormula: in.CalculationFormula, DisplayOrder: optInt(in.DisplayOrder), Hidden: optBool(in.Hidden), FormField: optBool(in.FormField)}
	if list, ok := in.Options.Get(); ok {
		u.Options = opt.Some(options(list))
	}
	p, err := c.CRM.UpdateProperty(c.ctx, c.principal, c.t, c.r.PathValue("name"), u)
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, property(p))
}

func (c *call) archiveProperty() error {
	if err := c.CRM.ArchiveProperties(c.ctx, c.principal, c.t, []string{c.r.PathValue("name")}, false); err != nil {
		return err
	}
	return c.noContent()
}

// names reads the names of a batch.
func (c *call) names() (names []string, archived bool, err error) {
	var in struct {
		Inputs []struct {
			Name string `json:"name"`
		} `json:"inputs"`
		Archived truth `json:"archived"`
	}
	if err := c.body(&in); err != nil {
		return nil, false, err
	}
	if err := inputs(in.Inputs, maxInputs); err != nil {
		return nil, false, err
	}
	for _, input := range in.Inputs {
		if input.Name == "" {
			return nil, false, requiredIn("inputs", "name")
		}
		names = append(names, input.Name)
	}
	return names, bool(in.Archived), nil
}

func (c *call) batchReadProperties() error {
	names, archived, err := c.names()
	if err != nil {
		return err
	}
	b := c.newBatch()
	d, err := c.definitions()
	if err != nil {
		return err
	}
	for _, name := range names {
		p, err := d.FindProperty(c.t, name, archived)
		if err != nil {
			_, entry := c.problemOf(err)
			b.refuse(entry)
			continue
		}
		b.add(func(out []byte) []byte { return appendJSON(out, property(p)) })
	}
	return c.replyBatch(b, http.StatusOK)
}

func (c *call) batchCreateProperties() error {
	var in struct {
		Inputs []propertyInput `json:"inputs"`
	}
	if err := c.body(&in); err != nil {
		return err
	}
	if err := inputs(in.Inputs, maxInputs); err != nil {
		return err
	}
	list := make([]crm.Property, len(in.Inputs))
	for i, input := range in.Inputs {
		var err error
		if list[i], err = input.property("inputs"); err != nil {
			return err
		}
	}
	b := c.newBatch()
	made, errs, err := c.CRM.CreateProperties(c.ctx, c.principal, c.t, list)
	if err != nil {
		return err
	}
	for i, p := range made {
		if errs[i] != nil {
			_, entry := c.problemOf(errs[i])
			entry.Context = map[string][]string{"name": {list[i].Name}}
			b.refuse(entry)
			continue
		}
		b.add(func(out []byte) []byte { return appendJSON(out, property(p)) })
	}
	return c.replyBatch(b, http.StatusCreated)
}

func (c *call) batchArchiveProperties() error {
	names, _, err := c.names()
	if err != nil {
		return err
	}
	if err := c.CRM.ArchiveProperties(c.ctx, c.principal, c.t, names, true); err != nil {
		return err
	}
	return c.noContent()
}
