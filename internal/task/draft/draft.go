// Package draft generates the expectations of a task from what a solution did. It
// uses verdicts to find out which changes remain when the expectations so far are
// met, so that consequences need no expectations, and to read the names of
// things.
package draft

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"understudy/internal/task"
	"understudy/internal/task/plane"
)

// Draft is what a solution did, in the form of expectations.
type Draft struct {
	Expect []Expectation
	// Passes reports whether the solution's fork meets them.
	Passes bool
}

// Expectation is one line of expect in a task, generated from a change of a
// solution.
type Expectation struct {
	Verb   string // inserted, updated or deleted
	Entity string
	Where  map[string]any
	Change map[string]any // the new values of fields; only for updated
	As     string
}

// document returns the expectation in a verdict's form.
func (x *Expectation) document() map[string]any {
	out := map[string]any{x.Verb: x.Entity, "where": x.Where}
	if x.Change != nil {
		change := map[string]any{}
		for name, v := range x.Change {
			change[name] = map[string]any{"to": v}
		}
		out["change"] = change
	}
	if x.As != "" {
		out["as"] = x.As
	}
	return out
}

// drafter generates the expectations for one fork.
type drafter struct {
	plane       *plane.Client
	environment string
	bind        task.Bindings
	kinds       map[string]kind              // by entity
	changes     map[string]json.RawMessage   // by verb, entity and key: the record after the change, or before a deletion
	changed     map[string][]string          // fields of updates
	names       map[string]map[string]string // names by entity and id
	captures    map[string]string            // references for ids of new things
	out         Draft
}

// kind is the vocabulary's description of an entity.
type kind struct {
	Name   string  `json:"name"`
	Fields []field `json:"fields"`
}

type field struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Refers  string `json:"refers_to"`
	Derived bool   `json:"derived"`
}

// maxRounds bounds the number of verdicts.
const maxRounds = 50

