// Package seed defines the CRM's part of a seed document. It contains no rules:
// the service that applies the document checks it.
package seed

import "understudy/internal/platform/seeddoc"

// Document is the CRM's part of a seed document.
type Document struct {
	seeddoc.Pos
	Owners       seeddoc.Named[Owner]  `seed:"owners" doc:"Users who own records. One whose e-mail address is there already is used as it is."`
	Properties   Properties            `seed:"properties" doc:"Custom properties, by object type and name."`
	Pipelines    Pipelines             `seed:"pipelines" doc:"Further pipelines, by object type; the document's own names are their ids."`
	Companies    seeddoc.Named[Record] `seed:"companies"`
	Contacts     seeddoc.Named[Record] `seed:"contacts"`
	Deals        seeddoc.Named[Record] `seed:"deals"`
	Tickets      seeddoc.Named[Record] `seed:"tickets"`
	Associations []Association         `seed:"associations"`
}

// Owner is a user of the portal, who is also an owner.
type Owner struct {
	seeddoc.Pos
	Email     string       `seed:"email,required"`
	FirstName string       `seed:"first_name"`
	LastName  string       `seed:"last_name"`
	Created   seeddoc.Time `seed:"created,past"`
}

// Properties are custom properties of each object type.
type Properties struct {
	Companies seeddoc.Named[Property] `seed:"companies"`
	Contacts  seeddoc.Named[Property] `seed:"contacts"`
	Deals     seeddoc.Named[Property] `seed:"deals"`
	Tickets   seeddoc.Named[Property] `seed:"tickets"`
}

// Property is the definition of a property.
type Property struct {
	seeddoc.Pos
	Label       string   `seed:"label" doc:"The name when left out."`
	Type        string   `seed:"type" enum:"string,number,bool,enumeration,date,datetime,phone_number" doc:"string when left out."`
	FieldType   string   `seed:"field_type" doc:"The first that fits the type when left out: text, number, booleancheckbox, select, date."`
	Group       string   `seed:"group" doc:"The first group of the object type when left out."`
	Description string   `seed:"description"`
	Options     []Option `seed:"options"`
	Unique      bool     `seed:"unique"`
}

// Option is a value that an enumeration allows.
type Option struct {
	seeddoc.Pos
	Value string `seed:"value,required"`
	Label string `seed:"label" doc:"The value when left out."`
}

// Pipelines are the pipelines of each object type that can have some.
type Pipelines struct {
	Deals   seeddoc.Named[Pipeline] `seed:"deals"`
	Tickets seeddoc.Named[Pipeline] `seed:"tickets"`
}

// Pipeline is a sequence of stages.
type Pipeline struct {
	seeddoc.Pos
	Label  string               `seed:"label" doc:"The name when left out."`
	Stages seeddoc.Named[Stage] `seed:"stages,required" doc:"In order; the document's own names are their ids."`
}

// Stage is a step of a pipeline.
type Stage struct {
	seeddoc.Pos
	Label       string       `seed:"label" doc:"The name when left out."`
	Probability seeddoc.Text `seed:"probability" doc:"Of a deal to be won, 0.0 to 1.0; 0.5 when left out."`
	State       string       `seed:"state" enum:"OPEN,CLOSED" doc:"Of tickets; OPEN when left out."`
}

// Record is a company, contact, deal or ticket.
type Record struct {
	seeddoc.Pos
	Properties     seeddoc.Named[seeddoc.Text] `seed:"properties" doc:"By the names of the wire. Dates may be relative, such as -3d."`
	Owner          seeddoc.Ref                 `seed:"owner" doc:"An owner of the document, or the e-mail address or owner id of one that is there."`
	Created        seeddoc.Time                `seed:"created,past"`
	PrimaryCompany seeddoc.Ref                 `seed:"primary_company"`
	Associated     []seeddoc.Ref               `seed:"associated" doc:"Records such as contacts/anna, linked without a label."`
}

// Association links two records.
type Association struct {
	seeddoc.Pos
	From seeddoc.Ref `seed:"from,required" doc:"A record such as contacts/anna; in the place of the document's name there may be an id."`
	To   seeddoc.Ref `seed:"to,required"`
	Type *int64      `seed:"type" doc:"The id of a standard association type; the unlabeled one when left out."`
}
