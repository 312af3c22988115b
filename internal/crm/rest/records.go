package rest

import (
	"net/http"
	"strconv"
	"strings"

	"understudy/internal/crm"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/jsontext"
)

var recordRoutes = []route{
	{"GET", "/crm/v3/objects/{type}", readTypes, (*call).listRecords},
	{"POST", "/crm/v3/objects/{type}", writeTypes, (*call).createRecord},
	{"POST", "/crm/v3/objects/{type}/merge", writeTypes, (*call).mergeRecords},
	{"POST", "/crm/v3/objects/{type}/gdpr-delete", writeTypes, (*call).eraseRecord},
	{"GET", "/crm/v3/objects/{type}/{id}", readTypes, (*call).getRecord},
	{"PATCH", "/crm/v3/objects/{type}/{id}", writeTypes, (*call).updateRecord},
	{"DELETE", "/crm/v3/objects/{type}/{id}", writeTypes, (*call).archiveRecord},
	{"POST", "/crm/v3/objects/{type}/batch/read", readTypes, (*call).batchRead},
	{"POST", "/crm/v3/objects/{type}/batch/create", writeTypes, (*call).batchCreate},
	{"POST", "/crm/v3/objects/{type}/batch/update", writeTypes, (*call).batchUpdate},
	{"POST", "/crm/v3/objects/{type}/batch/upsert", writeTypes, (*call).batchUpsert},
	{"POST", "/crm/v3/objects/{type}/batch/archive", writeTypes, (*call).batchArchive},
}

// readOptions reads the options for records from the query.
func (c *call) readOptions() (o crm.ReadOptions, err error) {
	o.History = c.list("propertiesWithHistory")
	for _, name := range c.list("associations") {
		if crm.IsOtherType(name) {
			continue // a type of upstream that this service lacks: no associations
		}
		t, err := crm.ParseType(name)
		if err != nil {
			return o, err
		}
		o.Associations = append(o.Associations, t)
	}
	o.Archived, err = c.flag("archived")
	return o, err
}

func (c *call) raw(status int, b []byte) error {
	httpkit.WriteRaw(c.w, status, b)
	return nil
}

func (c *call) listRecords() error {
	o, err := c.readOptions()
	if err != nil {
		return err
	}
	most := 100
	if len(o.History) > 0 {
		most = 50
	}
	limit, err := c.limit(10, most)
	if err != nil {
		return err
	}
	after, err := c.after()
	if err != nil {
		return err
	}
	d, err := c.CRM.Definitions(c.ctx, c.principal)
	if err != nil {
		return err
	}
	records, more, err := c.CRM.ListRecords(c.ctx, c.principal, c.t, after, limit, o)
	if err != nil {
		return err
	}
	s := c.selectProperties(d, c.list("properties"))
	b := append(make([]byte, 0, 512*len(records)+64), `{"results":[`...)
	for _, r := range records {
		b = append(s.appendRecord(b, r), ',')
	}
	b = closeList(b, ']')
	if more {
		b = c.appendPaging(b, strconv.FormatInt(records[len(records)-1].ID, 10))
	}
	return c.raw(http.StatusOK, append(b, '}'))
}

func (c *call) appendPaging(b []byte, after string) []byte {
	b = jsontext.Append(append(b, `,"paging":{"next":{"after":`...), after)
	return append(jsontext.Append(append(b, `,"link":`...), c.link(after)), '}', '}')
}

// associationInput is an association of a new record.
type associationInput struct {
	To *struct {
		ID text `json:"id"`
	} `json:"to"`
	Types []specInput `json:"types"`
}

type specInput struct {
	Category string `json:"associationCategory"` // if absent, that of the standard types
	TypeID   whole  `json:"associationTypeId"`
}

func specs(in []specInput) []crm.AssociationSpec {
	out := make([]crm.AssociationSpec, len(in))
	for i, s := range in {
		if s.Category == "" {
			s.Category = crm.HubspotDefined
		}
		out[i] = crm.AssociationSpec{Category: s.Category, TypeID: int64(s.TypeID)}
	}
	return out
}

