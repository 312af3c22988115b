package crm

import (
	"context"
	"slices"
	"strconv"

	"understudy/internal/crm/schema"
	"understudy/internal/crm/search"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

// CreateRecord is a record to be made.
type CreateRecord struct {
	Properties   map[string]string // "" is no value
	Associations []NewAssociation
	TraceID      string
}

// NewAssociation links a record that is being made to one that is there.
type NewAssociation struct {
	To    int64
	Types []AssociationSpec
}

// draft is a record that has been checked.
type draft struct {
	changes
	unique []uniqueValue
	links  []link
	// byProperty has the links that values of properties stand for: ids of companies by type.
	byProperty map[int64]int64
	err        error
}

// CreateRecords makes records, all or none of them. With partial, each is made
// or refused by itself, and errs has the refusals in the places of the inputs;
// else errs is nil. The refusals are InvalidProperties, ContactExists,
// ValueTaken, RecordNotFound and InvalidRequest, the last two for associations;
// TooMuchAtOnce refuses all of them.
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

// refuseTooMuch returns TooMuchAtOnce for records that are too long for one reply.
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
	if err := d.refuseTaken(tx, drafts, refused); err != nil {
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
		for name := range drafts[i].values {
			r.Written = append(r.Written, name)
		}
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
	if err := search.Insert(tx, d.fields(t), storedParts(out)); err != nil {
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

// refuseTaken refuses the drafts whose unique values a record or an earlier
// draft has. The caller holds the lock of the sequence of records, so no
// other writer can take a value meanwhile.
func (d *Definitions) refuseTaken(tx *store.Tx, drafts []draft, refused []error) error {
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
					refused[i] = u.taken(d, 0, other, true)
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

// uniqueKeys are the keys of unique values that a write looks up.
type uniqueKeys struct {
	portal int64
	keys   map[int64][]string // by the number of the property
}

func uniqueKeysOf(portal int64, drafts []draft) uniqueKeys {
	out := uniqueKeys{portal, map[int64][]string{}}
	for i := range drafts {
		for _, u := range drafts[i].unique {
			out.keys[u.property.Number] = append(out.keys[u.property.Number], u.key)
		}
	}
	return out
}

// knownHolders is what the writes of a transaction know of unique values: the
// record that has one, or 0.
type knownHolders struct {
	records map[holderKey]int64
	// further has the property that a property's values are looked up with.
	further map[propertyOf]int64
}

type propertyOf struct{ portal, property int64 }

type holderKey struct {
	propertyOf
	key string
}

// maxAnnounced bounds the keys of other writes that are looked up together with those of one.
const maxAnnounced = 500

// holdersToWrite is holders for a write. It looks up what the writes that follow
// will ask for, too, and reads nothing that those before it have read.
func (d *Definitions) holdersToWrite(tx *store.Tx, p *Property, keys []string) (map[string]int64, error) {
	known, ok := store.Kept[*knownHolders](tx, propertyOf{})
	if !ok {
		known = &knownHolders{map[holderKey]int64{}, map[propertyOf]int64{}}
	}
	of := propertyOf{d.Portal.ID, p.Number}
	var ask []string
	for _, k := range keys {
		if _, ok := known.records[holderKey{of, k}]; !ok {
			ask = append(ask, k)
		}
	}
	if len(ask) > 0 {
		for _, other := range store.Announced[*uniqueKeys](tx) {
			if other.portal == d.Portal.ID && len(ask) < len(keys)+maxAnnounced {
				ask = append(ask, other.keys[p.Number]...)
			}
		}
		found, err := d.holders(tx, p, ask)
		if err != nil {
			return nil, err
		}
		for _, k := range ask {
			known.records[holderKey{of, k}] = found[k]
		}
		for _, n := range d.heldBy(p) {
			known.further[propertyOf{d.Portal.ID, n}] = p.Number
		}
		store.Keep(tx, propertyOf{}, known, "crm_value")
	}
	out := map[string]int64{}
	for _, k := range keys {
		if id := known.records[holderKey{of, k}]; id != 0 {
			out[k] = id
		}
	}
	return out, nil
}

// add adds values that have been stored.
func (h *knownHolders) add(portal int64, rows []valueRow) {
	for _, r := range rows {
		asked, ok := h.further[propertyOf{portal, r.property}]
		if !ok {
			continue
		}
		key := holderKey{propertyOf{portal, asked}, r.key}
		if other, ok := h.records[key]; ok && (other == 0 || r.property == asked) {
			h.records[key] = r.record
		}
	}
}

// heldBy returns the properties whose values are those of a unique property, itself first.
func (d *Definitions) heldBy(p *Property) []int64 {
	if p.Name == "email" && p.Object == Contacts {
		return []int64{p.Number, d.types[Contacts].property("hs_additional_emails").Number}
	}
	return []int64{p.Number}
}

// holders returns which records have the values of a unique property. A contact
// holds its additional addresses too.
func (d *Definitions) holders(tx *store.Tx, p *Property, keys []string) (map[string]int64, error) {
	slices.Sort(keys)
	keys = slices.Compact(keys)
	return holdersOf(tx, d.Portal.ID, d.heldBy(p), keys)
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
