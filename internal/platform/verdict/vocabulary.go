package verdict

import (
	"encoding/json"
	"slices"
	"strings"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/record"
)

// plainField is the field with the readable text of a thing.
const plainField = "plain"

// Vocabulary is the entities and operations that documents can name.
type Vocabulary struct {
	entities   []diff.Entity
	operations record.Operations
	kinds      []*kind // in the order of their names
	byName     map[string]*kind
}

// kind is a sort of thing of a service.
type kind struct {
	service, sort string
	entity        *diff.Entity
	list          []diff.Field
	fields        map[string]diff.Field
}

func (k *kind) name() string { return k.service + "." + k.sort }

// causeName returns the entity of the changes that cause a consequence, with its
// service.
func (k *kind) causeName(c diff.Consequence) string {
	if strings.Contains(c.Of, ".") {
		return c.Of
	}
	return k.service + "." + c.Of
}

// causes returns the kinds whose changes may cause a consequence; none if the
// service has no such entity.
func (v *Vocabulary) causes(k *kind, c diff.Consequence) []*kind { return v.sorts(k.causeName(c)) }

// NewVocabulary returns the vocabulary of entities and operations; entities
// without a service exist for each of the services.
func NewVocabulary(entities []diff.Entity, operations record.Operations, services []string) *Vocabulary {
	v := &Vocabulary{entities: entities, operations: operations, byName: map[string]*kind{}}
	for i := range entities {
		e := &entities[i]
		of := []string{e.Service}
		if e.Service == "" {
			of = services
		}
		for _, service := range of {
			for _, sort := range e.Names() {
				v.add(&kind{service: service, sort: sort, entity: e})
			}
		}
	}
	slices.SortFunc(v.kinds, func(a, b *kind) int { return strings.Compare(a.name(), b.name()) })
	return v
}

func (v *Vocabulary) add(k *kind) {
	k.list, k.fields = k.entity.Fields(k.sort), map[string]diff.Field{}
	if k.entity.Plain != nil {
		k.list = append(k.list, diff.Field{Name: plainField, Type: "text", Derived: true})
		slices.SortFunc(k.list, func(a, b diff.Field) int { return strings.Compare(a.Name, b.Name) })
	}
	for _, f := range k.list {
		k.fields[f.Name] = f
	}
	v.kinds = append(v.kinds, k)
	v.byName[k.name()] = k
}

// field returns the declared field of a name: the name itself, or its beginning
// if the field is an object, whose members follow after dots.
func (k *kind) field(name string) (f diff.Field, path []string, ok bool) {
	if f, ok = k.fields[name]; ok {
		return f, nil, true
	}
	for at := len(name); ; {
		if at = strings.LastIndexByte(name[:at], '.'); at < 0 {
			return f, nil, false
		}
		if f, ok = k.fields[name[:at]]; ok && (f.Type == "any" || f.Type == "list") {
			return f, strings.Split(name[at+1:], "."), true
		}
	}
}

// derived reports whether a field is derived from other writes. Members of an
// object are declared with the object.
func (k *kind) derived(name string) bool {
	if f, _, ok := k.field(name); ok {
		return f.Derived
	}
	return k.entity.IsDerived != nil && k.entity.IsDerived(name)
}

// MarshalJSON returns the vocabulary in its API form.
func (v *Vocabulary) MarshalJSON() ([]byte, error) {
	type field struct {
		Name    string `json:"name"`
		Type    string `json:"type"`
		Refers  string `json:"refers_to,omitempty"`
		Derived bool   `json:"derived,omitempty"`
	}
	type consequence struct {
		Of   string `json:"of"`
		When string `json:"when"`
	}
	type entity struct {
		Name         string        `json:"name"`
		Key          string        `json:"key"`
		Fields       []field       `json:"fields"`
		Open         bool          `json:"more_fields,omitempty"`
		Consequences []consequence `json:"consequences"`
	}
	out := []entity{}
	for _, k := range v.kinds {
		e := entity{Name: k.name(), Key: k.entity.KeyName(), Fields: []field{}, Open: k.entity.HasField != nil, Consequences: []consequence{}}
		for _, f := range k.list {
			e.Fields = append(e.Fields, field{f.Name, f.Type, f.Refers, f.Derived})
		}
		for _, c := range k.entity.Consequences {
			if len(v.causes(k, c)) > 0 {
				e.Consequences = append(e.Consequences, consequence{k.causeName(c), c.When})
			}
		}
		out = append(out, e)
	}
	return json.Marshal(map[string]any{"entities": out, "operations": v.operations})
}
