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

	History      map[string][]HistoryEntry     // if requested, by property
	Associations map[Type][]RecordAssociations // if requested; see ReadRecords
	// MoreAssociations contains the types of which Associations has only the first
	// page.
	MoreAssociations map[Type]bool
	TraceID          string // of a batch write: the caller's identifier for the input
	IsNew            bool   // of an upsert
}

// AllValues enumerates all values of records of a type, which replies to writes
// contain.
type AllValues struct {
	derived []*Property // properties that are not stored, in the order of names
}

// AllValues returns the enumeration of the values of a type.
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

// Each calls stored with the stored values of a record, in their JSON form, and
// derived with the others, in the order of names and without empty values.
func (a AllValues) Each(r *Record, stored, derived func(name, value string)) {
	next := 0
	// before calls derived for the properties before a name, and reports whether it
	// has done so for the name itself.
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

// origin returns the source of a caller's writes.
func origin(p *auth.Principal) (source, id string) {
	if p.Kind == auth.Session {
		return "CRM_UI", "userId:" + p.Subject
	}
	return "INTEGRATION", p.App
}

// maxTries is how often a write is retried after concurrent changes of
// definitions before it locks them.
const maxTries = 3

// checked runs a write that was validated against d. If the portal's definitions
// have changed since, it validates again and retries, the last time with the
// definitions locked.
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

// parseID parses a record id. It returns BadRecordID.
func parseID(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 || !schema.IsDigits(s) {
		return 0, BadRecordID.With(Details{Context: map[string][]string{"id": {s}}})
	}
	return n, nil
}
