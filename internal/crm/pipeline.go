package crm

import (
	"context"
	"slices"
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/opt"
	"understudy/internal/platform/store"
)

// Pipeline is a sequence of stages that deals or tickets move through.
type Pipeline struct {
	ID           string   `json:"id"`
	Label        string   `json:"label"`
	DisplayOrder int      `json:"displayOrder"`
	Stages       []*Stage `json:"stages"`
	CreatedAt    int64    `json:"-"` // microseconds
	UpdatedAt    int64    `json:"-"`
	ArchivedAt   int64    `json:"-"` // 0 unless archived
}

// NewPipeline are the parameters for creating or replacing a pipeline. An empty
// ID is generated; replacing ignores it.
type NewPipeline struct {
	ID, Label    string
	DisplayOrder int
	Stages       []NewStage
}

// UpdatePipeline is a change of a pipeline; nil leaves a member unchanged.
type UpdatePipeline struct {
	Label        opt.Opt[string]
	DisplayOrder opt.Opt[int]
	Archived     opt.Opt[bool]
}

const (
	maxPipelines = 100
	maxStages    = 100
)

// Pipelines lists the pipelines of a type in their display order.
func (d *Definitions) Pipelines(t Type) (out []*Pipeline) {
	for _, p := range d.types[t].pipelines {
		out = append(out, d.datedPipeline(t, p))
	}
	return out
}

// FindPipeline returns a pipeline. It returns DefinitionNotFound.
func (d *Definitions) FindPipeline(t Type, id string) (*Pipeline, error) {
	for _, p := range d.types[t].pipelines {
		if p.ID == id {
			return d.datedPipeline(t, p), nil
		}
	}
	return nil, DefinitionNotFound.Detailf("There is no pipeline with the id %q.", id)
}

// CreatePipeline creates a pipeline with its stages. It returns BadDefinition and
// DefinitionExists.
func (c *CRM) CreatePipeline(ctx context.Context, p *auth.Principal, t Type, in NewPipeline) (out *Pipeline, err error) {
	err = c.define(ctx, portalOf(p), func(tx *store.Tx, d *Definitions) error {
		out, err = c.createPipeline(tx, p, d, t, in)
		return err
	})
	return out, err
}

func (c *CRM) createPipeline(tx *store.Tx, p *auth.Principal, d *Definitions, t Type, in NewPipeline) (*Pipeline, error) {
	if !t.HasPipelines() {
		return nil, BadDefinition.Detailf("Records of type %s have no pipelines.", t)
	}
	if len(d.Pipelines(t)) >= maxPipelines {
		return nil, BadDefinition.Detailf("An object type can have at most %d pipelines.", maxPipelines)
	}
	if in.ID == "" {
		in.ID = c.ids.Digits(9)
	} else if _, err := d.FindPipeline(t, in.ID); err == nil {
		return nil, BadDefinition.Detailf("A pipeline with the id %s already exists.", in.ID)
	}
	if err := d.checkPipeline(t, "", in.Label, in.DisplayOrder); err != nil {
		return nil, err
	}
	out := &Pipeline{ID: in.ID, Label: in.Label, DisplayOrder: in.DisplayOrder, CreatedAt: c.now(), UpdatedAt: c.now()}
	if err := d.addStages(c, t, out, in.Stages, nil); err != nil {
		return nil, err
	}
	if err := d.placePipeline(tx, t, out); err != nil {
		return nil, err
	}
	if err := insertPipeline(tx, d.Portal.ID, t, out); err != nil {
		return nil, err
	}
	if err := c.auditStages(tx, p, t, "CREATE", out.Stages); err != nil {
		return nil, err
	}
	return out, c.auditPipeline(tx, p, t, "CREATE", out)
}

// checkPipeline validates a label, which must be unique, and an order.
func (d *Definitions) checkPipeline(t Type, id, label string, order int) error {
	if label == "" {
		return BadDefinition.Detailf("A pipeline needs a label.")
	}
	if order < 0 {
		return BadDefinition.Detailf("The displayOrder must not be negative.")
	}
	for _, o := range d.Pipelines(t) {
		if o.ID != id && strings.EqualFold(o.Label, label) {
			return BadDefinition.Detailf("A pipeline with the label %q already exists.", label).
				With(Details{SubCategory: "PipelineError.PIPELINE_LABEL_EXISTS"})
		}
	}
	return nil
}

