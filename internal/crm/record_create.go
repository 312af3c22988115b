package crm

import (
	"context"
	"strconv"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

// CreateRecord describes a new record.
type CreateRecord struct {
	Properties   map[string]string // "" for no value
	Associations []NewAssociation
	TraceID      string
}

// NewAssociation links a new record to an existing one.
type NewAssociation struct {
	To    int64
	Types []AssociationSpec
}

// draft is a validated new record.
type draft struct {
	changes
	unique []uniqueValue
	links  []link
	// byProperty has the links that result from properties: ids of companies by
	// association type.
	byProperty map[int64]int64
	err        error
}

// CreateRecords creates records, all or none. With partial, each is created
// independently, and errs has the errors by the position of the inputs; otherwise
// errs is nil. The errors are InvalidProperties, ContactExists, ValueTaken,
// RecordNotFound and InvalidRequest, the last two for associations, and
// TooMuchAtOnce for all records.
func (c *CRM) CreateRecords(ctx context.Context, p *auth.Principal, t Type, in []CreateRecord, partial bool) (out []*Record, errs []error, err error) {
	portal := portalOf(p)
	asks := &uniqueKeys{}
	err = c.checked(store.Announce(ctx, asks), portal, func(d *Definitions) (func(tx *store.Tx) error, error) {
		drafts, err := d.drafts(t, in, partial)
		if err != nil {
			return nil, err
		}
		*asks = uniqueKeysOf(portal, drafts)
		return func(tx *store.Tx) error {
			if out, errs, err = c.createDrafts(tx, p, d, t, in, drafts, partial); err != nil {
				return err
			}
			return refuseTooMuch(out)
		}, nil
	})
	if err != nil {
		return nil, nil, err
	}
	c.index.Wrote(ctx, len(in))
	return out, errs, nil
}

// refuseTooMuch returns TooMuchAtOnce if records exceed the size of one reply.
func refuseTooMuch(written []*Record) error {
	size := 0
	for _, r := range written {
		if size += len(r.Bag); size > maxWritten {
			return TooMuchAtOnce
		}
	}
	return nil
}

func (d *Definitions) drafts(t Type, in []CreateRecord, partial bool) ([]draft, error) {
	drafts := make([]draft, len(in))
	for i := range in {
		dr := &drafts[i]
		if dr.changes, dr.err = d.check(t, in[i].Properties, "{}", true); dr.err == nil {
			dr.unique = d.unique(t, dr.values)
			dr.links, dr.err = d.newLinks(t, in[i].Associations)
			var problems ValidationProblems
			dr.byProperty, problems = dr.takeLinks(t)
			for typeID, id := range dr.byProperty {
				if id != 0 {
					dr.links = append(dr.links, link{from: t, to: Companies, toID: id, typeID: typeID})
				}
			}
			if dr.err == nil && len(problems) > 0 {
				dr.err = d.problemFault(problems)
			}
		}
		if dr.err != nil && !partial {
			return nil, dr.err
		}
	}
	return drafts, nil
}

func (c *CRM) createDrafts(tx *store.Tx, p *auth.Principal, d *Definitions, t Type, in []CreateRecord, drafts []draft, partial bool) (out []*Record, errs []error, err error) {
	first, err := nextIn(tx, "record", firstID, int64(len(drafts)))
	if err != nil {
		return nil, nil, err
	}
	refused := make([]error, len(drafts))
	for i := range drafts {
		refused[i] = drafts[i].err
	}
	if err := d.refuseTaken(tx, drafts, first, refused); err != nil {
		return nil, nil, err
	}
	if err := d.refuseBadLinks(tx, drafts, refused); err != nil {
		return nil, nil, err
	}
	now := c.now()
	from, fromID := origin(p)
	var rows []valueRow
	var links []link
	for i := range drafts {
		if refused[i] != nil {
			if !partial {
				return nil, nil, refused[i]
			}
			continue
		}
		id, created := first+int64(i), now
		if drafts[i].created != 0 {
			created = drafts[i].created
		}
		values := map[string]string{}
		for k, v := range drafts[i].values {
			values[k] = v
		}
		d.compute(t, values, nil, created, now)
		r := &Record{Record: schema.Record{Type: t, ID: id, Created: created, Updated: now, Source: from, SourceID: fromID,
			Bag: schema.EncodeBag(values)}, TraceID: in[i].TraceID, IsNew: true}
		out = append(out, r)
		rows = d.index(t, values, id, rows)
		for _, l := range drafts[i].links {
			l.fromID = id
			links = append(links, l)
		}
	}
	if err := insertRecords(tx, d.Portal.ID, out); err != nil {
		return nil, nil, err
	}
	if err := insertValues(tx, d.Portal.ID, rows); err != nil {
		return nil, nil, err
	}
	if err := addTally(tx, d.Portal.ID, t, len(out)); err != nil {
		return nil, nil, err
	}
	if err := addLinks(tx, d.Portal.ID, links); err != nil {
		return nil, nil, err
	}
	if len(links) > 0 {
		if err := c.rollUp(tx, d, touchedBy(links), out...); err != nil {
			return nil, nil, err
		}
	}
	if partial {
		errs = refused
	}
	return out, errs, nil
}

// refuseTaken sets an error for each draft with a unique value of a record or an
// earlier draft; the drafts would get the ids from first on. The caller must hold
// the lock of the sequence of records, so that no other writer takes a value
// meanwhile.
func (d *Definitions) refuseTaken(tx *store.Tx, drafts []draft, first int64, refused []error) error {
	byProperty := map[*Property][]string{}
	var properties []*Property
	for i := range drafts {
		if refused[i] == nil {
			for _, u := range drafts[i].unique {
				if byProperty[u.property] == nil {
					properties = append(properties, u.property)
				}
				byProperty[u.property] = append(byProperty[u.property], u.key)
			}
		}
	}
	for _, p := range properties {
		holders, err := d.holdersToWrite(tx, p, byProperty[p])
		if err != nil {
			return err
		}
		seen := map[string]bool{}
		for i := range drafts {
			if refused[i] != nil {
				continue
			}
			for _, u := range drafts[i].unique {
				if u.property != p {
					continue
				}
				if other := holders[u.key]; other != 0 {
					refused[i] = u.taken(d, first+int64(i), other, true)
				} else if seen[u.key] {
					refused[i] = ContactExists.Detailf("The batch has the value %s of the unique property %s more than once.", u.value, p.Name)
					if p.Name == "email" {
						refused[i] = ContactExists.Detailf("Contact already exists. The batch has the email %s more than once.", u.value)
					}
				}
				seen[u.key] = true
			}
		}
	}
	return nil
}

func (d *Definitions) refuseBadLinks(tx *store.Tx, drafts []draft, refused []error) error {
	var targets []target
	for i := range drafts {
		for _, l := range drafts[i].links {
			targets = append(targets, target{l.to, l.toID})
		}
	}
	if len(targets) == 0 {
		return nil
	}
	live, err := liveTargets(tx, d.Portal.ID, targets, true)
	if err != nil {
		return err
	}
	for i := range drafts {
		for j, l := range drafts[i].links {
			switch survivor, ok := live[target{l.to, l.toID}]; {
			case !ok && refused[i] == nil && l.isOfProperty(drafts[i]):
				name := companyOfContact
				if l.typeID == childToParent {
					name = parentOfCompany
				}
				refused[i] = d.problemFault(ValidationProblems{noSuchCompany(name, strconv.FormatInt(l.toID, 10))})
			case !ok && refused[i] == nil:
				refused[i] = RecordNotFound
			case ok:
				drafts[i].links[j].toID = survivor
			}
		}
	}
	return nil
}
