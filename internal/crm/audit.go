package crm

import (
	"context"
	"encoding/json"
	"slices"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

// Audit is one change of a pipeline or a stage.
type Audit struct {
	Identifier string
	Action     string // CREATE, UPDATE or DELETE
	UserID     int64  // 0 for none
	At         int64  // microseconds
	Raw        json.RawMessage
}

func (c *CRM) auditPipeline(tx *store.Tx, p *auth.Principal, t Type, action string, pl *Pipeline) error {
	return c.audit(tx, p, t, "pipeline", action, pl.ID, pl)
}

func (c *CRM) auditStage(tx *store.Tx, p *auth.Principal, t Type, action string, s *Stage) error {
	return c.audit(tx, p, t, "stage", action, s.ID, s)
}

// auditStages records one action on each of several stages.
func (c *CRM) auditStages(tx *store.Tx, p *auth.Principal, t Type, action string, stages []*Stage) error {
	for _, s := range stages {
		if err := c.auditStage(tx, p, t, action, s); err != nil {
			return err
		}
	}
	return nil
}

// auditReplaced records what the replacement of a pipeline does to its stages: those
// that are only in old have been archived.
func (c *CRM) auditReplaced(tx *store.Tx, p *auth.Principal, t Type, old, now []*Stage) error {
	for _, s := range old {
		if holdsStage(now, s.ID) {
			continue
		}
		gone := *s
		gone.ArchivedAt = c.now()
		if err := c.auditStage(tx, p, t, "DELETE", &gone); err != nil {
			return err
		}
	}
	for _, s := range now {
		action := "CREATE"
		if holdsStage(old, s.ID) {
			action = "UPDATE"
		}
		if err := c.auditStage(tx, p, t, action, s); err != nil {
			return err
		}
	}
	return nil
}

func holdsStage(stages []*Stage, id string) bool {
	return slices.ContainsFunc(stages, func(s *Stage) bool { return s.ID == id })
}

func (c *CRM) audit(tx *store.Tx, p *auth.Principal, t Type, kind, action, id string, thing any) error {
	raw, err := json.Marshal(thing)
	if err != nil {
		return err
	}
	return insertAudit(tx, portalOf(p), t, kind, Audit{Identifier: id, Action: action, UserID: userOf(p), At: c.now(), Raw: raw})
}

// PipelineAudit returns the changes of a pipeline, newest first. It returns
// DefinitionNotFound for a pipeline that never existed.
func (c *CRM) PipelineAudit(ctx context.Context, p *auth.Principal, t Type, id string) ([]Audit, error) {
	return c.auditOf(ctx, p, t, "pipeline", id, func(d *Definitions) bool {
		_, err := d.FindPipeline(t, id)
		return err == nil
	})
}

// StageAudit returns the changes of a stage of any pipeline of the type, newest
// first. It returns DefinitionNotFound for a stage that never existed.
func (c *CRM) StageAudit(ctx context.Context, p *auth.Principal, t Type, id string) ([]Audit, error) {
	return c.auditOf(ctx, p, t, "stage", id, func(d *Definitions) bool { return d.types[t].stages[id] != nil })
}

func (c *CRM) auditOf(ctx context.Context, p *auth.Principal, t Type, kind, id string, exists func(*Definitions) bool) (out []Audit, err error) {
	d, err := c.Definitions(ctx, p)
	if err != nil {
		return nil, err
	}
	err = c.world.Read(ctx, func(tx *store.Tx) error {
		out, err = listAudit(tx, d.Portal.ID, t, kind, id)
		return err
	})
	if err == nil && len(out) == 0 && !exists(d) {
		err = DefinitionNotFound.Detailf("There is no %s with the id %q.", kind, id)
	}
	return out, err
}