type createInput struct {
	Properties   values             `json:"properties"`
	Associations []associationInput `json:"associations"`
	TraceID      string             `json:"objectWriteTraceId"`
}

func (in createInput) record() (crm.CreateRecord, error) {
	out := crm.CreateRecord{Properties: in.Properties.strings(), TraceID: in.TraceID}
	for _, a := range in.Associations {
		if a.To == nil || a.To.ID == "" {
			return out, requiredIn("associations", "to")
		}
		id, err := strconv.ParseInt(string(a.To.ID), 10, 64)
		if err != nil {
			return out, badInput("Invalid association target %q: ids are numeric", a.To.ID)
		}
		out.Associations = append(out.Associations, crm.NewAssociation{To: id, Types: specs(a.Types)})
	}
	return out, nil
}

func (c *call) createRecord() error {
	var in createInput
	if err := c.body(&in); err != nil {
		return err
	}
	if in.Properties == nil {
		return requiredFields("properties")
	}
	input, err := in.record()
	if err != nil {
		return err
	}
	made, _, err := c.CRM.CreateRecords(c.ctx, c.principal, c.t, []crm.CreateRecord{input}, false)
	if err != nil {
		return err
	}
	c.w.Header().Set("Location", strings.TrimSuffix(c.path(), "/")+"/"+strconv.FormatInt(made[0].ID, 10))
	return c.replyWritten(http.StatusCreated, made[0])
}

// replyWritten replies to a write of one record.
func (c *call) replyWritten(status int, r *crm.Record) error {
	d, err := c.CRM.Definitions(c.ctx, c.principal)
	if err != nil {
		return err
	}
	return c.raw(status, appendWritten(make([]byte, 0, 1024), d.AllValues(c.t), r))
}

func (c *call) getRecord() error {
	o, err := c.readOptions()
	if err != nil {
		return err
	}
	r, err := c.CRM.GetRecord(c.ctx, c.principal, c.t, c.r.URL.Query().Get("idProperty"), c.r.PathValue("id"), o)
	if err != nil {
		return err
	}
	d, err := c.CRM.Definitions(c.ctx, c.principal)
	if err != nil {
		return err
	}
	return c.raw(http.StatusOK, c.selectProperties(d, c.list("properties")).appendRecord(make([]byte, 0, 1024), r))
}

func (c *call) updateRecord() error {
	var in struct {
		Properties values `json:"properties"`
	}
	if err := c.body(&in); err != nil {
		return err
	}
	if in.Properties == nil {
		return requiredFields("properties")
	}
	r, err := c.CRM.UpdateRecord(c.ctx, c.principal, c.t, crm.UpdateRecord{
		Key: c.r.PathValue("id"), IDProperty: c.r.URL.Query().Get("idProperty"), Properties: in.Properties.strings()})
	if err != nil {
		return err
	}
	return c.replyWritten(http.StatusOK, r)
}

func (c *call) archiveRecord() error {
	if err := c.CRM.ArchiveRecord(c.ctx, c.principal, c.t, c.r.PathValue("id")); err != nil {
		return err
	}
	return c.noContent()
}

func (c *call) mergeRecords() error {
	var in struct {
		Primary text `json:"primaryObjectId"`
		Merged  text `json:"objectIdToMerge"`
	}
	if err := c.body(&in); err != nil {
		return err
	}
	if in.Primary == "" || in.Merged == "" {
		return requiredFields("primaryObjectId", "objectIdToMerge")
	}
	r, err := c.CRM.MergeRecords(c.ctx, c.principal, c.t, string(in.Primary), string(in.Merged))
	if err != nil {
		return err
	}
	return c.replyWritten(http.StatusOK, r)
}

func (c *call) eraseRecord() error {
	var in struct {
		ObjectID   text   `json:"objectId"`
		IDProperty string `json:"idProperty"`
	}
	if err := c.body(&in); err != nil {
		return err
	}
	if in.ObjectID == "" {
		return requiredFields("objectId")
	}
	if err := c.CRM.EraseRecord(c.ctx, c.principal, c.t, in.IDProperty, string(in.ObjectID)); err != nil {
		return err
	}
	return c.noContent()
}
