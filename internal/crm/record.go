package crm

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/jsontext"
	"understudy/internal/platform/store"
)

// Record is a contact, company, deal or ticket.
type Record struct {
	schema.Record

	History      map[string][]HistoryEntry     // when asked for, by property
	Associations map[Type][]RecordAssociations // when asked for; see ReadRecords
	// MoreAssociations has the types of which Associations is but the first page.
	MoreAssociations map[Type]bool
	Written          []string // of a write: the names that the caller set
	TraceID          string   // of a batch write: the caller's mark
	IsNew            bool     // of an upsert
}

// WrittenValues calls f, in order of names, with what a write's reply shows:
// every value that the record has.
func (r *Record) WrittenValues(d *Definitions, f func(name, quoted string)) {
	names := map[string]string{}
	r.Bag.Each(func(name, quoted string) bool { names[name] = quoted; return true })
	add := func(name string) {
		if p := d.Property(r.Type, name); p != nil {
			if v := r.Value(p); v != "" {
				names[name] = string(jsontext.Append(nil, v))
			}
		}
	}
	add("createdate")
	add("hs_object_id")
	add(r.Type.ModifiedName())
	for _, n := range schema.Derived[r.Type] {
		add(n)
	}
	for _, n := range schema.DerivedFromSource {
		add(n)
	}
	for n, p := range d.types[r.Type].own {
		if p.Compute != nil {
			add(n)
		}
	}
	order := make([]string, 0, len(names))
	for n := range names {
		order = append(order, n)
	}
	slices.Sort(order)
	for _, n := range order {
		f(n, names[n])
	}
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
