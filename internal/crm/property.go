package crm

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"understudy/internal/crm/search"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/opt"
	"understudy/internal/platform/store"
)

// fieldTypes lists the valid field types for each type of property.
var fieldTypes = map[string][]string{
	"string":       {"text", "textarea", "file", "html", "phonenumber", calculated},
	"number":       {"number", calculated},
	"bool":         {"booleancheckbox", calculated},
	"enumeration":  {"select", "radio", "checkbox", "booleancheckbox", calculated},
	"date":         {"date"},
	"datetime":     {"date", calculated},
	"phone_number": {"phonenumber"},
}

var propertyName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,99}$`)

// UpdateProperty is a change of a definition; nil leaves a member unchanged.
type UpdateProperty struct {
	Label, Description, GroupName, Type, FieldType, CalculationFormula opt.Opt[string]
	DisplayOrder                                                       opt.Opt[int]
	Hidden, FormField                                                  opt.Opt[bool]
	Options                                                            opt.Opt[[]Option]
}

// Properties lists the active or the archived definitions of a type.
func (d *Definitions) Properties(t Type, archived bool) (out []*Property) {
	for _, p := range d.types[t].properties {
		if (p.ArchivedAt != 0) == archived {
			out = append(out, d.dated(p))
		}
	}
	return out
}

// FindProperty returns an active or an archived definition. It returns
// DefinitionNotFound.
func (d *Definitions) FindProperty(t Type, name string, archived bool) (*Property, error) {
	p := d.types[t].property(name)
	if p == nil || (p.ArchivedAt != 0) != archived {
		return nil, DefinitionNotFound.Detailf("Property %q does not exist", name).With(Details{
			SubCategory: "PropertyError.PROPERTY_DOESNT_EXIST", Context: map[string][]string{"propertyName": {name}}})
	}
	return d.dated(p), nil
}

// CreateProperties creates definitions, each independently of the others. The
// name of an archived definition gets the new definition and keeps its values.
// The errors are BadDefinition and DefinitionExists.
func (c *CRM) CreateProperties(ctx context.Context, p *auth.Principal, t Type, in []Property) (out []*Property, errs []error, err error) {
	err = c.define(ctx, portalOf(p), func(tx *store.Tx, d *Definitions) error {
		out, errs = make([]*Property, len(in)), make([]error, len(in))
		for i := range in {
			var err error
			if out[i], err = c.createProperty(tx, d, t, userOf(p), in[i]); err == nil {
				continue
			}
			if _, refused := fault.As(err); !refused {
				return err
			}
			errs[i] = err
		}
		return nil
	})
	return out, errs, err
}

// createProperty stores a definition and adds it to d.
func (c *CRM) createProperty(tx *store.Tx, d *Definitions, t Type, user int64, made Property) (_ *Property, err error) {
	if err := d.checkNew(t, &made); err != nil {
		return nil, err
	}
	old := d.types[t].property(made.Name)
	if old != nil && made.HasUniqueValue {
		if taken, err := sharedValue(tx, d.Portal.ID, old.Number); err != nil {
			return nil, err
		} else if taken {
			return nil, BadDefinition.Detailf("The property %q has values that several records share, so it cannot have unique values.", made.Name)
		}
	}
	made.Object, made.CreatedUserID, made.UpdatedUserID = t, user, user
	made.CreatedAt, made.UpdatedAt, made.HubspotDefined = c.now(), c.now(), false
	made.ModificationMetadata = PropertyMetadata{Archivable: true, ReadOnlyValue: made.Calculated}
	if old != nil {
		made.Number, made.CreatedAt = old.Number, old.CreatedAt
	} else if made.Number, err = nextIn(tx, "property", firstOwnNumber, 1); err != nil {
		return nil, err
	}
	if err := saveProperty(tx, d.Portal.ID, &made); err != nil {
		return nil, err
	}
	d.types[t].add(&made)
	if old != nil {
		return &made, d.rekey(tx, old, &made)
	}
	return &made, nil
}

// checkNew validates a new definition and sets its defaults.
func (d *Definitions) checkNew(t Type, p *Property) error {
	switch old := d.types[t].property(p.Name); {
	case !propertyName.MatchString(p.Name):
		return BadDefinition.Detailf("The property name %q must begin with a lower-case letter, contain only lower-case letters, digits and underscores, and have at most 100 characters.", p.Name)
	case old != nil && old.ArchivedAt == 0:
		return DefinitionExists.Detailf("A property named '%s' already exists.", p.Name).
			With(Details{SubCategory: "Properties.PROPERTY_WITH_NAME_EXISTS"})
	case old != nil && old.HubspotDefined:
		return DefinitionExists.Detailf("The name '%s' is reserved.", p.Name)
	}
	return d.checkDefinition(t, p)
}

func (d *Definitions) checkDefinition(t Type, p *Property) error {
	bad := func(format string, args ...any) *fault.Error { return BadDefinition.Detailf(format, args...) }
	allowed, ok := fieldTypes[p.Type]
	switch {
	case !ok:
		return bad("%q is not a valid property type", p.Type)
	case !slices.Contains(allowed, p.FieldType):
		return bad("The field type %q does not fit the property type %q; it must be one of [%s]", p.FieldType, p.Type, strings.Join(allowed, ", "))
	case p.Label == "":
		return bad("A property needs a label.")
	case d.group(t, p.GroupName) == nil:
		return bad("There is no property group named %q.", p.GroupName)
	case p.HasUniqueValue && p.Type != "string" && p.Type != "number":
		return bad("Only properties of type string or number can have unique values.")
	}
	if p.HasUniqueValue && p.Number == 0 {
		unique := 0
		for _, o := range d.types[t].properties {
			if o.HasUniqueValue && !o.HubspotDefined && o.ArchivedAt == 0 {
				unique++
			}
		}
		if unique >= 10 {
			return bad("An object type can have at most 10 properties with unique values.")
		}
	}
	if p.Type == "bool" && len(p.Options) == 0 {
		p.Options = []Option{{Label: "True", Value: "true"}, {Label: "False", Value: "false", DisplayOrder: 1}}
	}
	p.Calculated = p.Calculated && p.HubspotDefined || p.FieldType == calculated
	if err := d.checkFormula(t, p); err != nil {
		return err
	}
	return checkOptions(p)
}

func checkOptions(p *Property) error {
	values, labels := map[string]bool{}, map[string]bool{}
	for _, o := range p.Options {
		switch {
		case o.Value == "" || o.Label == "":
			return BadDefinition.Detailf("Every option needs a label and a value.")
		case strings.Contains(o.Value, ";"):
			return BadDefinition.Detailf("The option value %q contains a semicolon.", o.Value)
		case values[o.Value]:
			return BadDefinition.Detailf("The option value %q occurs more than once.", o.Value)
		case labels[o.Label]:
			return BadDefinition.Detailf("The option label %q occurs more than once.", o.Label)
		}
		values[o.Value], labels[o.Label] = true, true
	}
	switch {
	case p.Type == "enumeration" && len(p.Options) == 0 && !p.ExternalOptions && !p.Calculated:
		return BadDefinition.Detailf("A property of type enumeration needs options.")
	case p.Type == "bool" && (len(p.Options) != 2 || !values["true"] || !values["false"]):
		return BadDefinition.Detailf("A property of type bool has exactly the options true and false.")
	case p.Type != "enumeration" && p.Type != "bool" && len(p.Options) > 0:
		return BadDefinition.Detailf("A property of type %s has no options.", p.Type)
	}
	if p.Options == nil {
		p.Options = []Option{}
	}
	return nil
}

// UpdateProperty changes a definition. Values that become invalid remain. It
// returns DefinitionNotFound and BadDefinition.
func (c *CRM) UpdateProperty(ctx context.Context, p *auth.Principal, t Type, name string, in UpdateProperty) (out *Property, err error) {
	err = c.define(ctx, portalOf(p), func(tx *store.Tx, d *Definitions) error {
		old, err := d.FindProperty(t, name, false)
		if err != nil {
			return err
		}
		changed := *old
		in.apply(&changed)
		if !mayChange(old, &changed) {
			return BadDefinition.Detailf("The definition of %q is read only.", name)
		}
		if err := d.checkDefinition(t, &changed); err != nil {
			return err
		}
		if (old.FieldType == calculated) != (changed.FieldType == calculated) {
			return BadDefinition.Detailf("The property %q cannot change between a calculated one and one that is set.", name)
		}
		changed.UpdatedAt, changed.UpdatedUserID = c.now(), userOf(p)
		out = &changed
		if err := saveProperty(tx, d.Portal.ID, out); err != nil {
			return err
		}
		if old.Type != out.Type || old.Many() != out.Many() {
			return d.rekey(tx, old, out)
		}
		return nil
	})
	return out, err
}

// apply applies the change to p.
func (in UpdateProperty) apply(p *Property) {
	p.Label, p.Description, p.GroupName = in.Label.Or(p.Label), in.Description.Or(p.Description), in.GroupName.Or(p.GroupName)
	p.CalculationFormula = in.CalculationFormula.Or(p.CalculationFormula)
	p.DisplayOrder, p.Hidden, p.FormField = in.DisplayOrder.Or(p.DisplayOrder), in.Hidden.Or(p.Hidden), in.FormField.Or(p.FormField)
	if v, ok := in.Options.Get(); ok {
		p.Options = v
	}
	newType := in.Type.Or(p.Type)
	if newType != p.Type && newType != "enumeration" && newType != "bool" && !in.Options.Set {
		p.Options = nil
	}
	p.Type, p.FieldType = newType, in.FieldType.Or(p.FieldType)
}

// mayChange reports whether a definition allows a change: a read-only one allows
// only other options, and some not even those.
func mayChange(old, changed *Property) bool {
	m := old.ModificationMetadata
	if !m.ReadOnlyDefinition {
		return true
	}
	options := *changed
	options.Options = old.Options
	a, _ := json.Marshal(old)
	b, _ := json.Marshal(options)
	return m.ReadOnlyOptions != nil && !*m.ReadOnlyOptions && bytes.Equal(a, b)
}

// rekey rewrites the value table for a property whose values now compare
// differently.
func (d *Definitions) rekey(tx *store.Tx, old, changed *Property) error {
	d.types[old.Object].set(changed)
	ids, err := valueRecords(tx, d.Portal.ID, old.Number)
	if err != nil {
		return err
	}
	if err := deletePropertyValues(tx, d.Portal.ID, old.Number); err != nil {
		return err
	}
	for chunk := range slices.Chunk(ids, 500) {
		records, err := getRecords(tx, d.Portal.ID, old.Object, chunk, false)
		if err != nil {
			return err
		}
		var rows []valueRow
		for id, r := range records {
			if v := r.Bag.Get(old.Name); v != "" {
				for _, k := range changed.Keys(v) {
					rows = append(rows, valueRow{changed.Number, k, id})
				}
			}
			if err := search.Replace(tx, r.ID); err != nil {
				return err
			}
		}
		if err := insertValues(tx, d.Portal.ID, rows); err != nil {
			return err
		}
	}
	return nil
}

// ArchiveProperties archives definitions; recreating one brings its values back.
// With lenient it ignores unknown names. It returns DefinitionNotFound and
// BadDefinition.
func (c *CRM) ArchiveProperties(ctx context.Context, p *auth.Principal, t Type, names []string, lenient bool) error {
	return c.define(ctx, portalOf(p), func(tx *store.Tx, d *Definitions) error {
		for _, name := range names {
			old, err := d.FindProperty(t, name, false)
			if err != nil {
				if lenient {
					continue
				}
				return err
			}
			if !old.ModificationMetadata.Archivable {
				return BadDefinition.Detailf("The property %q is defined by the service and cannot be archived.", name)
			}
			if users := d.usedBy(t, name); users != nil {
				return BadDefinition.Detailf("Property: %s of object type %s is currently used in %d places and cannot be deleted", name, t.ID(), len(users)).
					With(Details{SubCategory: "PropertyValidationError.CANNOT_DELETE_PROPERTY_IN_USE", Context: map[string][]string{"propertyName": {name}, "calculatedProperties": users}})
			}
			archived := *old
			archived.ArchivedAt, archived.UpdatedAt, archived.UpdatedUserID = c.now(), c.now(), userOf(p)
			d.types[t].set(&archived)
			if err := saveProperty(tx, d.Portal.ID, &archived); err != nil {
				return err
			}
		}
		return nil
	})
}
