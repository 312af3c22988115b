package crm

import (
	"slices"

	"understudy/internal/platform/store"
)

// uniqueKeys are the keys of unique values that a write will look up.
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

// knownHolders caches unique values within a transaction: the record that has
// each, or 0.
type knownHolders struct {
	records map[holderKey]int64
	// further maps a property to the unique property whose lookups include it.
	further map[propertyOf]int64
}

type propertyOf struct{ portal, property int64 }

type holderKey struct {
	propertyOf
	key string
}

// maxAnnounced bounds the keys of later writes that one lookup includes.
const maxAnnounced = 500

// holdersToWrite is holders for a write. It includes the keys of later writes of
// the transaction, and skips those that are already known.
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

// heldBy returns the numbers of the properties that share the values of a unique
// property, itself first.
func (d *Definitions) heldBy(p *Property) []int64 {
	if p.Name == "email" && p.Object == Contacts {
		return []int64{p.Number, d.types[Contacts].property("hs_additional_emails").Number}
	}
	return []int64{p.Number}
}

// holders returns the records that have the values of a unique property. For
// contacts this includes additional addresses.
func (d *Definitions) holders(tx *store.Tx, p *Property, keys []string) (map[string]int64, error) {
	slices.Sort(keys)
	keys = slices.Compact(keys)
	return holdersOf(tx, d.Portal.ID, d.heldBy(p), keys)
}
