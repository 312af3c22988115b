package crm

import (
	"encoding/json"

	"understudy/internal/platform/store"
)

func insertPipeline(tx *store.Tx, portal int64, t Type, p *Pipeline) error {
	_, err := tx.Exec(`INSERT INTO crm_pipeline (portal, type, id, label, display_order, created, updated, archived)
		VALUES (?, ?, ?, ?, ?, ?, ?, 0)
		ON CONFLICT (portal, type, id) DO UPDATE SET label = excluded.label, display_order = excluded.display_order,
			created = excluded.created, updated = excluded.updated, archived = 0`,
		portal, t, p.ID, p.Label, p.DisplayOrder, p.CreatedAt, p.UpdatedAt)
	for _, s := range p.Stages {
		if err == nil {
			err = insertStage(tx, portal, t, p.ID, s)
		}
	}
	return err
}

func insertStage(tx *store.Tx, portal int64, t Type, pipeline string, s *Stage) error {
	metadata, err := json.Marshal(s.Metadata)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO crm_stage (portal, type, id, pipeline, label, display_order, metadata, created, updated, archived)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
		ON CONFLICT (portal, type, id) DO UPDATE SET pipeline = excluded.pipeline, label = excluded.label,
			display_order = excluded.display_order, metadata = excluded.metadata, created = excluded.created,
			updated = excluded.updated, archived = 0`,
		portal, t, s.ID, pipeline, s.Label, s.DisplayOrder, metadata, s.CreatedAt, s.UpdatedAt)
	return err
}

func updatePipeline(tx *store.Tx, portal int64, t Type, p *Pipeline) error {
	_, err := tx.Exec(`UPDATE crm_pipeline SET label = ?, display_order = ?, updated = ? WHERE portal = ? AND type = ? AND id = ?`,
		p.Label, p.DisplayOrder, p.UpdatedAt, portal, t, p.ID)
	return err
}

func archivePipeline(tx *store.Tx, portal int64, t Type, id string, at int64) error {
	_, err := tx.Exec(`UPDATE crm_pipeline SET archived = ?, updated = ? WHERE portal = ? AND type = ? AND id = ?`, at, at, portal, t, id)
	return err
}

func updateStage(tx *store.Tx, portal int64, t Type, s *Stage) error {
	metadata, err := json.Marshal(s.Metadata)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`UPDATE crm_stage SET label = ?, display_order = ?, metadata = ?, updated = ? WHERE portal = ? AND type = ? AND id = ?`,
		s.Label, s.DisplayOrder, metadata, s.UpdatedAt, portal, t, s.ID)
	return err
}

func archiveStage(tx *store.Tx, portal int64, t Type, id string, at int64) error {
	_, err := tx.Exec(`UPDATE crm_stage SET archived = ?, updated = ? WHERE portal = ? AND type = ? AND id = ?`, at, at, portal, t, id)
	return err
}

// recordsWith returns records that have one of several values of a property, at
// most limit.
func recordsWith(tx *store.Tx, portal, property int64, keys []string, limit int) (out []valueRow, err error) {
	args := []any{portal, property}
	for _, k := range keys {
		args = append(args, k)
	}
	err = tx.Each(`SELECT value, record FROM crm_value WHERE portal = ? AND property = ? AND value IN `+store.In(len(keys))+
		` ORDER BY value, record LIMIT ?`, append(args, limit), func(r store.Row) error {
		row := valueRow{property: property}
		err := r.Scan(&row.key, &row.record)
		out = append(out, row)
		return err
	})
	return out, err
}
