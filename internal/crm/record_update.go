package crm

import (
	"context"
	"maps"
	"slices"

	"understudy/internal/crm/schema"
	"understudy/internal/crm/search"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/budget"
	"understudy/internal/platform/store"
)

// UpdateRecord is a change of one record, named by id or, with IDProperty, by a
// unique value.
type UpdateRecord struct {
	Key        string
	IDProperty string
	Properties map[string]string // "" clears
	TraceID    string
}

// UpdateRecord changes one record, found by id or a unique value; the id of a
// merged record finds its survivor. It returns RecordNotFound, BadRecordID,
// InvalidProperties, ValueTaken and InvalidRequest.
func (c *CRM) UpdateRecord(ctx context.Context, p *auth.Principal, t Type, in UpdateRecord) (out *Record, err error) {
	err = c.checked(ctx, portalOf(p), func(d *Definitions) (func(tx *store.Tx) error, error) {
		return func(tx *store.Tx) error {
			if err := d.lockUnique(tx, t, in); err != nil {
				return err
			}
			id, err := d.find(tx, t, in.IDProperty, in.Key)
			if err != nil {
				return err
			}
			found, err := lockSurvivors(tx, d.Portal.ID, t, id)
			if err != nil {
				return err
			}
			if out = found[0]; out == nil || out.Archived != 0 {
				return RecordNotFound
			}
			return c.updateRecord(tx, p, d, out, in.Properties)
		}, nil
	})
	c.index.Wrote(ctx, 1)
	return out, err
}

// UpdateRecords changes several records, all or none if a value is invalid.
// missing has the keys of records that do not exist; merged records are ignored.
// It returns InvalidProperties, ValueTaken, InvalidRequest, TooMuchAtOnce and
// budget.Exhausted.
func (c *CRM) UpdateRecords(ctx context.Context, p *auth.Principal, t Type, in []UpdateRecord) (out []*Record, missing []string, err error) {
	err = c.checked(ctx, portalOf(p), func(d *Definitions) (func(tx *store.Tx) error, error) {
		return func(tx *store.Tx) error {
			out, missing = nil, nil
			err := c.updateEach(ctx, tx, p, d, t, in, func(r *Record, _ UpdateRecord) { out = append(out, r) },
				func(u UpdateRecord) error { missing = append(missing, u.Key); return nil })
			if err != nil {
				return err
			}
			return refuseTooMuch(out)
		}, nil
	})
	c.index.Wrote(ctx, len(out))
	return out, missing, err
}

// updateEach finds and changes records, and returns the keys without a record.
func (c *CRM) updateEach(ctx context.Context, tx *store.Tx, p *auth.Principal, d *Definitions, t Type, in []UpdateRecord,
	updated func(*Record, UpdateRecord), missing func(UpdateRecord) error) error {
	if err := d.lockUnique(tx, t, in...); err != nil {
		return err
	}
	ids := make([]int64, len(in))
	for i, u := range in {
		id, err := d.find(tx, t, u.IDProperty, u.Key)
		if err != nil && !isMissing(err) {
			return err
		}
		ids[i] = id
		if id != 0 && slices.Contains(ids[:i], id) {
			return invalid("Duplicate IDs found in batch input: [%s]. IDs must be unique", u.Key)
		}
	}
	page, size := budget.NewPage(ctx), 0
	found, err := getRecordsWith(tx, d.Portal.ID, t, ids, true, func(r *Record) error {
		if size += len(r.Bag); size > maxWritten {
			return TooMuchAtOnce
		}
		return page.Add(len(r.Bag))
	})
	if err != nil {
		return err
	}
	for i, u := range in {
		r := found[ids[i]]
		if r != nil && r.Merged != 0 {
			continue
		}
		if r == nil || r.Archived != 0 {
			if err := missing(u); err != nil {
				return err
			}
			continue
		}
		if err := c.updateRecord(tx, p, d, r, u.Properties, slices.Collect(maps.Values(found))...); err != nil {
			return err
		}
		r.TraceID = u.TraceID
		updated(r, u)
	}
	return nil
}

// updateRecord sets values of a locked record. others are records that the caller
// also holds, so that values derived from r change in them too.
func (c *CRM) updateRecord(tx *store.Tx, p *auth.Principal, d *Definitions, r *Record, set map[string]string, others ...*Record) error {
	ch, err := d.check(r.Type, set, r.Bag, false)
	if err != nil {
		return err
	}
	links, problems := ch.takeLinks(r.Type)
	if len(problems) > 0 {
		return d.problemFault(problems)
	}
	old := r.Bag.Map()
	values := maps.Clone(old)
	for k, v := range ch.values {
		values[k] = v
	}
	d.compute(r.Type, values, old, r.Created, c.now())
	if err := d.refuseTakenBy(tx, r, old, values); err != nil {
		return err
	}
	if err := c.saveValues(tx, p, d, r, old, values); err != nil {
		return err
	}
	return c.setLinks(tx, d, r, links, others...)
}

// lockUnique locks the sequence of records when unique values are to be set, so
// that no other writer takes one meanwhile. The lock must come before those of
// records, as on creation, to avoid deadlocks.
func (d *Definitions) lockUnique(tx *store.Tx, t Type, in ...UpdateRecord) error {
	for _, u := range in {
		for name := range u.Properties {
			if p := d.types[t].property(name); p != nil && p.HasUniqueValue {
				_, err := nextIn(tx, "record", firstID, 0)
				return err
			}
		}
	}
	return nil
}

