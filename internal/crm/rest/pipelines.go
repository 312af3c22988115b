package rest

import (
	"net/http"

	"understudy/internal/crm"
	"understudy/internal/platform/opt"
)

var pipelineRoutes = []route{
	{"GET", "/crm/v3/pipelines/{type}", readTypes, (*call).listPipelines},
	{"POST", "/crm/v3/pipelines/{type}", writeTypes, (*call).createPipeline},
	{"GET", "/crm/v3/pipelines/{type}/{pipeline}", readTypes, (*call).getPipeline},
	{"PUT", "/crm/v3/pipelines/{type}/{pipeline}", writeTypes, (*call).replacePipeline},
	{"PATCH", "/crm/v3/pipelines/{type}/{pipeline}", writeTypes, (*call).updatePipeline},
	{"DELETE", "/crm/v3/pipelines/{type}/{pipeline}", writeTypes, (*call).archivePipeline},
	{"GET", "/crm/v3/pipelines/{type}/{pipeline}/audit", readTypes, (*call).pipelineAudit},
	{"GET", "/crm/v3/pipelines/{type}/{pipeline}/stages", readTypes, (*call).listStages},
	{"POST", "/crm/v3/pipelines/{type}/{pipeline}/stages", writeTypes, (*call).createStage},
	{"GET", "/crm/v3/pipelines/{type}/{pipeline}/stages/{stage}", readTypes, (*call).getStage},
	{"PUT", "/crm/v3/pipelines/{type}/{pipeline}/stages/{stage}", writeTypes, (*call).replaceStage},
	{"PATCH", "/crm/v3/pipelines/{type}/{pipeline}/stages/{stage}", writeTypes, (*call).updateStage},
	{"DELETE", "/crm/v3/pipelines/{type}/{pipeline}/stages/{stage}", writeTypes, (*call).archiveStage},
	// The pipeline is ignored: clients send the literal text "{pipelineId}".
	{"GET", "/crm/v3/pipelines/{type}/{pipeline}/stages/{stage}/audit", readTypes, (*call).stageAudit},
}

type stageReply struct {
	ID               string            `json:"id"`
	Label            string            `json:"label"`
	DisplayOrder     int               `json:"displayOrder"`
	Metadata         map[string]string `json:"metadata"`
	WritePermissions string            `json:"writePermissions"`
	CreatedAt        string            `json:"createdAt"`
	UpdatedAt        string            `json:"updatedAt"`
	Archived         bool              `json:"archived"`
	ArchivedAt       string            `json:"archivedAt,omitempty"`
}

type pipelineReply struct {
	ID           string       `json:"id"`
	Label        string       `json:"label"`
	DisplayOrder int          `json:"displayOrder"`
	Stages       []stageReply `json:"stages"`
	CreatedAt    string       `json:"createdAt"`
	UpdatedAt    string       `json:"updatedAt"`
	Archived     bool         `json:"archived"`
	ArchivedAt   string       `json:"archivedAt,omitempty"`
}

// archivedAt formats the time of archiving; "" for none.
func archivedAt(micros int64) string {
	if micros == 0 {
		return ""
	}
	return crm.FormatTime(micros)
}

func stage(s *crm.Stage) stageReply {
	return stageReply{s.ID, s.Label, s.DisplayOrder, s.Metadata, "CRM_PERMISSIONS_ENFORCEMENT", crm.FormatTime(s.CreatedAt), crm.FormatTime(s.UpdatedAt),
		s.ArchivedAt != 0, archivedAt(s.ArchivedAt)}
}

func stages(list []*crm.Stage) []stageReply {
	out := make([]stageReply, len(list))
	for i, s := range list {
		out[i] = stage(s)
	}
	return out
}

func pipeline(p *crm.Pipeline) pipelineReply {
	return pipelineReply{p.ID, p.Label, p.DisplayOrder, stages(p.Stages), crm.FormatTime(p.CreatedAt), crm.FormatTime(p.UpdatedAt),
		p.ArchivedAt != 0, archivedAt(p.ArchivedAt)}
}

type stageInput struct {
	ID           text            `json:"stageId"`
	Label        string          `json:"label"`
	DisplayOrder *whole          `json:"displayOrder"`
	Metadata     map[string]text `json:"metadata"`
	Archived     opt.Opt[truth]  `json:"archived"`
}

func metadata(in map[string]text) map[string]string {
	if in == nil {
		return nil
	}
	return values(in).strings()
}

// stage returns the stage; place is its default order, list is the list it
// stands in, if any.
func (in stageInput) stage(list string, place int) (crm.NewStage, error) {
	if in.Label == "" {
		return crm.NewStage{}, requiredIn(list, "label")
	}
	out := crm.NewStage{ID: string(in.ID), Label: in.Label, DisplayOrder: place, Metadata: metadata(in.Metadata)}
	if in.DisplayOrder != nil {
		out.DisplayOrder = int(*in.DisplayOrder)
	}
	return out, nil
}

