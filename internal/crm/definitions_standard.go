package crm

import (
	"embed"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"understudy/internal/crm/schema"
)

//go:embed defaults/*.json
var defaults embed.FS

// standardDefinitions are the definitions of a new portal, each by the name of an
// object type.
type standardDefinitions struct {
	Returned   map[string][]string    `json:"returned"`
	Searchable map[string][]string    `json:"searchable"`
	Groups     map[string][]Group     `json:"groups"`
	Pipelines  map[string][]*Pipeline `json:"pipelines"`
	Properties map[string][]*Property `json:"properties"`
}

// standard returns the standard definitions. They are parsed on the first call
// and immutable.
var standard = sync.OnceValue(func() (s standardDefinitions) {
	text, err := defaults.ReadFile("defaults/definitions.json")
	if err != nil {
		panic(err)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		panic(err)
	}
	for name, list := range s.Properties {
		t := schema.TypesByName[name]
		for i, p := range list {
			// The number identifies the property in the value table for ever: append new
			// standard properties to their list.
			p.Object, p.Number = t, int64(t)*1000+int64(i)
			if p.Options == nil {
				p.Options = []Option{}
			}
		}
	}
	for _, list := range s.Pipelines {
		for _, p := range list {
			for _, stage := range p.Stages {
				stage.Pipeline = p.ID
			}
		}
	}
	return s
})

// standardTypes returns the definitions that all unchanged portals share. Their
// times are 0, since the portals differ in age.
var standardTypes = sync.OnceValue(func() (out [Tickets + 1]*typeDefinitions) {
	standard := standard()
	for _, t := range Types {
		td := &typeDefinitions{standard: map[string]*Property{}, properties: standard.Properties[t.String()], groups: standard.Groups[t.String()]}
		for _, p := range td.properties {
			td.standard[p.Name] = p
		}
		for _, name := range standard.Searchable[t.String()] {
			td.searchable = append(td.searchable, td.standard[name])
		}
		td = td.arrange(t, nil, nil, standard.Pipelines[t.String()])
		maps.Copy(td.standard, td.own) // the options that depend on the pipelines
		td.own, td.shared = nil, true
		out[t] = td
	}
	return out
})

// isStandard reports whether a portal created at made has the standard
// definitions of a type.
func (s *storedDefinitions) isStandard(t Type, made int64) bool {
	return len(s.properties[t]) == 0 && len(s.groups[t]) == 0 &&
		slices.EqualFunc(s.pipelines[t], standardTypes()[t].pipelines, func(p, o *Pipeline) bool { return p.isStandard(o, made) })
}

func (p *Pipeline) isStandard(o *Pipeline, made int64) bool {
	return p.ID == o.ID && p.Label == o.Label && p.DisplayOrder == o.DisplayOrder && p.CreatedAt == made && p.UpdatedAt == made &&
		slices.EqualFunc(p.Stages, o.Stages, func(s, o *Stage) bool { return s.isStandard(o, made) })
}

func (s *Stage) isStandard(o *Stage, made int64) bool {
	return s.ID == o.ID && s.Pipeline == o.Pipeline && s.Label == o.Label && s.DisplayOrder == o.DisplayOrder &&
		s.CreatedAt == made && s.UpdatedAt == made && maps.Equal(s.Metadata, o.Metadata)
}

// dated returns a copy of a property with its times.
func (d *Definitions) dated(p *Property) *Property {
	if p.CreatedAt != 0 {
		return p
	}
	out := *p
	out.CreatedAt, out.UpdatedAt = d.Portal.Created, d.Portal.Created
	return &out
}

// datedPipeline returns a copy of a pipeline, and of its stages, with their
// times.
func (d *Definitions) datedPipeline(t Type, p *Pipeline) *Pipeline {
	if !d.types[t].shared {
		return p
	}
	return p.at(d.Portal.Created)
}

// at returns a copy of a pipeline, and of its stages, created at made.
func (p *Pipeline) at(made int64) *Pipeline {
	out := *p
	out.CreatedAt, out.UpdatedAt = made, made
	out.Stages = make([]*Stage, len(p.Stages))
	for i, s := range p.Stages {
		out.Stages[i] = s.at(made)
	}
	return &out
}

func (s *Stage) at(made int64) *Stage {
	out := *s
	out.CreatedAt, out.UpdatedAt = made, made
	return &out
}

func (d *Definitions) datedStage(t Type, s *Stage) *Stage {
	if !d.types[t].shared {
		return s
	}
	return s.at(d.Portal.Created)
}
