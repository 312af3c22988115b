package crm

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

// Record is a contact, company, deal or ticket.
type Record struct {
	schema.Record

	History      map[string][]HistoryEntry     // when asked for, by property
	Associations map[Type][]RecordAssociations // when asked for; see ReadRecords
	// MoreAssociations has the types of which Associations is but the first page.
	MoreAssociations map[Type]bool
	TraceID          string // of a batch write: the caller's mark
	IsNew            bool   // of an upsert
}

// AllValues are the values that the replies to writes show of records of a type:
// every one that a record has.
type AllValues struct {
	derived []*Property // what is not stored, in order of names
}

// AllValues returns the values that the replies to writes show.
func (d *Definitions) AllValues(t Type) AllValues {
	var out AllValues
	add := func(name string) {
		if p := d.Property(t, name); p != nil {
			out.derived = append(out.derived, p)
		}
	}
	add("createdate")
	add("hs_object_id")
	add(t.ModifiedName())
	for _, n := range schema.Derived[t] {
		add(n)
	}
	for _, n := range schema.DerivedFromSource {
		add(n)
	}
	for n, p := range d.types[t].own {
		if p.Compute != nil {
			add(n)
		}
	}
	slices.SortFunc(out.derived, func(a, b *Property) int { return strings.Compare(a.Name, b.Name) })
	out.derived = slices.Compact(out.derived)
	return out
}

// Each calls stored with the values of a record that are stored, in their JSON
// form, and derived with the others, all in order of names and without empty ones.
func (a AllValues) Each(r *Record, stored, derived func(name, value string)) {
	next := 0
	// before passes on what comes before a name, and reports whether it has passed on a value of the name itself.
	before := func(name string, last bool) (replaced bool) {
		for ; next < len(a.derived) && (last || a.derived[next].Name <= name); next++ {
			p := a.derived[next]
			if v := r.Value(p); v != "" {
				derived(p.Name, v)
				replaced = replaced || p.Name == name
			}
		}
		return replaced
	}
	r.Bag.Each(func(name, quoted string) bool {
		if !before(name, false) {
			stored(name, quoted)
		}
		return true
	})
	before("", true)
}

// origin returns where a caller's writes come from.
func origin(p *auth.Principal) (source, id string) {
	if p.Kind == auth.Session {
		return "CRM_UI", "userId:" + p.Subject
	}
	return "INTEGRATION", p.App
}

// maxTries bounds how often a write is checked again, because definitions
// changed meanwhile, before it keeps others from changing them.
const maxTries = 3

// checked runs a write whose check was made against d. When the portal's
// definitions are no longer those, all is done again, at last with nobody else
// changing them.
func (c *CRM) checked(ctx context.Context, portal int64, prepare func(d *Definitions) (func(tx *store.Tx) error, error)) error {
	for range maxTries {
		d, err := c.definitionsOf(ctx, portal)
		if err != nil {
			return err
		}
		fn, err := prepare(d)
		if err != nil {
			return err
		}
		err = c.world.Write(ctx, func(tx *store.Tx) error {
			version, err := portalVersion(tx, portal)
			if err != nil {
				return err
			}
			if version != d.Version {
				return errStale
			}
			return fn(tx)
		})
		if !errors.Is(err, errStale) {
			return err
		}
		c.definitions.Drop(portal)
	}
	return c.world.Write(ctx, func(tx *store.Tx) error {
		if err := lockDefinitions(tx, portal); err != nil {
			return err
		}
		d, err := loadDefinitions(tx, portal)
		if err != nil {
			return err
		}
		fn, err := prepare(d)
		if err != nil {
			return err
		}
		return fn(tx)
	})
}

// parseID reads a record id. It returns BadRecordID.
func parseID(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 || !schema.IsDigits(s) {
		return 0, BadRecordID.With(Details{Context: map[string][]string{"id": {s}}})
	}
	return n, nil
}
