package crm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/fault"
)

// changes are the values that a caller sets, in normal form; "" clears a value.
type changes struct {
	values  map[string]string
	created int64 // microseconds, 0 unless the caller set createdate
}

// check validates the values that a caller sets, given the record's current ones,
// and returns their normal form. It returns InvalidProperties with all problems.
func (d *Definitions) check(t Type, set map[string]string, current Bag, creating bool) (changes, error) {
	out := changes{values: make(map[string]string, len(set))}
	var problems ValidationProblems
	for name, v := range set {
		p := d.Property(t, name)
		switch {
		case p == nil:
			problems = append(problems, Problem{Property: name, Code: "PROPERTY_DOESNT_EXIST", Message: fmt.Sprintf("Property %q does not exist", name)})
			continue
		case p.ReadOnly() || p.Name == "createdate" && !creating:
			problems = append(problems, Problem{Property: name, Code: "READ_ONLY_VALUE", Message: fmt.Sprintf("%q is a read only property; its value cannot be set.", name)})
			continue
		case v == "":
			if p.Column() == "" {
				out.values[name] = ""
			}
			continue
		}
		var had string
		if strings.HasPrefix(v, ";") {
			had = current.Get(name)
		}
		normal, problem := d.normal(p, v, had)
		if problem != nil {
			problems = append(problems, *problem)
			continue
		}
		if p.Name == "createdate" {
			at, _ := schema.ParseTime(normal)
			out.created = at.UnixMicro()
			continue
		}
		out.values[name] = normal
	}
	if len(problems) == 0 && t.HasPipelines() {
		problems = d.checkStage(t, out.values, current, creating)
	}
	if len(problems) > 0 {
		return out, d.problemFault(problems)
	}
	if creating {
		return out, checkRequired(t, out.values)
	}
	return out, nil
}

// RequiredField is the code of a problem with a missing value.
const RequiredField = "REQUIRED_FIELD"

// required lists the properties that a new record must have.
var required = map[Type][]string{Deals: {"dealname"}, Tickets: {"subject"}}

func checkRequired(t Type, values map[string]string) error {
	var problems ValidationProblems
	for _, name := range required[t] {
		if values[name] == "" {
			problems = append(problems, Problem{Property: name, Code: RequiredField, Message: name + " is required."})
		}
	}
	if problems == nil {
		return nil
	}
	return InvalidProperties.Detailf("Error creating %s. Some required properties were not set.", strings.ToUpper(t.Singular())).With(problems)
}

// checkStage checks that a stage belongs to its record's pipeline. A new record
// without a pipeline gets the first.
func (d *Definitions) checkStage(t Type, set map[string]string, current Bag, creating bool) ValidationProblems {
	pipelineName, stageName := t.StageNames()
	pipeline, pipelineSet := set[pipelineName]
	stage, stageSet := set[stageName]
	if !creating && !pipelineSet && !stageSet {
		return nil
	}
	if !pipelineSet && !creating {
		pipeline = current.Get(pipelineName)
	}
	if !stageSet && !creating {
		stage = current.Get(stageName)
	}
	td := d.types[t]
	if pipeline == "" && stage != "" && len(td.pipelines) > 0 {
		pipeline = td.pipelines[0].ID
		set[pipelineName] = pipeline
	}
	if pipeline == "" || stage == "" {
		return nil
	}
	if s := td.stages[stage]; s != nil && s.Pipeline == pipeline {
		return nil
	}
	var valid []string
	for _, pl := range td.pipelines {
		if pl.ID == pipeline {
			for _, s := range pl.Stages {
				valid = append(valid, s.ID)
			}
		}
	}
	return ValidationProblems{{Property: stageName, Code: "INVALID_OPTION", Message: fmt.Sprintf(
		"%s is not a valid pipeline stage ID. Valid options are: pipelineId=%s : [%s]", stage, pipeline, strings.Join(valid, ", "))}}
}

// problemFault formats problems as one message, in the form that clients parse.
func (d *Definitions) problemFault(problems ValidationProblems) *fault.Error {
	slices.SortFunc(problems, func(a, b Problem) int { return strings.Compare(a.Property, b.Property) })
	type entry struct {
		IsValid          bool   `json:"isValid"`
		Message          string `json:"message"`
		Error            string `json:"error"`
		Name             string `json:"name"`
		LocalizedMessage string `json:"localizedErrorMessage"`
		PortalID         int64  `json:"portalId"`
	}
	entries := make([]entry, len(problems))
	for i, p := range problems {
		entries[i] = entry{false, p.Message, p.Code, p.Property, p.Message, d.Portal.ID}
	}
	text, _ := json.Marshal(entries)
	return InvalidProperties.Detailf("Property values were not valid: %s", text).With(problems)
}

// index returns the rows of the value table for a record's values.
func (d *Definitions) index(t Type, values map[string]string, record int64, out []valueRow) []valueRow {
	for name, v := range values {
		p := d.types[t].property(name)
		switch {
		case p == nil || v == "":
		case p.Many():
			for _, k := range p.Keys(v) {
				out = append(out, valueRow{p.Number, k, record})
			}
		default:
			out = append(out, valueRow{p.Number, p.Key(v), record})
		}
	}
	return out
}

// valueRow is a row of the value table.
type valueRow struct {
	property int64
	key      string
	record   int64
}

func compareRows(a, b valueRow) int {
	if a.property != b.property {
		return int(a.property - b.property)
	}
	if n := strings.Compare(a.key, b.key); n != 0 {
		return n
	}
	return int(a.record - b.record)
}

// unique returns the values of unique properties that a caller sets.
func (d *Definitions) unique(t Type, values map[string]string) (out []uniqueValue) {
	for name, v := range values {
		if p := d.types[t].property(name); p != nil && p.HasUniqueValue && v != "" {
			out = append(out, uniqueValue{p, p.Key(v), v})
		}
	}
	slices.SortFunc(out, func(a, b uniqueValue) int { return int(a.property.Number - b.property.Number) }) // the first conflict is the one reported
	return out
}

type uniqueValue struct {
	property *Property
	key      string
	value    string
}

// taken returns the error for a value that another record has.
func (u uniqueValue) taken(d *Definitions, record, other int64, creating bool) *fault.Error {
	if creating && u.property.Name == "email" && u.property.Object == Contacts {
		return ContactExists.Detailf("Contact already exists. Existing ID: %d", other)
	}
	return ValueTaken.Detailf("Cannot set PropertyValueCoordinates{portalId=%d, objectTypeId=ObjectTypeId{legacyObjectType=%s}, propertyName=%s, value=%s} on %d. %d already has that value.",
		d.Portal.ID, strings.ToUpper(u.property.Object.Singular()), u.property.Name, u.value, record, other)
}