// placePipeline moves other pipelines if the place of a pipeline is taken.
func (d *Definitions) placePipeline(tx *store.Tx, t Type, placed *Pipeline) error {
	others := slices.DeleteFunc(slices.Clone(d.Pipelines(t)), func(o *Pipeline) bool { return o.ID == placed.ID })
	if !slices.ContainsFunc(others, func(o *Pipeline) bool { return o.DisplayOrder == placed.DisplayOrder }) {
		return nil
	}
	all := append(others, placed)
	slices.SortStableFunc(all, func(a, b *Pipeline) int { return a.DisplayOrder - b.DisplayOrder })
	for i, o := range all {
		if o.DisplayOrder = i; o != placed {
			if err := updatePipeline(tx, d.Portal.ID, t, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// ReplacePipeline sets the label, order and stages of a pipeline. A new stage
// with the id or label of an old one keeps its identity. It returns
// DefinitionNotFound, BadDefinition and DefinitionExists.
func (c *CRM) ReplacePipeline(ctx context.Context, p *auth.Principal, t Type, id string, in NewPipeline) (out *Pipeline, err error) {
	err = c.define(ctx, portalOf(p), func(tx *store.Tx, d *Definitions) error {
		old, err := d.FindPipeline(t, id)
		if err != nil {
			return err
		}
		if err := d.checkPipeline(t, id, in.Label, in.DisplayOrder); err != nil {
			return err
		}
		out = &Pipeline{ID: id, Label: in.Label, DisplayOrder: in.DisplayOrder, CreatedAt: old.CreatedAt, UpdatedAt: c.now()}
		if err := d.addStages(c, t, out, in.Stages, old); err != nil {
			return err
		}
		var gone []string
		for _, s := range old.Stages {
			if !holdsStage(out.Stages, s.ID) {
				gone = append(gone, s.ID)
			}
		}
		if err := d.refuseInUse(tx, t, gone); err != nil {
			return err
		}
		if hadClosed(t, old.Stages) && !hadClosed(t, out.Stages) {
			return missingClosed()
		}
		for _, s := range gone {
			if err := archiveStage(tx, d.Portal.ID, t, s, c.now()); err != nil {
				return err
			}
		}
		for _, s := range old.Stages {
			for _, n := range out.Stages {
				if n.ID != s.ID {
					continue
				}
				if err := c.followStage(tx, p, d, t, s.Metadata, n); err != nil {
					return err
				}
			}
		}
		if err := d.placePipeline(tx, t, out); err != nil {
			return err
		}
		if err := insertPipeline(tx, d.Portal.ID, t, out); err != nil {
			return err
		}
		if err := c.auditReplaced(tx, p, t, old.Stages, out.Stages); err != nil {
			return err
		}
		return c.auditPipeline(tx, p, t, "UPDATE", out)
	})
	c.index.Changed()
	return out, err
}

// UpdatePipeline changes the label or order, or archives. It returns
// DefinitionNotFound and BadDefinition.
func (c *CRM) UpdatePipeline(ctx context.Context, p *auth.Principal, t Type, id string, in UpdatePipeline) (out *Pipeline, err error) {
	err = c.define(ctx, portalOf(p), func(tx *store.Tx, d *Definitions) error {
		if out, err = d.FindPipeline(t, id); err != nil {
			return err
		}
		if in.Archived.Or(false) {
			return c.archivePipeline(tx, p, d, t, out)
		}
		out.Label = in.Label.Or(out.Label)
		moved := in.DisplayOrder.Or(out.DisplayOrder) != out.DisplayOrder
		out.DisplayOrder, out.UpdatedAt = in.DisplayOrder.Or(out.DisplayOrder), c.now()
		if err := d.checkPipeline(t, id, out.Label, out.DisplayOrder); err != nil {
			return err
		}
		if moved {
			if err := d.placePipeline(tx, t, out); err != nil {
				return err
			}
		}
		if err := updatePipeline(tx, d.Portal.ID, t, out); err != nil {
			return err
		}
		return c.auditPipeline(tx, p, t, "UPDATE", out)
	})
	return out, err
}

// ArchivePipeline archives a pipeline with its stages. It returns
// DefinitionNotFound, and BadDefinition while it contains records.
func (c *CRM) ArchivePipeline(ctx context.Context, p *auth.Principal, t Type, id string) error {
	return c.define(ctx, portalOf(p), func(tx *store.Tx, d *Definitions) error {
		old, err := d.FindPipeline(t, id)
		if err != nil {
			return err
		}
		return c.archivePipeline(tx, p, d, t, old)
	})
}

func (c *CRM) archivePipeline(tx *store.Tx, p *auth.Principal, d *Definitions, t Type, gone *Pipeline) error {
	var stages []string
	gone.ArchivedAt = c.now()
	for _, s := range gone.Stages {
		stages = append(stages, s.ID)
		s.ArchivedAt = gone.ArchivedAt
	}
	if err := d.refuseInUse(tx, t, stages); err != nil {
		return err
	}
	name, _ := t.StageNames()
	if err := d.refuseReferenced(tx, t, name, "pipeline", []string{gone.ID}); err != nil { // by records without a stage
		return err
	}
	for _, s := range stages {
		if err := archiveStage(tx, d.Portal.ID, t, s, gone.ArchivedAt); err != nil {
			return err
		}
	}
	if err := archivePipeline(tx, d.Portal.ID, t, gone.ID, gone.ArchivedAt); err != nil {
		return err
	}
	if err := c.auditStages(tx, p, t, "DELETE", gone.Stages); err != nil {
		return err
	}
	return c.auditPipeline(tx, p, t, "DELETE", gone)
}