// Of returns what the agent did in an environment.
func Of(ctx context.Context, p *plane.Client, environment string, bind task.Bindings) (*Draft, error) {
	d := &drafter{plane: p, environment: environment, bind: bind, kinds: map[string]kind{}, changes: map[string]json.RawMessage{}, changed: map[string][]string{},
		names: map[string]map[string]string{}, captures: map[string]string{}}
	if err := d.read(ctx); err != nil {
		return nil, err
	}
	for range maxRounds {
		v, err := d.verdict(ctx)
		if err != nil {
			return nil, err
		}
		left := v.Checks[len(v.Checks)-1].Evidence.Left
		if d.out.Passes = v.Verdict == "passed"; len(left) == 0 {
			return &d.out, nil
		}
		if err := d.add(ctx, left); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("the solution changed too much to be written as expectations")
}

// read reads the vocabulary and the changes, as whole records.
func (d *drafter) read(ctx context.Context) error {
	var words struct {
		Entities []kind `json:"entities"`
	}
	if err := d.plane.Do(ctx, http.MethodGet, "/entities", nil, &words); err != nil {
		return err
	}
	for _, k := range words.Entities {
		d.kinds[k.Name] = k
	}
	for cursor := ""; ; {
		var reply struct {
			plane.Diff
			Next string `json:"next_cursor"`
		}
		if err := d.plane.Do(ctx, http.MethodGet, plane.Of(d.environment, "/diff?fields=all&cause=false&cursor="+url.QueryEscape(cursor)), nil, &reply); err != nil {
			return err
		}
		for verb, list := range map[string][]plane.Change{"insert": reply.Inserts, "update": reply.Updates, "delete": reply.Deletes} {
			for _, c := range list {
				at := verb + " " + c.Service + "." + c.Entity + " " + c.Key
				if d.changes[at] = c.After; verb == "delete" {
					d.changes[at] = c.Before
				}
				d.changed[at] = c.Changed
			}
		}
		if cursor = reply.Next; cursor == "" {
			return nil
		}
	}
}

// verdict evaluates whether the expectations so far cover all that the agent did.
func (d *drafter) verdict(ctx context.Context) (*plane.Verdict, error) {
	expect := make([]any, len(d.out.Expect))
	for i := range d.out.Expect {
		expect[i] = d.out.Expect[i].document()
	}
	bind := map[string]any{}
	for name, reply := range d.bind {
		reply = maps.Clone(reply)
		delete(reply, "request_seq")
		bind[name] = reply
	}
	var v plane.Verdict
	err := d.plane.Do(ctx, http.MethodPost, plane.Of(d.environment, "/verdict"), map[string]any{"expect": expect, "bind": bind, "nothing_else": true}, &v)
	if err == nil && len(v.Checks) == 0 {
		err = errors.New("the verdict has no checks")
	}
	return &v, err
}

// add adds an expectation for each uncovered change.
func (d *drafter) add(ctx context.Context, left []plane.Thing) error {
	slices.SortStableFunc(left, func(a, b plane.Thing) int { return cmp.Compare(first(a), first(b)) }) // so that references follow what they refer to
	known := map[string][]string{}                                                                     // ids that need a name, by entity
	for _, one := range left {
		record, err := d.record(one)
		if err != nil {
			return err
		}
		for _, f := range d.kinds[one.Service+"."+one.Entity].Fields {
			if f.Refers != "" && !f.Derived {
				known[f.Refers] = append(known[f.Refers], idsIn(at(record, f.Name))...)
			}
		}
	}
	if err := d.learn(ctx, known); err != nil {
		return err
	}
	for _, one := range left {
		record, err := d.record(one)
		if err != nil {
			return err
		}
		d.out.Expect = append(d.out.Expect, d.expectation(one, record))
	}
	return nil
}

// first returns the number of the first request that wrote a change.
func first(t plane.Thing) int64 {
	seq := int64(math.MaxInt64)
	for _, c := range t.Cause {
		seq = min(seq, c.Seq)
	}
	return seq
}

func (d *drafter) record(one plane.Thing) (record map[string]any, err error) {
	text := d.changes[one.Op+" "+one.Service+"."+one.Entity+" "+one.Key]
	n := json.NewDecoder(bytes.NewReader(text))
	n.UseNumber()
	if err := n.Decode(&record); err != nil {
		return nil, fmt.Errorf("%s of %s.%s %s is not in the diff: %w", one.Op, one.Service, one.Entity, one.Key, err)
	}
	return record, nil
}

// expectation returns the expectation of a change.
func (d *drafter) expectation(one plane.Thing, record map[string]any) Expectation {
	x := Expectation{Verb: map[string]string{"insert": "inserted", "update": "updated", "delete": "deleted"}[one.Op], Entity: one.Service + "." + one.Entity, Where: map[string]any{}}
	k := d.kinds[x.Entity]
	said := d.said(k, record)
	switch x.Verb {
	case "inserted":
		x.Where = said
	default:
		for _, name := range naming { // fields by which a person would identify it
			if v, ok := said[name]; ok {
				x.Where[name] = v
			}
		}
		if v, ok := record["identifier"].(string); ok {
			x.Where["identifier"] = v
		}
		if len(x.Where) == 0 {
			x.Where["key"] = d.stand(one.Key)
		}
	}
	if x.Verb == "updated" {
		x.Change = map[string]any{}
		for _, name := range d.changed[one.Op+" "+x.Entity+" "+one.Key] {
			if f := k.field(name); f.Derived {
				continue
			}
			if x.Change[name] = d.value(k.field(name), at(record, name)); x.Where[name] != nil {
				delete(x.Where, name)
			}
		}
		if len(x.Where) == 0 {
			x.Where["key"] = d.stand(one.Key)
		}
	}
	if x.Verb == "inserted" && record["id"] != nil {
		x.As = d.nameFor(one.Entity)
		id := fmt.Sprint(record["id"])
		d.captures[id] = "$" + x.As + ".id"
		if name, ok := record["identifier"].(string); ok {
			d.captures[name] = "$" + x.As + ".identifier"
		}
	} else if ts, ok := record["ts"].(string); ok && x.Verb == "inserted" && one.Key == fmt.Sprint(record["channel"])+"/"+ts {
		x.As = d.nameFor(one.Entity)
		d.captures[ts] = "$" + x.As + ".ts"
	}
	return x
}

// nameFor returns an unused name for a capture.
func (d *drafter) nameFor(entity string) string {
	taken := func(name string) bool {
		return d.bind[name] != nil || slices.ContainsFunc(d.out.Expect, func(x Expectation) bool { return x.As == name })
	}
	name := entity
	for n := 2; taken(name); n++ {
		name = entity + strconv.Itoa(n)
	}
	return name
}

func (k kind) field(name string) field {
	for _, f := range k.Fields {
		if f.Name == name {
			return f
		}
	}
	return field{Name: name}
}
