package crm

import (
	"encoding/json"

	"understudy/internal/platform/store"
)

// versionOf is the transaction key of the version of a portal's definitions that
// a write has read. On SQLite later writes find it until it changes.
type versionOf int64

// raiseVersion increments the version, which locks the portal's definitions until
// the end of the transaction.
func raiseVersion(tx *store.Tx, portal int64) error {
	_, err := tx.Exec(`UPDATE crm_portal SET version = version + 1 WHERE id = ?`, portal)
	return err
}

// portalVersion returns the version of the portal's definitions.
func portalVersion(tx *store.Tx, portal int64) (version int64, err error) {
	if version, ok := store.Kept[int64](tx, versionOf(portal)); ok {
		return version, nil
	}
	if _, err = tx.Get(`SELECT version FROM crm_portal WHERE id = ?`, []any{portal}, &version); err == nil {
		store.KeepLong(tx, versionOf(portal), version, "crm_portal")
	}
	return version, err
}

// lockDefinitions locks the portal's definitions until the end of the transaction.
func lockDefinitions(tx *store.Tx, portal int64) error {
	var version int64
	_, err := tx.Get(`SELECT version FROM crm_portal WHERE id = ?`+tx.Dialect().ForUpdate, []any{portal}, &version)
	return err
}

// readDefinitions reads a portal's definitions. The first result lacks those of
// the types.
func readDefinitions(tx *store.Tx, portal int64) (*Definitions, *storedDefinitions, error) {
	d := &Definitions{}
	stored := &storedDefinitions{map[Type][]*Property{}, map[Type][]Group{}, map[Type][]*Pipeline{}}
	var err error
	if d.Portal, d.Version, err = getPortal(tx, portal); err != nil {
		return nil, nil, err
	}
	err = tx.Each(`SELECT type, number, definition, created, updated, archived FROM crm_property WHERE portal = ?
		ORDER BY type, number`, []any{portal}, func(r store.Row) error {
		p := &Property{}
		var text []byte
		if err := r.Scan(&p.Object, &p.Number, &text, &p.CreatedAt, &p.UpdatedAt, &p.ArchivedAt); err != nil {
			return err
		}
		stored.properties[p.Object] = append(stored.properties[p.Object], p)
		return json.Unmarshal(text, p)
	})
	if err != nil {
		return nil, nil, err
	}
	err = tx.Each(`SELECT type, name, label, display_order, archived FROM crm_group WHERE portal = ? ORDER BY type, display_order, name`,
		[]any{portal}, func(r store.Row) error {
			var t Type
			var g Group
			err := r.Scan(&t, &g.Name, &g.Label, &g.DisplayOrder, &g.ArchivedAt)
			stored.groups[t] = append(stored.groups[t], g)
			return err
		})
	if err != nil {
		return nil, nil, err
	}
	byID := map[Type]map[string]*Pipeline{Deals: {}, Tickets: {}}
	err = tx.Each(`SELECT type, id, label, display_order, created, updated FROM crm_pipeline WHERE portal = ? AND archived = 0
		ORDER BY type, display_order, id`, []any{portal}, func(r store.Row) error {
		var t Type
		p := &Pipeline{}
		err := r.Scan(&t, &p.ID, &p.Label, &p.DisplayOrder, &p.CreatedAt, &p.UpdatedAt)
		stored.pipelines[t] = append(stored.pipelines[t], p)
		byID[t][p.ID] = p
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	err = tx.Each(`SELECT type, id, pipeline, label, display_order, metadata, created, updated FROM crm_stage
		WHERE portal = ? AND archived = 0 ORDER BY type, pipeline, display_order, id`, []any{portal}, func(r store.Row) error {
		var t Type
		var metadata []byte
		s := &Stage{}
		if err := r.Scan(&t, &s.ID, &s.Pipeline, &s.Label, &s.DisplayOrder, &metadata, &s.CreatedAt, &s.UpdatedAt); err != nil {
			return err
		}
		if p := byID[t][s.Pipeline]; p != nil {
			p.Stages = append(p.Stages, s)
		}
		return json.Unmarshal(metadata, &s.Metadata)
	})
	if err != nil {
		return nil, nil, err
	}
	d.owners, err = listOwners(tx, portal)
	return d, stored, err
}