// refuseTakenBy returns ValueTaken when another record has a new unique value.
// The caller must have called lockUnique.
func (d *Definitions) refuseTakenBy(tx *store.Tx, r *Record, old, values map[string]string) error {
	for _, u := range d.unique(r.Type, values) {
		if old[u.property.Name] == u.value {
			continue
		}
		holders, err := d.holders(tx, u.property, []string{u.key})
		if err != nil {
			return err
		}
		if other := holders[u.key]; other != 0 && other != r.ID {
			return u.taken(d, r.ID, other, false)
		}
	}
	return nil
}

// author is the author of a change, for the history.
type author struct {
	source, id string
	user       int64
}

// saveValues stores new values of a record, and updates the records whose
// roll-ups depend on them.
func (c *CRM) saveValues(tx *store.Tx, p *auth.Principal, d *Definitions, r *Record, old, values map[string]string) error {
	source, id := origin(p)
	one := change{r, old, values, max(c.now(), r.Updated)}
	if err := c.saveAll(tx, d, r.Type, author{source, id, userOf(p)}, []change{one}); err != nil {
		return err
	}
	behind, err := followers(tx, d, r, old, values)
	if err != nil || len(behind) == 0 {
		return err
	}
	return c.rollUp(tx, d, behind)
}

// change is a record with its old and its new values, as of a time in
// microseconds.
type change struct {
	record      *Record
	old, values map[string]string
	at          int64
}

// saveAll stores new values of records of one type: the records, the history and
// the indexes. It updates the records in place.
func (c *CRM) saveAll(tx *store.Tx, d *Definitions, t Type, by author, all []change) error {
	var written, changed []*Record
	var revisions []newRevision
	var gone, come []valueRow
	for _, ch := range all {
		r, before := ch.record, ch.replaced()
		if len(before) == 0 && ch.at == r.Updated {
			continue
		}
		r.Updated = ch.at
		r.Bag = schema.EncodeBag(ch.values)
		written = append(written, r)
		if len(before) == 0 {
			continue
		}
		changed = append(changed, r)
		revisions = append(revisions, newRevision{r.ID, revision{max(c.now(), ch.at), by.source, by.id, by.user, before}})
		had, has := make(map[string]string, len(before)), make(map[string]string, len(before))
		for name := range before {
			had[name], has[name] = ch.old[name], ch.values[name]
		}
		gone, come = d.index(t, had, r.ID, gone), d.index(t, has, r.ID, come)
	}
	if err := updateRecords(tx, d.Portal.ID, written); err != nil {
		return err
	}
	if err := insertRevisions(tx, d.Portal.ID, revisions); err != nil {
		return err
	}
	if err := deleteValues(tx, d.Portal.ID, gone); err != nil {
		return err
	}
	if err := insertValues(tx, d.Portal.ID, come); err != nil {
		return err
	}
	return search.Update(tx, storedParts(changed))
}

// replaced returns the values that a change replaces, by name; nil for no value.
func (ch *change) replaced() map[string]*string {
	before := map[string]*string{}
	for name, v := range ch.values {
		if had := ch.old[name]; had != v {
			before[name] = nil
			if had != "" {
				before[name] = &had
			}
		}
	}
	for name, had := range ch.old {
		if _, ok := ch.values[name]; !ok {
			before[name] = &had
		}
	}
	return before
}

// UpsertRecords changes the records with the unique values in the inputs, and
// creates the others. All inputs have the same IDProperty; without one their keys
// are ids, and missing has those without a record. It returns the errors of
// UpdateRecords and CreateRecords.
func (c *CRM) UpsertRecords(ctx context.Context, p *auth.Principal, t Type, in []UpdateRecord) (out []*Record, missing []string, err error) {
	for _, u := range in {
		if u.IDProperty != in[0].IDProperty {
			return nil, nil, invalid("All inputs must have the same idProperty.")
		}
	}
	byID := len(in) > 0 && (in[0].IDProperty == "" || in[0].IDProperty == "hs_object_id")
	err = c.checked(ctx, portalOf(p), func(d *Definitions) (func(tx *store.Tx) error, error) {
		return func(tx *store.Tx) error {
			// Lock first, so that no other writer creates a record between lookup and
			// creation.
			if _, err := nextIn(tx, "record", firstID, 0); err != nil {
				return err
			}
			out, missing = nil, nil
			place := make(map[string]*Record, len(in))
			var create []CreateRecord
			var keys []string
			err := c.updateEach(ctx, tx, p, d, t, in, func(r *Record, u UpdateRecord) { place[u.Key] = r }, func(u UpdateRecord) error {
				if byID {
					missing = append(missing, u.Key)
					return nil
				}
				values := maps.Clone(u.Properties)
				if values == nil {
					values = map[string]string{}
				}
				if values[u.IDProperty] == "" {
					values[u.IDProperty] = u.Key
				}
				create, keys = append(create, CreateRecord{Properties: values, TraceID: u.TraceID}), append(keys, u.Key)
				return nil
			})
			if err != nil {
				return err
			}
			if len(create) > 0 {
				drafts, err := d.drafts(t, create, false)
				if err != nil {
					return err
				}
				made, _, err := c.createDrafts(tx, p, d, t, create, drafts, false)
				if err != nil {
					return err
				}
				for i, r := range made {
					place[keys[i]] = r
				}
			}
			for _, u := range in {
				if r := place[u.Key]; r != nil {
					out = append(out, r)
				}
			}
			return refuseTooMuch(out)
		}, nil
	})
	c.index.Wrote(ctx, len(out))
	return out, missing, err
}
