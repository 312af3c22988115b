package crm

import (
	"context"
	"errors"
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/budget"
	"understudy/internal/platform/store"
)

// ReadOptions select what is read with records.
type ReadOptions struct {
	History      []string // properties with history
	Associations []Type
	Archived     bool // archived records instead of live ones
}

// find returns the id of the record with an id, or with a value of a unique
// property. It returns RecordNotFound, BadRecordID and InvalidRequest.
func (d *Definitions) find(tx *store.Tx, t Type, idProperty, key string) (int64, error) {
	if idProperty == "" || idProperty == "hs_object_id" {
		return parseID(key)
	}
	p := d.Property(t, idProperty)
	if p == nil || !p.HasUniqueValue {
		return 0, invalid("%s is not a unique property of %s; idProperty must be hs_object_id or a property with unique values.", idProperty, t)
	}
	if p.Name == "email" && t == Contacts {
		key = strings.TrimSpace(key)
	}
	k := p.Key(key)
	holders, err := d.holders(tx, p, []string{k})
	if err != nil {
		return 0, err
	}
	if holders[k] == 0 {
		return 0, RecordNotFound
	}
	return holders[k], nil
}

func isMissing(err error) bool {
	return errors.Is(err, RecordNotFound) || errors.Is(err, BadRecordID)
}

// survivorOf returns the id of the record into which another was merged, or id
// itself.
func survivorOf(tx *store.Tx, portal int64, t Type, id int64) (int64, error) {
	for range 300 { // merges redirect earlier ones, so one step suffices; this bounds the loop
		found, err := getRecords(tx, portal, t, []int64{id}, false)
		if err != nil {
			return 0, err
		}
		if r := found[id]; r == nil || r.Merged == 0 {
			return id, nil
		}
		id = found[id].Merged
	}
	return id, nil
}

// lockSurvivors locks records, or those into which they were merged, and returns
// them in the order of the ids; nil for a record that does not exist.
func lockSurvivors(tx *store.Tx, portal int64, t Type, ids ...int64) ([]*Record, error) {
	for {
		for i, id := range ids {
			var err error
			if ids[i], err = survivorOf(tx, portal, t, id); err != nil {
				return nil, err
			}
		}
		found, err := getRecords(tx, portal, t, ids, true)
		if err != nil {
			return nil, err
		}
		out, merged := make([]*Record, len(ids)), false
		for i, id := range ids {
			out[i] = found[id]
			merged = merged || out[i] != nil && out[i].Merged != 0 // merged while this transaction waited for the lock
		}
		if !merged {
			return out, nil
		}
	}
}

// GetRecord reads one record by id or by a unique value; the id of a merged
// record finds its survivor. It returns RecordNotFound, BadRecordID and
// InvalidRequest.
func (c *CRM) GetRecord(ctx context.Context, p *auth.Principal, t Type, idProperty, key string, o ReadOptions) (*Record, error) {
	out, _, err := c.ReadRecords(ctx, p, t, idProperty, []string{key}, o)
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		if idProperty == "" {
			if _, err := parseID(key); err != nil {
				return nil, err
			}
		}
		return nil, RecordNotFound
	}
	return out[0], nil
}

// ReadRecords reads records by ids or unique values, each once, in the order of
// the keys. missing has the keys without a record. It returns InvalidRequest and
// budget.Exhausted.
func (c *CRM) ReadRecords(ctx context.Context, p *auth.Principal, t Type, idProperty string, keys []string, o ReadOptions) (out []*Record, missing []string, err error) {
	d, err := c.Definitions(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	err = c.world.Read(ctx, func(tx *store.Tx) error {
		ids := make([]int64, len(keys))
		for i, key := range keys {
			id, err := d.find(tx, t, idProperty, key)
			if err != nil && !isMissing(err) {
				return err
			}
			ids[i] = id
		}
		page := budget.NewPage(ctx)
		found, err := getRecordsWith(tx, d.Portal.ID, t, ids, false, func(r *Record) error { return page.Add(len(r.Bag)) })
		if err != nil {
			return err
		}
		seen := map[int64]bool{}
		for i, id := range ids {
			r := found[id]
			for r != nil && r.Merged != 0 {
				more, err := getRecords(tx, d.Portal.ID, t, []int64{r.Merged}, false)
				if err != nil {
					return err
				}
				r = more[r.Merged]
			}
			if r == nil || (r.Archived != 0) != o.Archived {
				missing = append(missing, keys[i])
				continue
			}
			if !seen[r.ID] {
				out = append(out, r)
			}
			seen[r.ID] = true
		}
		_, err = c.complete(tx, d, out, o, page)
		return err
	})
	return out, missing, err
}

// ListRecords returns records in the order of ids, after an id, and whether more
// follow. A page has limit records, or fewer that fill a reply. It returns
// budget.Exhausted.
func (c *CRM) ListRecords(ctx context.Context, p *auth.Principal, t Type, after int64, limit int, o ReadOptions) (out []*Record, more bool, err error) {
	d, err := c.Definitions(ctx, p)
	if err != nil {
		return nil, false, err
	}
	err = c.world.Read(ctx, func(tx *store.Tx) (err error) {
		page := budget.NewPage(ctx)
		if out, more, err = listRecords(tx, d.Portal.ID, t, o.Archived, after, limit, page); err != nil {
			return err
		}
		read, err := c.complete(tx, d, out, o, page)
		if read < len(out) {
			out, more = out[:read], true
		}
		return err
	})
	return out, more, err
}

// complete adds what the options select. It returns the number of records that
// the page has room for, at least one.
func (c *CRM) complete(tx *store.Tx, d *Definitions, records []*Record, o ReadOptions, page *budget.Page) (int, error) {
	if len(records) == 0 {
		return 0, nil
	}
	if len(o.Associations) > 0 {
		if err := addAssociations(tx, d, records, o.Associations); err != nil {
			return 0, err
		}
	}
	if len(o.History) > 0 {
		return addHistory(tx, d, records, o.History, page)
	}
	return len(records), nil
}
