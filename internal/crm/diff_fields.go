package crm

import (
	"slices"
	"strings"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/store"
)

// propertyPrefix precedes the names of properties in the names of fields.
const propertyPrefix = "properties."

func recordSorts() (out []string) {
	for _, t := range Types {
		out = append(out, t.Singular())
	}
	return out
}

// follows holds the properties that the service derives from others unless the
// caller sets them.
var follows = map[string]bool{"hs_deal_stage_probability": true, "hubspot_owner_assigneddate": true}

// refersTo maps properties to the entities that they refer to.
var refersTo = map[string]string{"hubspot_owner_id": "crm.owner", companyOfContact: "crm.company", parentOfCompany: "crm.company",
	"pipeline": "crm.pipeline", "hs_pipeline": "crm.pipeline", "dealstage": "crm.stage", "hs_pipeline_stage": "crm.stage"}

// shownTypes maps types of properties to types of fields; the others are text.
var shownTypes = map[string]string{"number": "number", "datetime": "time", "date": "time"}

// standardFields declares the properties that every portal has.
func standardFields(sort string) (out []diff.Field) {
	t, err := ParseType(sort)
	if err != nil {
		return nil
	}
	for _, p := range standardTypes()[t].properties {
		f := diff.Field{Name: propertyPrefix + p.Name, Type: "text", Refers: refersTo[p.Name], Derived: p.ReadOnly() || isDerived(propertyPrefix+p.Name)}
		if kind := shownTypes[p.Type]; kind != "" {
			f.Type = kind
		}
		if f.Refers == "" {
			f.Plain = "a property as the upstream calls it"
		}
		out = append(out, f)
	}
	return out
}

// isDerived reports whether the service derives a property from others: roll-ups
// and the dates of stages.
func isDerived(field string) bool {
	name, ok := strings.CutPrefix(field, propertyPrefix)
	if !ok {
		return false
	}
	for _, prefix := range []string{enteredPrefix, exitedPrefix, latestPrefix, totalPrefix, "hs_date_entered_", "hs_date_exited_", "hs_time_in_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return follows[name] || rolledUp[name] || strings.HasPrefix(name, "hs_lifecyclestage_") && strings.HasSuffix(name, "_date")
}

// hasProperty reports whether a portal has defined a property for a type.
func hasProperty(tx *store.Tx, sort, field string) (bool, error) {
	name, ok := strings.CutPrefix(field, propertyPrefix)
	t, err := ParseType(sort)
	if !ok || err != nil || tx == nil {
		return false, nil
	}
	if isDerived(field) {
		return true, nil
	}
	return definesProperty(tx, t, name)
}

// propertyFields declares the fields of a property's definition.
func propertyFields() []diff.Field {
	var out []diff.Field
	for kind, names := range map[string][]string{"text": {"label", "type", "fieldType", "groupName", "description", "referencedObjectType", "calculationFormula"},
		"boolean": {"hasUniqueValue", "hidden", "hubspotDefined", "formField", "calculated", "externalOptions"},
		"any":     {"options", "modificationMetadata"}, "integer": {"displayOrder"}} {
		for _, name := range names {
			out = append(out, diff.F(name, kind))
		}
	}
	return append(out, diff.F("createdUserId", "integer").Follows(), diff.F("updatedUserId", "integer").Follows())
}

// associationConsequences declares which associations the service creates or
// removes by itself.
func associationConsequences() []diff.Consequence {
	ends := func(ch *diff.Change) (from, to any) {
		fields := ch.After
		if ch.Deleted() {
			fields = ch.Before
		}
		return fields["fromObjectId"], fields["toObjectId"]
	}
	return []diff.Consequence{
		{Of: "crm.association", When: "it is the other direction, or the same two records have the unlabeled type beside the labeled one", Holds: func(it, of *diff.Change) bool {
			from, to := ends(it)
			a, b := ends(of)
			return it.Inserted() == of.Inserted() && it.Deleted() == of.Deleted() && (from == b && to == a || from == a && to == b)
		}},
		{Of: "crm.record", When: "one of its records was archived or merged into another", Holds: func(_, of *diff.Change) bool {
			return of.Deleted()
		}},
	}
}

// withPipeline reports whether a stage was created or removed with its pipeline.
func withPipeline(it, of *diff.Change) bool {
	return it.Inserted() && of.Inserted() && it.After["pipelineId"] == of.After["id"] ||
		it.Deleted() && of.Deleted() && it.Before["pipelineId"] == of.Before["id"]
}

// namesOfRecords holds the properties by which people identify records.
var namesOfRecords = map[Type][]string{Contacts: {"email", additionalEmails}, Companies: {"domain", "name"}, Deals: {"dealname"}, Tickets: {"subject"}}

// findRecords returns the ids of the records with an id or a name. Without sort,
// text begins with the name of a type and a slash.
func findRecords(tx *store.Tx, sort, text string) ([]any, error) {
	t, err := ParseType(sort)
	if kind, name, ok := strings.Cut(text, "/"); ok && (err != nil || strings.EqualFold(kind, t.String())) {
		if named, bad := ParseType(kind); bad == nil {
			t, text, err = named, name, nil
		}
	}
	if err != nil {
		t = 0
	}
	found, err := recordsOfID(tx, t, text)
	if err != nil || len(found) > 0 || t == 0 {
		return found, err
	}
	for _, name := range namesOfRecords[t] {
		p := standardTypes()[t].standard[name]
		if p == nil {
			continue
		}
		for _, key := range p.Keys(text) {
			more, err := recordsOfValue(tx, t, p.Number, key)
			if err != nil {
				return nil, err
			}
			found = append(found, more...)
		}
		if len(found) > 0 {
			break
		}
	}
	return slices.Compact(found), nil
}
