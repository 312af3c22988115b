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
			err = insertStage(tx, portal, t, p.ID, s, p.UpdatedAt)
		}
	}
	return err
}

func insertStage(tx *store.Tx, portal int64, t Type, pipeline string, s *Stage, at int64) error {
	metadata, err := json.Marshal(s.Metadata)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO crm_stage (portal, type, id, pipeline, label, display_order, metadata, created, updated, archived)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
		ON CONFLICT (portal, type, id) DO UPDATE SET pipeline = excluded.pipeline, label = excluded.label,
			display_order = excluded.display_order, metadata = excluded.metadata, created = excluded.created,
			updated = excluded.updated, archived = 0`,
		portal, t, s.ID, pipeline, s.Label, s.DisplayOrder, metadata, at, at)
	return err
}
