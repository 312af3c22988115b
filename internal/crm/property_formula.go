package crm

import (
	"math"
	"slices"
	"strconv"

	"understudy/internal/crm/formula"
	"understudy/internal/crm/schema"
	"understudy/internal/platform/fault"
)

// calculated is the field type of properties with a formula.
const calculated = "calculation_equation"

// kindOf returns the result type of formulas for a type of property.
func kindOf(propertyType string) formula.Kind {
	switch propertyType {
	case "number", "datetime":
		return formula.Number // a time is its milliseconds since 1970
	case "bool":
		return formula.Bool
	}
	return formula.Text
}

// checkFormula returns BadDefinition for a formula that does not parse, reads
// unknown properties, reads one as a wrong type, or reads itself.
func (d *Definitions) checkFormula(t Type, p *Property) error {
	bad := func(format string, args ...any) *fault.Error { return BadDefinition.Detailf(format, args...) }
	if p.FieldType != calculated {
		if p.CalculationFormula != "" && !p.HubspotDefined {
			return bad("A calculationFormula needs the field type %s.", calculated)
		}
		return nil
	}
	if p.CalculationFormula == "" {
		return bad("A property of the field type %s needs a calculationFormula.", calculated)
	}
	f, err := formula.Parse(p.CalculationFormula)
	if err != nil {
		return bad("The calculationFormula is not valid: %s", err)
	}
	if want := kindOf(p.Type); f.Kind() != want {
		return bad("The calculationFormula computes a %s, and the property is a %s.", f.Kind(), p.Type)
	}
	for _, r := range f.Reads() {
		if r.Name == p.Name || d.reads(t, r.Name, p.Name, map[string]bool{}) {
			return bad("The calculationFormula reads its own property through %q.", r.Name)
		}
	}
	if d.costOf(t, f, p) > maxFormulaCost || d.makesCostly(t, p) {
		return bad("The calculationFormula reads too many calculated properties, which read others in turn.")
	}
	for _, r := range f.Reads() {
		of := d.Property(t, r.Name)
		switch {
		case of == nil:
			return bad("The calculationFormula reads the property %q, which does not exist.", r.Name)
		case r.Kind == formula.Number && of.Type != "number" && of.Type != "date" && of.Type != "datetime":
			return bad("The calculationFormula reads %q as a number, and it is a %s; string(%s) reads it as text.", r.Name, of.Type, r.Name)
		case r.Kind == formula.Bool && of.Type != "bool":
			return bad("The calculationFormula reads %q as true or false, and it is a %s.", r.Name, of.Type)
		}
	}
	return nil
}

// maxFormulaCost is the most values that one formula may read, directly or
// through other formulas, since each read of a calculated property computes it.
const maxFormulaCost = 1_000

// makesCostly reports whether a formula that reads a changed property, directly
// or not, would read too many values.
func (d *Definitions) makesCostly(t Type, changed *Property) bool {
	return slices.ContainsFunc(d.types[t].properties, func(o *Property) bool {
		if o.Compute == nil || o.Name == changed.Name || !d.reads(t, o.Name, changed.Name, map[string]bool{}) {
			return false
		}
		f, err := formula.Parse(o.CalculationFormula)
		return err == nil && d.costOf(t, f, changed) > maxFormulaCost
	})
}

// costOf returns the number of values that a formula reads, directly or through
// others; changed replaces the property of its name.
func (d *Definitions) costOf(t Type, f *formula.Formula, changed *Property) (n int) {
	for _, r := range f.Places() {
		if n++; n > maxFormulaCost {
			return n
		}
		p := d.Property(t, r.Name)
		if r.Name == changed.Name {
			p = changed
		}
		if p == nil || p.CalculationFormula == "" || p.FieldType != calculated {
			continue
		}
		if inner, err := formula.Parse(p.CalculationFormula); err == nil {
			n += d.costOf(t, inner, changed)
		}
	}
	return n
}

// reads reports whether the formula of one property reads another, directly or
// through others.
func (d *Definitions) reads(t Type, name, other string, seen map[string]bool) bool {
	p := d.Property(t, name)
	if p == nil || p.CalculationFormula == "" || seen[name] {
		return false
	}
	seen[name] = true
	f, err := formula.Parse(p.CalculationFormula)
	if err != nil {
		return false
	}
	for _, r := range f.Reads() {
		if r.Name == other || d.reads(t, r.Name, other, seen) {
			return true
		}
	}
	return false
}

// usedBy returns the names of the properties whose formulas read another.
func (d *Definitions) usedBy(t Type, name string) (users []string) {
	for _, p := range d.types[t].properties {
		if p.ArchivedAt != 0 || p.Compute == nil {
			continue
		}
		if f, err := formula.Parse(p.CalculationFormula); err == nil {
			if slices.ContainsFunc(f.Reads(), func(r formula.Read) bool { return r.Name == name }) {
				users = append(users, p.Name)
			}
		}
	}
	return users
}

// computing sets p.Compute to evaluate its formula over the definitions of td.
func (td *typeDefinitions) computing(p *Property) {
	if p.FieldType != calculated || p.CalculationFormula == "" {
		return
	}
	f, err := formula.Parse(p.CalculationFormula)
	if err != nil {
		return // it dates from before formulas were validated
	}
	isTime := p.Type == "datetime"
	p.Compute = func(r *schema.Record) string {
		v := f.Compute(func(name string) string {
			if of := td.property(name); of != nil && of.ArchivedAt == 0 {
				return r.Value(of)
			}
			return ""
		})
		if isTime && v != "" {
			ms, err := strconv.ParseFloat(v, 64)
			if err != nil || math.Abs(ms) > 2.5e14 {
				return ""
			}
			return FormatTime(int64(ms) * 1000)
		}
		return v
	}
}
