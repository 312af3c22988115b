package crm

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

// link is one direction and type of a link.
type link struct {
	from   Type
	fromID int64
	to     Type
	toID   int64
	typeID int64
}

func (l link) inverse() link {
	return link{l.to, l.toID, l.from, l.fromID, associationType(l.typeID).InverseTypeID}
}

// RecordAssociations are the links between a record and one other record.
type RecordAssociations struct {
	ToID  int64
	Types []*AssociationType
}

// The most linked records in a page: of a list, and beside a record or in a batch of
// the v3 routes.
const (
	MaxAssociations    = 500
	MaxAssociationsOld = 100
)

// Pair names two records whose types are known.
type Pair struct {
	From, To string
	Types    []AssociationSpec // empty for the default type
}

// Associated is the link between two records after a write.
type Associated struct {
	From, To int64
	Types    []*AssociationType // the types in the request
}

// PairError is a rejected pair.
type PairError struct {
	Pair Pair
	Err  error
}

func (d *Definitions) newLinks(from Type, in []NewAssociation) (out []link, err error) {
	for _, n := range in {
		if len(n.Types) == 0 {
			return nil, invalid("One or more association types must be specified")
		}
		for _, s := range n.Types {
			a := associationType(s.TypeID)
			if a == nil || a.From != from || s.Category != HubspotDefined {
				return nil, invalidAssociation(s)
			}
			out = append(out, link{from: from, to: a.To, toID: n.To, typeID: a.TypeID})
		}
	}
	return out, nil
}

// addLinks stores links in both directions. A labeled link adds the unlabeled
// one. A new primary company replaces the old one, which remains linked; of
// several new ones the last wins.
func addLinks(tx *store.Tx, portal int64, links []link) error {
	primaries := map[target]link{}
	for _, l := range links {
		if associationType(l.typeID).Primary {
			owned := l.towardsCompany()
			primaries[target{owned.from, owned.fromID}] = owned
		}
	}
	old, err := primariesOf(tx, portal, slices.Collect(maps.Values(primaries)))
	if err != nil {
		return err
	}
	var gone, rows []link
	for _, l := range old {
		if l.toID != primaries[target{l.from, l.fromID}].toID {
			gone = append(gone, l, l.inverse())
		}
	}
	if err := deleteLinks(tx, portal, gone); err != nil {
		return err
	}
	for _, l := range links {
		a := associationType(l.typeID)
		if !a.Unlabeled {
			plain := l
			plain.typeID = unlabeled(l.from, l.to).TypeID
			rows = append(rows, plain, plain.inverse())
		}
		if a.Primary {
			owned := l.towardsCompany()
			if primaries[target{owned.from, owned.fromID}] != owned {
				continue
			}
		}
		rows = append(rows, l, l.inverse())
	}
	return insertLinks(tx, portal, rows)
}

// towardsCompany returns a primary link in the direction from the record to its
// company.
func (l link) towardsCompany() link {
	if l.to != Companies {
		return l.inverse()
	}
	return l
}

func hasPrimary(tx *store.Tx, portal int64, r *Record) (bool, error) {
	for _, a := range AssociationTypes(r.Type, Companies) {
		if a.Primary {
			links, err := listLinksOfType(tx, portal, r.ID, Companies, a.TypeID)
			return len(links) > 0, err
		}
	}
	return false, nil
}

// Associate links pairs of records. It returns pairs whose records do not exist
// or whose types do not match in refused, and links the others.
func (c *CRM) Associate(ctx context.Context, p *auth.Principal, from, to Type, pairs []Pair) (out []Associated, refused []PairError, err error) {
	portal := portalOf(p)
	err = c.changeLinks(ctx, portal, func(tx *store.Tx, d *Definitions) error {
		out, refused = nil, nil
		live, err := livePairs(tx, portal, from, to, pairs, true)
		if err != nil {
			return err
		}
		var links []link
		for _, pair := range pairs {
			types := []*AssociationType{unlabeled(from, to)}
			var err error
			if pair.Types != nil {
				types, err = checkSpecs(from, to, pair.Types)
			}
			var ids [2]int64
			if err == nil {
				ids, err = pairIDs(live, from, to, pair)
			}
			if err != nil {
				refused = append(refused, PairError{pair, err})
				continue
			}
			for _, a := range types {
				links = append(links, link{from, ids[0], to, ids[1], a.TypeID})
			}
			out = append(out, Associated{ids[0], ids[1], types})
		}
		demoted, err := primariesOf(tx, portal, links)
		if err != nil {
			return err
		}
		if err := addLinks(tx, portal, links); err != nil {
			return err
		}
		return c.rollUp(tx, d, touchedBy(append(links, demoted...)))
	})
	return out, refused, err
}

// changeLinks runs fn in a write transaction with the portal's definitions.
func (c *CRM) changeLinks(ctx context.Context, portal int64, fn func(tx *store.Tx, d *Definitions) error) error {
	err := c.checked(ctx, portal, func(d *Definitions) (func(tx *store.Tx) error, error) {
		return func(tx *store.Tx) error { return fn(tx, d) }, nil
	})
	c.index.Changed()
	return err
}

// primariesOf returns the stored primary links of the records for which links has
// new primary links. It ignores other links.
func primariesOf(tx *store.Tx, portal int64, links []link) (out []link, err error) {
	owners := map[Type][]int64{}
	for _, l := range links {
		if associationType(l.typeID).Primary {
			l = l.towardsCompany()
			owners[l.from] = append(owners[l.from], l.fromID)
		}
	}
	for _, t := range Types {
		ids := owners[t]
		slices.Sort(ids)
		for chunk := range slices.Chunk(slices.Compact(ids), 100) {
			old, err := listPrimaryLinks(tx, portal, chunk, primaryCompany(t).TypeID)
			if err != nil {
				return nil, err
			}
			out = append(out, old...)
		}
	}
	return out, nil
}

