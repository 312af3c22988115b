package crm

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/opt"
	"understudy/internal/platform/store"
)

// Stage is a step of a pipeline. Metadata has probability and isClosed for
// deals, ticketState and isClosed for tickets.
type Stage struct {
	ID           string            `json:"id"`
	Pipeline     string            `json:"-"`
	Label        string            `json:"label"`
	DisplayOrder int               `json:"displayOrder"`
	Metadata     map[string]string `json:"metadata"`
	CreatedAt    int64             `json:"-"` // microseconds
	UpdatedAt    int64             `json:"-"`
	ArchivedAt   int64             `json:"-"` // 0 unless archived
}

// NewStage describes a new stage; an empty ID is generated.
type NewStage struct {
	ID, Label    string
	DisplayOrder int
	Metadata     map[string]string
}

// UpdateStage is a change of a stage; nil leaves a member unchanged, and metadata
// is merged.
type UpdateStage struct {
	Label        opt.Opt[string]
	DisplayOrder opt.Opt[int]
	Metadata     map[string]string
	Archived     opt.Opt[bool]
}

// FindStage returns a stage of a pipeline. It returns DefinitionNotFound.
func (d *Definitions) FindStage(t Type, pipeline, id string) (*Stage, error) {
	if _, err := d.FindPipeline(t, pipeline); err != nil {
		return nil, err
	}
	if s := d.types[t].stages[id]; s != nil && s.Pipeline == pipeline {
		return d.datedStage(t, s), nil
	}
	return nil, DefinitionNotFound.Detailf("There is no stage with the id %q in the pipeline %q.", id, pipeline)
}

