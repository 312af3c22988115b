package crm

import (
	"context"
	"errors"
	"maps"
	"slices"

	"understudy/internal/crm/schema"
	"understudy/internal/crm/search"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

// ArchiveRecord archives a record, which removes it from lists and searches. It
// does nothing for an archived one. It returns RecordNotFound and BadRecordID.
func (c *CRM) ArchiveRecord(ctx context.Context, p *auth.Principal, t Type, key string) error {
	id, err := parseID(key)
	if err != nil {
		return err
	}
	found, err := c.archive(ctx, p, t, []int64{id})
	if err == nil && found == 0 {
		err = RecordNotFound
	}
	return err
}

// ArchiveRecords archives the records that exist.
func (c *CRM) ArchiveRecords(ctx context.Context, p *auth.Principal, t Type, keys []string) error {
	var ids []int64
	for _, k := range keys {
		if id, err := parseID(k); err == nil {
			ids = append(ids, id)
		}
	}
	_, err := c.archive(ctx, p, t, ids)
	return err
}

// archive archives records and returns how many of them exist, archived or not.
func (c *CRM) archive(ctx context.Context, p *auth.Principal, t Type, ids []int64) (n int, err error) {
	err = c.checked(ctx, portalOf(p), func(d *Definitions) (func(tx *store.Tx) error, error) {
		return func(tx *store.Tx) error {
			found, err := getRecords(tx, d.Portal.ID, t, ids, true)
			if err != nil {
				return err
			}
			n = len(found)
			var behind []target
			for _, id := range ids {
				r := found[id]
				if r == nil || r.Archived != 0 {
					continue
				}
				r.Archived = c.now()
				others, err := c.retire(tx, d, r)
				if err != nil {
					return err
				}
				if err := updateRecords(tx, d.Portal.ID, []*Record{r}); err != nil {
					return err
				}
				behind = append(behind, others...)
			}
			return c.rollUp(tx, d, behind, slices.Collect(maps.Values(found))...)
		}, nil
	})
	c.index.Changed()
	return n, err
}

// retire removes a live record from all indexes, and its associations. It returns
// the records that it was associated with.
func (c *CRM) retire(tx *store.Tx, d *Definitions, r *Record) (others []target, err error) {
	portal := d.Portal.ID
	if err := deleteValues(tx, portal, d.index(r.Type, r.Bag.Map(), r.ID, nil)); err != nil {
		return nil, err
	}
	links, err := removeAllLinks(tx, portal, r.Type, r.ID)
	if err != nil {
		return nil, err
	}
	for _, l := range links {
		others = append(others, target{l.to, l.toID})
	}
	if err := addTally(tx, portal, r.Type, -1); err != nil {
		return nil, err
	}
	return others, search.Remove(tx, r.ID)
}

// EraseRecord permanently removes a record with its history, and those merged
// into it. It does nothing for an e-mail address that no contact has: upstream then
// only remembers the address. It returns RecordNotFound, BadRecordID and
// InvalidRequest.
func (c *CRM) EraseRecord(ctx context.Context, p *auth.Principal, t Type, idProperty, key string) error {
	err := c.checked(ctx, portalOf(p), func(d *Definitions) (func(tx *store.Tx) error, error) {
		return func(tx *store.Tx) error {
			id, err := d.find(tx, t, idProperty, key)
			if t == Contacts && idProperty == "email" && errors.Is(err, RecordNotFound) {
				return nil
			}
			if err != nil {
				return err
			}
			found, err := lockSurvivors(tx, d.Portal.ID, t, id)
			if err != nil {
				return err
			}
			r := found[0]
			if r == nil {
				return RecordNotFound
			}
			var others []target
			if r.Archived == 0 {
				if others, err = c.retire(tx, d, r); err != nil {
					return err
				}
			}
			for _, merged := range schema.Split(r.Bag.Get(mergedIDs)) {
				if other, err := parseID(merged); err == nil {
					if err := deleteRecord(tx, d.Portal.ID, t, other); err != nil {
						return err
					}
				}
			}
			if err := deleteRecord(tx, d.Portal.ID, t, r.ID); err != nil {
				return err
			}
			return c.rollUp(tx, d, others)
		}, nil
	})
	c.index.Changed()
	return err
}
