package crm

import (
	"understudy/internal/crm/seed"
	"understudy/internal/platform/seeddoc"
)

// usualField is the default field type of a property, by its type.
var usualField = map[string]string{"string": "text", "number": "number", "bool": "booleancheckbox", "enumeration": "select",
	"date": "date", "datetime": "date", "phone_number": "phonenumber"}

func (w *seeder) seedProperties() error {
	for _, of := range []struct {
		t    Type
		list seeddoc.Named[seed.Property]
	}{{Companies, w.doc.Properties.Companies}, {Contacts, w.doc.Properties.Contacts},
		{Deals, w.doc.Properties.Deals}, {Tickets, w.doc.Properties.Tickets}} {
		for _, e := range of.list {
			in := e.Value
			p := Property{Name: e.Name, Label: in.Label, Type: in.Type, FieldType: in.FieldType, GroupName: in.Group,
				Description: in.Description, HasUniqueValue: in.Unique, Options: []Option{}}
			if p.Label == "" {
				p.Label = p.Name
			}
			if p.Type == "" {
				p.Type = "string"
			}
			if p.FieldType == "" {
				p.FieldType = usualField[p.Type]
			}
			if p.GroupName == "" {
				p.GroupName = w.d.types[of.t].groups[0].Name
			}
			for i, o := range in.Options {
				if o.Label == "" {
					o.Label = o.Value
				}
				p.Options = append(p.Options, Option{Label: o.Label, Value: o.Value, DisplayOrder: i})
			}
			if _, err := w.c.createProperty(w.tx, w.d, of.t, userOf(w.p), p); err != nil {
				return e.Blame(err)
			}
		}
	}
	return nil
}

func (w *seeder) seedPipelines() error {
	for _, of := range []struct {
		t    Type
		list seeddoc.Named[seed.Pipeline]
	}{{Deals, w.doc.Pipelines.Deals}, {Tickets, w.doc.Pipelines.Tickets}} {
		for _, e := range of.list {
			in := NewPipeline{ID: e.Name, Label: e.Value.Label, DisplayOrder: len(w.d.Pipelines(of.t))}
			if in.Label == "" {
				in.Label = e.Name
			}
			for i, s := range e.Value.Stages {
				in.Stages = append(in.Stages, stageOf(of.t, i, s))
			}
			made, err := w.c.createPipeline(w.tx, w.p, w.d, of.t, in)
			if err != nil {
				return e.Blame(err)
			}
			td := w.d.types[of.t]
			td.pipelines = append(td.pipelines, made)
		}
	}
	return nil
}

func stageOf(t Type, order int, e seeddoc.Entry[seed.Stage]) NewStage {
	s := NewStage{ID: e.Name, Label: e.Value.Label, DisplayOrder: order, Metadata: map[string]string{}}
	if s.Label == "" {
		s.Label = e.Name
	}
	if t == Deals {
		s.Metadata["probability"] = "0.5"
		if e.Value.Probability != "" {
			s.Metadata["probability"] = string(e.Value.Probability)
		}
	} else if e.Value.State != "" {
		s.Metadata["ticketState"] = e.Value.State
	}
	return s
}
