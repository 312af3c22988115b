package rest

import (
	"encoding/json"
	"net/http"

	"understudy/internal/crm"
)

type auditReply struct {
	Identifier string          `json:"identifier"`
	Action     string          `json:"action"`
	PortalID   int64           `json:"portalId"`
	FromUserID int64           `json:"fromUserId,omitempty"`
	RawObject  json.RawMessage `json:"rawObject"`
	Timestamp  string          `json:"timestamp"`
}

func (c *call) replyAudit(list []crm.Audit, err error) error {
	if err != nil {
		return err
	}
	d, err := c.definitions()
	if err != nil {
		return err
	}
	results := make([]auditReply, len(list))
	for i, a := range list {
		results[i] = auditReply{a.Identifier, a.Action, d.Portal.ID, a.UserID, a.Raw, crm.FormatTime(a.At)}
	}
	return c.reply(http.StatusOK, map[string]any{"results": results})
}

func (c *call) pipelineAudit() error {
	return c.replyAudit(c.CRM.PipelineAudit(c.ctx, c.principal, c.t, c.r.PathValue("pipeline")))
}

func (c *call) stageAudit() error {
	return c.replyAudit(c.CRM.StageAudit(c.ctx, c.principal, c.t, c.r.PathValue("stage")))
}