func livePairs(tx *store.Tx, portal int64, from, to Type, pairs []Pair, lock bool) (map[target]int64, error) {
	var targets []target
	for _, pair := range pairs {
		a, errA := parseID(pair.From)
		b, errB := parseID(pair.To)
		if errA == nil && errB == nil {
			targets = append(targets, target{from, a}, target{to, b})
		}
	}
	return liveTargets(tx, portal, targets, lock)
}

func pairIDs(live map[target]int64, from, to Type, pair Pair) (ids [2]int64, err error) {
	a, err := parseID(pair.From)
	if err != nil {
		return ids, err
	}
	b, err := parseID(pair.To)
	if err != nil {
		return ids, err
	}
	ids[0], ids[1] = live[target{from, a}], live[target{to, b}]
	if ids[0] == 0 || ids[1] == 0 {
		return ids, RecordNotFound
	}
	if ids[0] == ids[1] {
		return ids, invalid("A record cannot be associated with itself: %d", ids[0])
	}
	return ids, nil
}

// Dissociate removes all types of links of pairs, or the types that a pair names;
// without the unlabeled type the others go too. Pairs that are not linked are no
// error.
func (c *CRM) Dissociate(ctx context.Context, p *auth.Principal, from, to Type, pairs []Pair) error {
	portal := portalOf(p)
	return c.changeLinks(ctx, portal, func(tx *store.Tx, d *Definitions) error {
		live, err := livePairs(tx, portal, from, to, pairs, true)
		if err != nil {
			return err
		}
		var gone []link
		for _, pair := range pairs {
			types := AssociationTypes(from, to)
			if pair.Types != nil {
				named, err := checkSpecs(from, to, pair.Types)
				if err != nil {
					return err
				}
				if !slices.Contains(named, unlabeled(from, to)) {
					types = named
				}
			}
			ids, err := pairIDs(live, from, to, pair)
			if err != nil {
				continue
			}
			for _, a := range types {
				l := link{from, ids[0], to, ids[1], a.TypeID}
				gone = append(gone, l, l.inverse())
			}
		}
		if err := deleteLinks(tx, portal, gone); err != nil {
			return err
		}
		return c.rollUp(tx, d, touchedBy(gone))
	})
}

// Associations returns the links of a record with records of a type, in the order
// of ids, after an id, and whether more follow. It returns RecordNotFound and
// BadRecordID.
func (c *CRM) Associations(ctx context.Context, p *auth.Principal, from Type, key string, to Type, after int64, limit int) (id int64, out []RecordAssociations, more bool, err error) {
	if id, err = parseID(key); err != nil {
		return 0, nil, false, err
	}
	err = c.world.Read(ctx, func(tx *store.Tx) error {
		live, err := liveTargets(tx, portalOf(p), []target{{from, id}}, false)
		if err != nil {
			return err
		}
		if id = live[target{from, id}]; id == 0 {
			return RecordNotFound
		}
		out, more, err = pageOfLinks(tx, portalOf(p), id, to, after, limit)
		return err
	})
	return id, out, more, err
}

// pageOfLinks groups the links of a record by the other record.
func pageOfLinks(tx *store.Tx, portal, record int64, to Type, after int64, limit int) (out []RecordAssociations, more bool, err error) {
	links, err := listLinks(tx, portal, record, to, after, limit+1)
	if err != nil {
		return nil, false, err
	}
	for _, l := range links {
		if n := len(out); n == 0 || out[n-1].ToID != l.toID {
			out = append(out, RecordAssociations{ToID: l.toID})
		}
		last := &out[len(out)-1]
		last.Types = append(last.Types, associationType(l.typeID))
	}
	if more = len(out) > limit; more {
		out = out[:limit]
	}
	return out, more, nil
}

// addAssociations adds the links with records of some types, one page of each.
func addAssociations(tx *store.Tx, d *Definitions, records []*Record, types []Type) error {
	for _, r := range records {
		r.Associations, r.MoreAssociations = map[Type][]RecordAssociations{}, map[Type]bool{}
		for _, t := range types {
			page, more, err := pageOfLinks(tx, d.Portal.ID, r.ID, t, 0, MaxAssociationsOld)
			if err != nil {
				return err
			}
			if len(page) > 0 {
				r.Associations[t], r.MoreAssociations[t] = page, more
			}
		}
	}
	return nil
}

// AssociationsOf is Associations for many records; without holds the keys that
// name no record, or one without links.
func (c *CRM) AssociationsOf(ctx context.Context, p *auth.Principal, from, to Type, keys []string, after map[string]int64, limit int) (out map[string][]RecordAssociations, more map[string]bool, without []string, err error) {
	out, more = map[string][]RecordAssociations{}, map[string]bool{}
	err = c.world.Read(ctx, func(tx *store.Tx) error {
		var targets []target
		for _, k := range keys {
			if id, err := strconv.ParseInt(k, 10, 64); err == nil {
				targets = append(targets, target{from, id})
			}
		}
		live, err := liveTargets(tx, portalOf(p), targets, false)
		if err != nil {
			return err
		}
		for _, k := range keys {
			id, _ := strconv.ParseInt(k, 10, 64)
			var page []RecordAssociations
			if id = live[target{from, id}]; id != 0 {
				if page, more[k], err = pageOfLinks(tx, portalOf(p), id, to, after[k], limit); err != nil {
					return err
				}
			}
			if len(page) == 0 {
				without = append(without, k)
				continue
			}
			out[k] = page
		}
		return nil
	})
	return out, more, without, err
}