// newPipeline reads a pipeline.
func (c *call) newPipeline() (out crm.NewPipeline, err error) {
	var in struct {
		ID           text         `json:"pipelineId"`
		Label        string       `json:"label"`
		DisplayOrder *whole       `json:"displayOrder"`
		Stages       []stageInput `json:"stages"`
	}
	if err := c.body(&in); err != nil {
		return out, err
	}
	var missing []string
	if in.Label == "" {
		missing = append(missing, "label")
	}
	if in.Stages == nil {
		missing = append(missing, "stages")
	}
	if missing != nil {
		return out, requiredFields(missing...)
	}
	d, err := c.definitions()
	if err != nil {
		return out, err
	}
	out = crm.NewPipeline{ID: string(in.ID), Label: in.Label, DisplayOrder: len(d.Pipelines(c.t))}
	if in.DisplayOrder != nil {
		out.DisplayOrder = int(*in.DisplayOrder)
	}
	for i, s := range in.Stages {
		stage, err := s.stage("stages", i)
		if err != nil {
			return out, err
		}
		out.Stages = append(out.Stages, stage)
	}
	return out, nil
}

func (c *call) listPipelines() error {
	d, err := c.definitions()
	if err != nil {
		return err
	}
	results := []pipelineReply{}
	for _, p := range d.Pipelines(c.t) {
		results = append(results, pipeline(p))
	}
	return c.reply(http.StatusOK, map[string]any{"results": results})
}

// replyPipeline replies with a pipeline, or returns err.
func (c *call) replyPipeline(status int, p *crm.Pipeline, err error) error {
	if err != nil {
		return err
	}
	return c.reply(status, pipeline(p))
}

func (c *call) createPipeline() error {
	in, err := c.newPipeline()
	if err != nil {
		return err
	}
	p, err := c.CRM.CreatePipeline(c.ctx, c.principal, c.t, in)
	return c.replyPipeline(http.StatusCreated, p, err)
}

func (c *call) getPipeline() error {
	d, err := c.definitions()
	if err != nil {
		return err
	}
	p, err := d.FindPipeline(c.t, c.r.PathValue("pipeline"))
	return c.replyPipeline(http.StatusOK, p, err)
}

func (c *call) replacePipeline() error {
	in, err := c.newPipeline()
	if err != nil {
		return err
	}
	p, err := c.CRM.ReplacePipeline(c.ctx, c.principal, c.t, c.r.PathValue("pipeline"), in)
	return c.replyPipeline(http.StatusOK, p, err)
}

func (c *call) updatePipeline() error {
	var in struct {
		Label        opt.Opt[string] `json:"label"`
		DisplayOrder opt.Opt[whole]  `json:"displayOrder"`
		Archived     opt.Opt[truth]  `json:"archived"`
	}
	if err := c.body(&in); err != nil {
		return err
	}
	p, err := c.CRM.UpdatePipeline(c.ctx, c.principal, c.t, c.r.PathValue("pipeline"),
		crm.UpdatePipeline{Label: in.Label, DisplayOrder: optInt(in.DisplayOrder), Archived: optBool(in.Archived)})
	return c.replyPipeline(http.StatusOK, p, err)
}

func (c *call) archivePipeline() error {
	if err := c.CRM.ArchivePipeline(c.ctx, c.principal, c.t, c.r.PathValue("pipeline")); err != nil {
		return err
	}
	return c.noContent()
}

func (c *call) listStages() error {
	d, err := c.definitions()
	if err != nil {
		return err
	}
	p, err := d.FindPipeline(c.t, c.r.PathValue("pipeline"))
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, map[string]any{"results": stages(p.Stages)})
}

func (c *call) replyStage(status int, s *crm.Stage, err error) error {
	if err != nil {
		return err
	}
	return c.reply(status, stage(s))
}

func (c *call) createStage() error {
	var in stageInput
	if err := c.body(&in); err != nil {
		return err
	}
	d, err := c.definitions()
	if err != nil {
		return err
	}
	p, err := d.FindPipeline(c.t, c.r.PathValue("pipeline"))
	if err != nil {
		return err
	}
	made, err := in.stage("", len(p.Stages))
	if err != nil {
		return err
	}
	s, err := c.CRM.CreateStage(c.ctx, c.principal, c.t, c.r.PathValue("pipeline"), made)
	return c.replyStage(http.StatusCreated, s, err)
}

func (c *call) getStage() error {
	d, err := c.definitions()
	if err != nil {
		return err
	}
	s, err := d.FindStage(c.t, c.r.PathValue("pipeline"), c.r.PathValue("stage"))
	return c.replyStage(http.StatusOK, s, err)
}

func (c *call) replaceStage() error { return c.changeStage(true) }

func (c *call) updateStage() error { return c.changeStage(false) }

func (c *call) changeStage(replace bool) error {
	var in stageInput
	if err := c.body(&in); err != nil {
		return err
	}
	if replace && in.Label == "" {
		return requiredFields("label")
	}
	u := crm.UpdateStage{Metadata: metadata(in.Metadata), Archived: optBool(in.Archived)}
	if in.Label != "" {
		u.Label = opt.Some(in.Label)
	}
	if in.DisplayOrder != nil {
		u.DisplayOrder = opt.Some(int(*in.DisplayOrder))
	}
	s, err := c.CRM.UpdateStage(c.ctx, c.principal, c.t, c.r.PathValue("pipeline"), c.r.PathValue("stage"), u, replace)
	return c.replyStage(http.StatusOK, s, err)
}

func (c *call) archiveStage() error {
	if err := c.CRM.ArchiveStage(c.ctx, c.principal, c.t, c.r.PathValue("pipeline"), c.r.PathValue("stage")); err != nil {
		return err
	}
	return c.noContent()
}
