package diff

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"understudy/internal/platform/page"
	"understudy/internal/platform/store"
)

// maxBytes is the size of changes at which a page ends. One more row may be a
// block of many things, several times as large when unpacked; the reply still
// stays below budget.MaxReply.
const maxBytes = 8 << 20

// Options select the changes.
type Options struct {
	Cursor string // where the last page ended; "" for the beginning
	Limit  int    // the most things
	Bytes  int    // the approximate size of changes at which reading ends; 0 for that of a page
	Whole  bool   // updates contain all fields, not only the changed ones
	Cause  bool   // for the caller that opens the reading: changes name their causes

	Service string // only changes of this service; "" for all
	Entity  string // only changes of this entity; "" for all
	Key     string // only changes of things with this key; "" for all
}

// Changes are the changes of things, each list in the order of service, entity
// and key.
type Changes struct {
	Inserts, Updates, Deletes []Change
	Next                      string // the cursor of the next page, "" on the last
	Size                      int    // approximate size in a reply, in bytes
}

// Compare returns the changes between two states of an environment, given as its
// worlds by name ("" for the main one, nil for an empty world). It reads each
// world in one snapshot, while writes continue. It returns page.BadCursor and,
// when the changes need too much memory, budget.Exhausted.
func Compare(ctx context.Context, entities []Entity, from, to map[string]*store.World, o Options) (found *Changes, err error) {
	err = Read(ctx, entities, from, to, nil, func(r *Reading) error {
		found, err = r.Compare(o)
		return err
	})
	return found, err
}

// Compare returns the changes between the two states, with causes if the reading
// has Origins. It returns the errors of the function Compare.
func (r *Reading) Compare(o Options) (*Changes, error) {
	at, err := decodePlace(o.Cursor, r.entities)
	if err != nil {
		return nil, err
	}
	o.Bytes = cmp.Or(o.Bytes, maxBytes)
	c := &comparison{Reading: r, options: o, found: map[name]*pair{}}
	if err := c.walkAll(at); err != nil {
		return nil, err
	}
	out, err := c.changes()
	if err != nil {
		return nil, err
	}
	out.Size = c.bytes
	if c.last != nil {
		out.Next = encodePlace(r.entities[c.next].Table, c.last)
	}
	return out, nil
}

// walkAll compares the tables from a place on until the page is full.
func (c *comparison) walkAll(at place) error {
	for i := at.entity; i < len(c.entities); i++ {
		if !c.options.wants(&c.entities[i]) {
			continue
		}
		stopped, err := c.walk(&c.entities[i], at.after)
		if err != nil || stopped {
			c.next = i
			return err
		}
		at.after = nil
	}
	return nil
}

// name identifies a thing.
type name struct{ service, entity, key string }

// pair is a thing in both states; nil where it does not exist.
type pair struct {
	before, after map[string]any
	entity        *Entity
	numbers       [2]int64 // of its rows, if causes are requested
	has           [2]bool  // whether there is a row, even one that counts as deleted
	owner         []any    // the values of the columns in History.Of
}

type comparison struct {
	*Reading
	options Options
	found   map[name]*pair
	bytes   int

	next int   // the entity at which the comparison stopped
	last []any // the key at which it stopped
}

// put adds a thing of one state.
func (c *comparison) put(e *Entity, r Record, after bool) {
	if c.options.Service != "" && r.Service != c.options.Service || c.options.Entity != "" && r.Entity != c.options.Entity ||
		c.options.Key != "" && r.Key != c.options.Key {
		return
	}
	c.bytes += sizeOf(r)
	n := name{r.Service, r.Entity, r.Key}
	p := c.found[n]
	if p == nil {
		p = &pair{entity: e}
		c.found[n] = p
	}
	p.owner = r.owner
	if after {
		p.after, p.numbers[1], p.has[1] = r.Fields, r.Number, true
	} else {
		p.before, p.numbers[0], p.has[0] = r.Fields, r.Number, true
	}
}

// changes returns the sorted changes. A thing in both states, even in rows with
// different keys, counts as the same.
func (c *comparison) changes() (*Changes, error) {
	out := &Changes{Inserts: []Change{}, Updates: []Change{}, Deletes: []Change{}}
	for n, p := range c.found {
		change := Change{Service: n.service, Entity: n.entity, Key: n.key, Before: p.before, After: p.after, Changed: []string{}, pair: p}
		switch {
		case p.before == nil:
			change.prune(p.entity, c.options.Whole)
			out.Inserts = append(out.Inserts, change)
		case p.after == nil:
			change.prune(p.entity, c.options.Whole)
			out.Deletes = append(out.Deletes, change)
		default:
			if change.narrow(p.entity, c.options.Whole) {
				out.Updates = append(out.Updates, change)
			}
		}
	}
	for _, list := range [][]Change{out.Inserts, out.Updates, out.Deletes} {
		slices.SortFunc(list, func(a, b Change) int {
			if d := strings.Compare(a.Service, b.Service); d != 0 {
				return d
			}
			if d := strings.Compare(a.Entity, b.Entity); d != 0 {
				return d
			}
			return strings.Compare(a.Key, b.Key)
		})
	}
	if c.origins == nil {
		return out, nil
	}
	var all []*Change
	for _, list := range [][]Change{out.Inserts, out.Updates, out.Deletes} {
		for i := range list {
			all = append(all, &list[i])
		}
	}
	return out, c.explain(all)
}

// prune removes the fields that only whole things have, unless whole is set.
func (ch *Change) prune(e *Entity, whole bool) {
	if e.Follows == nil || whole {
		return
	}
	for _, fields := range []map[string]any{ch.Before, ch.After} {
		maps.DeleteFunc(fields, func(f string, _ any) bool { return e.Follows(f) })
	}
}

// narrow finds the differing fields, removes all others unless whole is set, and
// reports whether there are any. A field that is missing on one side is null
// there.
func (ch *Change) narrow(e *Entity, whole bool) bool {
	before, after := map[string]any{}, map[string]any{}
	for f := range ch.Before {
		if _, ok := ch.After[f]; !ok {
			ch.After[f] = nil
		}
	}
	for f, v := range ch.After {
		if old := ch.Before[f]; !same(old, v) && (e.Follows == nil || !e.Follows(f)) {
			before[f], after[f] = old, v
			ch.Changed = append(ch.Changed, f)
		}
	}
	slices.Sort(ch.Changed)
	if !whole {
		ch.Before, ch.After = before, after
	}
	return len(ch.Changed) > 0
}

// same compares two values in their JSON form.
func same(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// place is the end of a page.
type place struct {
	entity int
	after  []any
}

func encodePlace(table string, key []any) string {
	text, err := json.Marshal(append([]any{table}, key...))
	if err != nil {
		panic(err) // texts and integers always encode
	}
	return page.Encode("diff", string(text))
}

func decodePlace(cursor string, entities []Entity) (p place, err error) {
	text, err := page.Decode("diff", cursor)
	if err != nil || text == "" {
		return p, err
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var list []any
	if d.Decode(&list) != nil || len(list) < 2 {
		return p, page.BadCursor
	}
	for i, v := range list[1:] {
		if n, ok := v.(json.Number); ok {
			if list[i+1], err = n.Int64(); err != nil {
				return p, page.BadCursor
			}
		}
	}
	p.after = list[1:]
	p.entity = slices.IndexFunc(entities, func(e Entity) bool { return e.Table == list[0] && len(e.Key) == len(p.after) })
	if p.entity < 0 {
		return p, page.BadCursor
	}
	return p, nil
}
