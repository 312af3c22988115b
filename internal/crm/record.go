package crm

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/jsontext"
	"understudy/internal/platform/store"
)

// Record is a contact, company, deal or ticket.
type Record struct {
	Type                               Type
	ID                                 int64
	Created, Updated, Archived, Merged int64 // microseconds; Merged is the survivor's id
	Source, SourceID                   string
	Bag                                Bag

	History      map[string][]HistoryEntry     // when asked for, by property
	Associations map[Type][]RecordAssociations // when asked for; see ReadRecords
	// MoreAssociations has the types of which Associations is but the first page.
	MoreAssociations map[Type]bool
	Written          []string // of a write: the names that the caller set
	TraceID          string   // of a batch write: the caller's mark
	IsNew            bool     // of an upsert
}

// Value gives the value of a property; "" is none.
func (r *Record) Value(p *Property) string {
	switch p.column() {
	case "id":
		return strconv.FormatInt(r.ID, 10)
	case "created":
		return FormatTime(r.Created)
	case "updated":
		return FormatTime(r.Updated)
	}
	if p.isDerived() {
		return r.derive(p.Name)
	}
	return r.Bag.Get(p.Name)
}

func (r *Record) derive(name string) string {
	switch name {
	case "hs_object_source", "hs_object_source_label":
		return r.Source
	case "hs_object_source_id":
		return r.SourceID
	case "hs_createdate":
		return FormatTime(r.Created)
	case "hs_ticket_id":
		return strconv.FormatInt(r.ID, 10)
	case "hs_is_contact":
		return "true"
	case "hs_email_domain":
		_, domain, _ := strings.Cut(r.Bag.Get("email"), "@")
		return domain
	case "hs_full_name_or_email":
		if full := strings.TrimSpace(r.Bag.Get("firstname") + " " + r.Bag.Get("lastname")); full != "" {
			return full
		}
		return r.Bag.Get("email")
	}
	return ""
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
	add(r.Type.modifiedName())
	for _, n := range derived[r.Type] {
		add(n)
	}
	for _, n := range derivedFromSource {
		add(n)
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

// origin tells where a caller's writes come from.
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
			version, err := portalVersion(tx, portal, "")
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
		c.definitions.drop(portal)
	}
	return c.world.Write(ctx, func(tx *store.Tx) error {
		if _, err := portalVersion(tx, portal, tx.Dialect().ForUpdate); err != nil {
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
	if err != nil || n <= 0 || !isDigits(s) {
		return 0, BadRecordID.With(Details{Context: map[string][]string{"id": {s}}})
	}
	return n, nil
}