// stageMetadata returns metadata in normal form, with derived values.
func stageMetadata(t Type, in map[string]string) (map[string]string, error) {
	if t == Tickets {
		state := strings.ToUpper(in["ticketState"])
		switch state {
		case "":
			state = "OPEN"
		case "OPEN", "CLOSED":
		default:
			return nil, BadDefinition.Detailf("%q is not a valid ticketState; it must be OPEN or CLOSED.", in["ticketState"]).
				With(Details{SubCategory: "PipelineError.INVALID_PIPELINE_STAGE_METADATA"})
		}
		return map[string]string{"ticketState": state, "isClosed": strconv.FormatBool(state == "CLOSED")}, nil
	}
	if in["probability"] == "" {
		return nil, BadDefinition.Detailf("must specify probability when writing a dealstage").
			With(Details{SubCategory: "PipelineError.INVALID_PIPELINE_STAGE_METADATA"})
	}
	f, err := strconv.ParseFloat(in["probability"], 64)
	if err != nil || f < 0 || f > 1 || f != f {
		return nil, BadDefinition.Detailf("%q is not a valid probability; it must be a number from 0.0 to 1.0.", in["probability"]).
			With(Details{SubCategory: "PipelineError.INVALID_PIPELINE_STAGE_METADATA"})
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return map[string]string{"probability": text, "isClosed": strconv.FormatBool(f == 0 || f == 1)}, nil
}

// addStages adds the stages of a new pipeline, or of one that replaces old.
func (d *Definitions) addStages(c *CRM, t Type, into *Pipeline, in []NewStage, old *Pipeline) error {
	if len(in) == 0 {
		return BadDefinition.Detailf("Pipeline must have at least one stage")
	}
	for _, n := range in {
		if old != nil && n.ID == "" {
			for _, s := range old.Stages {
				if strings.EqualFold(s.Label, n.Label) {
					n.ID = s.ID
				}
			}
		}
		s, err := d.newStage(c, t, into, n)
		if err != nil {
			return err
		}
		into.Stages = append(into.Stages, s)
	}
	slices.SortStableFunc(into.Stages, func(a, b *Stage) int { return a.DisplayOrder - b.DisplayOrder })
	for i := 1; i < len(into.Stages); i++ {
		if into.Stages[i].DisplayOrder != into.Stages[i-1].DisplayOrder {
			continue
		}
		for place, s := range into.Stages { // each has a place of its own
			s.DisplayOrder = place
		}
	}
	return nil
}

func (d *Definitions) newStage(c *CRM, t Type, into *Pipeline, n NewStage) (*Stage, error) {
	metadata, err := stageMetadata(t, n.Metadata)
	if err != nil {
		return nil, err
	}
	if n.ID == "" {
		n.ID = c.ids.Digits(9)
	}
	s := &Stage{ID: n.ID, Pipeline: into.ID, Label: n.Label, DisplayOrder: n.DisplayOrder, Metadata: metadata, CreatedAt: c.now(), UpdatedAt: c.now()}
	if other := d.types[t].stages[n.ID]; other != nil && other.Pipeline != into.ID {
		return nil, DefinitionExists.Detailf("A stage with the id %s exists in the pipeline %s.", n.ID, other.Pipeline).
			With(Details{SubCategory: "PipelineError.STAGE_ID_EXISTS_IN_ANOTHER_PIPELINE"})
	} else if other != nil {
		s.CreatedAt = other.CreatedAt
	}
	if slices.ContainsFunc(into.Stages, func(o *Stage) bool { return o.ID == n.ID }) {
		return nil, BadDefinition.Detailf("A stage with the id %s already exists in the pipeline.", n.ID)
	}
	if len(into.Stages) >= maxStages {
		return nil, BadDefinition.Detailf("A pipeline can have at most %d stages.", maxStages)
	}
	return s, into.checkStage(s)
}

func (p *Pipeline) checkStage(s *Stage) error {
	if s.Label == "" {
		return BadDefinition.Detailf("A stage needs a label.")
	}
	if s.DisplayOrder < 0 {
		return BadDefinition.Detailf("The displayOrder must not be negative.")
	}
	for _, o := range p.Stages {
		if o.ID != s.ID && strings.EqualFold(o.Label, s.Label) {
			return BadDefinition.Detailf("A stage with the label %q already exists in the pipeline.", s.Label).
				With(Details{SubCategory: "PipelineError.STAGE_LABEL_EXISTS"})
		}
	}
	return nil
}

// placeStage moves other stages if the place of a stage is taken.
func (d *Definitions) placeStage(tx *store.Tx, t Type, p *Pipeline, placed *Stage) error {
	others := slices.DeleteFunc(slices.Clone(p.Stages), func(o *Stage) bool { return o.ID == placed.ID })
	if !slices.ContainsFunc(others, func(o *Stage) bool { return o.DisplayOrder == placed.DisplayOrder }) {
		return nil
	}
	all := append(others, placed)
	slices.SortStableFunc(all, func(a, b *Stage) int { return a.DisplayOrder - b.DisplayOrder })
	for i, o := range all {
		if o.DisplayOrder = i; o != placed {
			if err := updateStage(tx, d.Portal.ID, t, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// CreateStage creates a stage. It returns DefinitionNotFound, BadDefinition and
// DefinitionExists.
func (c *CRM) CreateStage(ctx context.Context, p *auth.Principal, t Type, pipeline string, in NewStage) (out *Stage, err error) {
	err = c.define(ctx, portalOf(p), func(tx *store.Tx, d *Definitions) error {
		into, err := d.FindPipeline(t, pipeline)
		if err != nil {
			return err
		}
		if out, err = d.newStage(c, t, into, in); err != nil {
			return err
		}
		if err := d.placeStage(tx, t, into, out); err != nil {
			return err
		}
		if err := insertStage(tx, d.Portal.ID, t, pipeline, out); err != nil {
			return err
		}
		return c.auditStage(tx, p, t, "CREATE", out)
	})
	return out, err
}

// UpdateStage changes a stage, or archives it. With replace it removes metadata
// that in lacks. It returns DefinitionNotFound and BadDefinition.
func (c *CRM) UpdateStage(ctx context.Context, p *auth.Principal, t Type, pipeline, id string, in UpdateStage, replace bool) (out *Stage, err error) {
	err = c.define(ctx, portalOf(p), func(tx *store.Tx, d *Definitions) error {
		if out, err = d.FindStage(t, pipeline, id); err != nil {
			return err
		}
		of, _ := d.FindPipeline(t, pipeline)
		if in.Archived.Or(false) {
			return c.archiveStage(tx, p, d, t, of, out)
		}
		closed, meant := hadClosed(t, of.Stages), out.Metadata
		if in.Metadata != nil || replace {
			merged := map[string]string{}
			if !replace {
				merged = maps.Clone(out.Metadata)
			}
			for k, v := range in.Metadata {
				merged[k] = v
			}
			if out.Metadata, err = stageMetadata(t, merged); err != nil {
				return err
			}
		}
		moved := in.DisplayOrder.Or(out.DisplayOrder) != out.DisplayOrder
		out.Label, out.DisplayOrder, out.UpdatedAt = in.Label.Or(out.Label), in.DisplayOrder.Or(out.DisplayOrder), c.now()
		if err := of.checkStage(out); err != nil {
			return err
		}
		if closed && !hadClosed(t, of.Stages) {
			return missingClosed()
		}
		if moved {
			if err := d.placeStage(tx, t, of, out); err != nil {
				return err
			}
		}
		if err := updateStage(tx, d.Portal.ID, t, out); err != nil {
			return err
		}
		if err := c.followStage(tx, p, d, t, meant, out); err != nil {
			return err
		}
		return c.auditStage(tx, p, t, "UPDATE", out)
	})
	c.index.Changed()
	return out, err
}

// ArchiveStage archives a stage. It returns DefinitionNotFound, and BadDefinition
// while it contains records or is the last.
func (c *CRM) ArchiveStage(ctx context.Context, p *auth.Principal, t Type, pipeline, id string) error {
	return c.define(ctx, portalOf(p), func(tx *store.Tx, d *Definitions) error {
		s, err := d.FindStage(t, pipeline, id)
		if err != nil {
			return err
		}
		of, _ := d.FindPipeline(t, pipeline)
		return c.archiveStage(tx, p, d, t, of, s)
	})
}

func (c *CRM) archiveStage(tx *store.Tx, p *auth.Principal, d *Definitions, t Type, of *Pipeline, s *Stage) error {
	rest := slices.DeleteFunc(slices.Clone(of.Stages), func(o *Stage) bool { return o.ID == s.ID })
	if len(rest) == 0 {
		return BadDefinition.Detailf("Pipeline must have at least one stage")
	}
	if err := d.refuseInUse(tx, t, []string{s.ID}); err != nil {
		return err
	}
	if hadClosed(t, of.Stages) && !hadClosed(t, rest) {
		return missingClosed()
	}
	s.ArchivedAt = c.now()
	if err := archiveStage(tx, d.Portal.ID, t, s.ID, s.ArchivedAt); err != nil {
		return err
	}
	return c.auditStage(tx, p, t, "DELETE", s)
}

// hadClosed reports whether one of the stages is for closed tickets.
func hadClosed(t Type, stages []*Stage) bool {
	return t == Tickets && slices.ContainsFunc(stages, func(s *Stage) bool { return s.Metadata["ticketState"] == "CLOSED" })
}

func missingClosed() *fault.Error {
	return BadDefinition.Detailf("A ticket pipeline must keep at least one stage with the ticketState CLOSED.").
		With(Details{SubCategory: "PipelineError.MISSING_CLOSED_STAGE"})
}

// refuseInUse returns an error if records are in one of the stages.
func (d *Definitions) refuseInUse(tx *store.Tx, t Type, stages []string) error {
	_, name := t.StageNames()
	return d.refuseReferenced(tx, t, name, "stage", stages)
}

// refuseReferenced returns an error if records have one of the ids as a value of
// a property.
func (d *Definitions) refuseReferenced(tx *store.Tx, t Type, name, kind string, ids []string) error {
	p := d.types[t].property(name)
	if p == nil || len(ids) == 0 {
		return nil
	}
	idOf := map[string]string{}
	for _, id := range ids {
		idOf[p.Key(id)] = id
	}
	users, err := recordsWith(tx, d.Portal.ID, p.Number, slices.Collect(maps.Keys(idOf)), 100)
	if err != nil || len(users) == 0 {
		return err
	}
	var records, used []string
	for _, u := range users {
		records = append(records, strconv.FormatInt(u.record, 10))
		if id := idOf[u.key]; !slices.Contains(used, id) {
			used = append(used, id)
		}
	}
	return BadDefinition.Detailf("%s IDs: [%s] are being referenced by object IDs: [%s]", strings.ToUpper(kind[:1])+kind[1:], strings.Join(used, ", "), strings.Join(records, ", ")).
		With(Details{SubCategory: "PipelineError." + strings.ToUpper(kind) + "_ID_IN_USE", Context: map[string][]string{kind + "Ids": used, "objectIds": records}})
}
