package ingest

import (
	"cmp"
	"context"
	"slices"
	"strings"

	db "understudy/internal/platform/store"
)

// Facet is the values of a field or trait among events, by the number of events.
type Facet struct {
	Name   string
	Values []TraitValue
	More   bool // there are more values
}

// FacetQuery selects facets: of one name if it is set, and only values that
// contain a text. Limit bounds the values of each.
type FacetQuery struct {
	Filter
	Name, Contains string
	Limit          int
}

const traitFacet = "trait."

// Facets returns the values by which the events of a filter can be narrowed
// further: fields of the events, clients of their sessions, and traits of their
// users.
func (in *Ingest) Facets(ctx context.Context, project string, q FacetQuery) (out []Facet, err error) {
	for _, d := range []struct {
		name string
		by   Dimension
		kind Kind
	}{{"tool", ByName, Calls}, {"agent", ByName, Turns}, {"type", ByType, Everything}, {"model", ByModel, Everything},
		{"customer_id", ByCustomer, Everything}, {"success", BySuccess, Everything}} {
		if q.Name != "" && q.Name != d.name {
			continue
		}
		groups, err := in.sum(ctx, project, q.Filter, Sum{By: d.by, Kind: d.kind})
		if err != nil {
			return nil, err
		}
		out = q.add(out, d.name, countsOf(groups))
	}
	if q.Name == "" || q.Name == "client_config" {
		clients, err := in.clientCounts(ctx, project, q.Filter)
		if err != nil {
			return nil, err
		}
		out = q.add(out, "client_config", clients)
	}
	trait, ofTrait := strings.CutPrefix(q.Name, traitFacet)
	if q.Name != "" && q.Name != "user_id" && !ofTrait {
		return out, nil
	}
	groups, err := in.sum(ctx, project, q.Filter, Sum{By: ByUser})
	if err != nil {
		return nil, err
	}
	users := countsOf(groups)
	if !ofTrait {
		out = q.add(out, "user_id", users)
	}
	if q.Name == "user_id" {
		return out, nil
	}
	traits := map[string]map[string]int64{}
	err = in.d.Events.Read(ctx, func(tx *db.Tx) error {
		return eachTrait(tx, project, func(name, value, user string) {
			if n := users[user]; n > 0 && (!ofTrait || name == trait) {
				if traits[name] == nil {
					traits[name] = map[string]int64{}
				}
				traits[name][value] += n
			}
		})
	})
	names := make([]string, 0, len(traits))
	for name := range traits {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names[:min(len(names), maxTraitFacets)] {
		out = q.add(out, traitFacet+name, traits[name])
	}
	return out, err
}

// maxTraitFacets bounds the traits among the facets of one reply.
const maxTraitFacets = 200

func countsOf(groups []Group) map[string]int64 {
	out := map[string]int64{}
	for i := range groups {
		if groups[i].Key != "" {
			out[groups[i].Key] += groups[i].Events
		}
	}
	return out
}

// clientCounts counts events by their sessions' clients.
func (in *Ingest) clientCounts(ctx context.Context, project string, f Filter) (map[string]int64, error) {
	groups, err := in.sum(ctx, project, f, Sum{By: BySession})
	if err != nil {
		return nil, err
	}
	sessions, out := countsOf(groups), map[string]int64{}
	return out, in.d.Events.Read(ctx, func(tx *db.Tx) error {
		return eachClient(tx, project, func(session, client string) {
			if n := sessions[session]; n > 0 {
				out[client] += n
			}
		})
	})
}

// add adds a facet unless it has no values, the most frequent ones first.
func (q *FacetQuery) add(out []Facet, name string, counts map[string]int64) []Facet {
	f := Facet{Name: name}
	for value, n := range counts {
		if q.Contains == "" || strings.Contains(strings.ToLower(value), strings.ToLower(q.Contains)) {
			f.Values = append(f.Values, TraitValue{value, n})
		}
	}
	if len(f.Values) == 0 {
		return out
	}
	slices.SortFunc(f.Values, func(a, b TraitValue) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value)) })
	f.More = len(f.Values) > q.Limit
	f.Values = f.Values[:min(len(f.Values), q.Limit)]
	return append(out, f)
}
