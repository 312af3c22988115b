package ingest

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"understudy/internal/platform/budget"
	db "understudy/internal/platform/store"
)

// Facet is the values of a field or trait among events, by the number of events.
type Facet struct {
	Name   string
	Values []TraitValue
	More   bool // there are more values
}

// FacetQuery selects facets: those in Only unless it is empty, and only values that
// contain one of some texts. Limit bounds the values of each.
type FacetQuery struct {
	Filter
	Only, Containing []string
	Limit            int
}

const traitFacet = "trait."

// wants reports whether a facet is selected.
func (q *FacetQuery) wants(name string) bool {
	return len(q.Only) == 0 || slices.Contains(q.Only, name)
}

// wantsTraits reports whether any trait is selected.
func (q *FacetQuery) wantsTraits() bool {
	return len(q.Only) == 0 || slices.ContainsFunc(q.Only, func(name string) bool { return strings.HasPrefix(name, traitFacet) })
}

// shows reports whether a value is selected.
func (q *FacetQuery) shows(value string) bool {
	return len(q.Containing) == 0 || slices.ContainsFunc(q.Containing, func(text string) bool {
		return strings.Contains(strings.ToLower(value), strings.ToLower(text))
	})
}

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
		if !q.wants(d.name) {
			continue
		}
		groups, err := in.sum(ctx, project, q.Filter, Sum{By: d.by, Kind: d.kind})
		if err != nil {
			return nil, err
		}
		out = q.add(out, d.name, countsOf(groups))
	}
	if q.wants("client_config") {
		clients, err := in.clientCounts(ctx, project, q.Filter)
		if err != nil {
			return nil, err
		}
		out = q.add(out, "client_config", clients)
	}
	if !q.wants("user_id") && !q.wantsTraits() {
		return out, nil
	}
	groups, err := in.sum(ctx, project, q.Filter, Sum{By: ByUser})
	if err != nil {
		return nil, err
	}
	users := countsOf(groups)
	if q.wants("user_id") {
		out = q.add(out, "user_id", users)
	}
	if !q.wantsTraits() {
		return out, nil
	}
	traits, err := traitFacets(ctx, in, project, &q, users)
	return append(out, traits...), err
}

// traitFacets returns the facets of traits. users are the numbers of events by user.
func traitFacets(ctx context.Context, in *Ingest, project string, q *FacetQuery, users map[string]int64) (out []Facet, err error) {
	c := traitCounts{limit: q.Limit, page: budget.NewPage(ctx)}
	err = in.d.Events.Read(ctx, func(tx *db.Tx) error {
		return eachTrait(tx, project, "", func(name, value, user string) error {
			if users[user] == 0 || !q.wants(traitFacet+name) || !q.shows(value) {
				return nil
			}
			if len(c.done) == maxTraitFacets {
				return db.Stop()
			}
			if c.bytes > manyFacetBytes {
				c.limit = min(c.limit, fewFacetValues)
			}
			return c.add(name, value, users[user])
		})
	})
	for _, t := range c.end() {
		out = append(out, Facet{Name: traitFacet + t.Name, Values: t.Values, More: t.More})
	}
	slices.SortFunc(out, func(a, b Facet) int { return cmp.Compare(a.Name, b.Name) })
	return out[:min(len(out), maxTraitFacets)], err
}

const (
	// maxTraitFacets bounds the traits among the facets of one reply.
	maxTraitFacets = 200
	// fewFacetValues bounds the values of a trait after those of others that take
	// manyFacetBytes.
	fewFacetValues = 50
	manyFacetBytes = budget.PageBytes / 3
)

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
		if q.shows(value) {
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
