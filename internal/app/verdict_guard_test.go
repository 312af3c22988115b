package app

import (
	"regexp"
	"slices"
	"testing"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/environment"
)

// looksLikeAReference and looksDerived match names of fields about which a
// declaration has to say something.
var (
	looksLikeAReference = regexp.MustCompile(`([a-z]Ids?|_ids?|^user|^channel|^creator|created_by|\.creator|^inviter|team)$`)
	looksDerived        = regexp.MustCompile(`(^updated|updatedAt|_count|^num_members|^latest_|last_read|last_set)$`)
)

// Every field of every entity is plain, derived or a reference, and what
// declarations name exists.
func TestEveryFieldSaysWhetherItIsDerivedOrAReference(t *testing.T) {
	all := environment.Entities((&App{}).services())
	known := map[string]bool{"crm.record": true}
	for _, e := range all {
		for _, sort := range e.Names() {
			known[e.Service+"."+sort] = true
		}
	}
	for i := range all {
		e := &all[i]
		if e.KeyOf != nil && e.KeyForm == "" {
			t.Errorf("%s.%s: say in KeyForm what KeyOf returns", e.Service, e.Name)
		}
		if e.Service == "" {
			continue // credentials, in the terms of no service
		}
		for _, sort := range e.Names() {
			for _, f := range e.Fields(sort) {
				name := e.Service + "." + sort + "." + f.Name
				if !slices.Contains(diff.Types, f.Type) {
					t.Errorf("%s has the type %q", name, f.Type)
				}
				if looksLikeAReference.MatchString(f.Name) && f.Refers == "" && !f.Derived && f.Plain == "" {
					t.Errorf("%s looks like a reference: say Refers, or Plain and why", name)
				}
				if looksDerived.MatchString(f.Name) && !f.Derived && f.Plain == "" {
					t.Errorf("%s looks derived: say Derived, or Plain and why", name)
				}
				if f.Refers != "" && !known[f.Refers] {
					t.Errorf("%s refers to %s, which does not exist", name, f.Refers)
				}
			}
			for _, c := range e.Consequences {
				if c.When == "" || !known[c.Of] {
					t.Errorf("%s.%s: a consequence of %q, when %q", e.Service, sort, c.Of, c.When)
				}
			}
		}
	}
}
