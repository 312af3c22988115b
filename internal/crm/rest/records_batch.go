package rest

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"understudy/internal/crm"
)

// maxInputs is the most inputs of a batch of records.
const maxInputs = 100

// batch encodes an envelope of results.
type batch struct {
	b       []byte
	began   time.Time
	errors  []entry
	results int
}

// entry is an error in an envelope, with all members.
type entry struct {
	Status      string              `json:"status"`
	Category    string              `json:"category"`
	SubCategory string              `json:"subCategory,omitempty"`
	Message     string              `json:"message"`
	Context     map[string][]string `json:"context"`
	Links       map[string]string   `json:"links"`
	Errors      []detail            `json:"errors"`
}

func (c *call) newBatch() *batch {
	return &batch{b: append(make([]byte, 0, 8192), `{"status":"COMPLETE","results":[`...), began: c.Clock.Now()}
}

func (b *batch) add(f func([]byte) []byte) {
	b.b = append(f(b.b), ',')
	b.results++
}

// refuse adds an error, so that the status becomes 207.
func (b *batch) refuse(p problem) {
	e := entry{p.Status, p.Category, p.SubCategory, p.Message, p.Context, p.Links, p.Errors}
	if e.Context == nil {
		e.Context = map[string][]string{}
	}
	if e.Links == nil {
		e.Links = map[string]string{}
	}
	if e.Errors == nil {
		e.Errors = []detail{}
	}
	b.errors = append(b.errors, e)
}

// replyBatch ends the envelope and replies; status applies to a batch without
// errors.
func (c *call) replyBatch(b *batch, status int) error {
	out := closeList(b.b, ']')
	if len(b.errors) > 0 {
		status = http.StatusMultiStatus
		out = appendJSON(append(out, `,"numErrors":`...), len(b.errors))
		out = appendJSON(append(out, `,"errors":`...), b.errors)
	}
	out = appendTime(out, "startedAt", b.began.UnixMicro())
	out = appendTime(out, "completedAt", c.Clock.Now().UnixMicro())
	return c.raw(status, append(out, '}'))
}

// inputs checks the number of a batch's inputs.
func inputs[T any](in []T, most int) error {
	if in == nil {
		return requiredFields("inputs")
	}
	if len(in) > most {
		return badInput("The batch has %d inputs; the maximum is %d.", len(in), most)
	}
	return nil
}

// missingRecords returns the single entry for all records that were not found.
func missingRecords(t crm.Type, keys []string) problem {
	return problem{Status: "error", Category: "OBJECT_NOT_FOUND", Message: "Could not get some " + strings.ToUpper(t.Singular()) +
		" objects, they may be deleted or not exist. Check that ids are valid.", Context: map[string][]string{"ids": keys}}
}

func (c *call) batchRead() error {
	var in struct {
		Inputs     []idInput `json:"inputs"`
		Properties []string  `json:"properties"`
		History    []string  `json:"propertiesWithHistory"`
		IDProperty string    `json:"idProperty"`
	}
	if err := c.body(&in); err != nil {
		return err
	}
	keys, err := inputIDs(in.Inputs)
	if err != nil {
		return err
	}
	archived, err := c.flag("archived")
	if err != nil {
		return err
	}
	b := c.newBatch()
	records, missing, err := c.CRM.ReadRecords(c.ctx, c.principal, c.t, in.IDProperty, keys, crm.ReadOptions{History: in.History, Archived: archived})
	if err != nil {
		return err
	}
	d, err := c.CRM.Definitions(c.ctx, c.principal)
	if err != nil {
		return err
	}
	s := c.selectProperties(d, in.Properties)
	for _, r := range records {
		b.add(func(out []byte) []byte { return s.appendRecord(out, r) })
	}
	if len(missing) > 0 {
		b.refuse(missingRecords(c.t, missing))
	}
	return c.replyBatch(b, http.StatusOK)
}

func (c *call) batchCreate() error {
	var in struct {
		Inputs []createInput `json:"inputs"`
	}
	if err := c.body(&in); err != nil {
		return err
	}
	if err := inputs(in.Inputs, maxInputs); err != nil {
		return err
	}
	b := c.newBatch()
	records := make([]crm.CreateRecord, len(in.Inputs))
	partial := len(in.Inputs) > 0
	for i, input := range in.Inputs {
		if input.Properties == nil {
			return requiredIn("inputs", "properties")
		}
		var err error
		if records[i], err = input.record(); err != nil {
			return err
		}
		partial = partial && input.TraceID != ""
	}
	made, refused, err := c.CRM.CreateRecords(c.ctx, c.principal, c.t, records, partial)
	if err != nil {
		return err
	}
	d, err := c.CRM.Definitions(c.ctx, c.principal)
	if err != nil {
		return err
	}
	values := d.AllValues(c.t)
	for _, r := range made {
		b.add(func(out []byte) []byte { return appendWritten(out, values, r) })
	}
	for i, err := range refused {
		if err == nil {
			continue
		}
		_, p := c.problemOf(err)
		if p.Context == nil {
			p.Context = map[string][]string{}
		}
		p.Context["objectWriteTraceId"] = []string{records[i].TraceID}
		b.refuse(p)
	}
	return c.replyBatch(b, http.StatusCreated)
}

// inputIDs returns the ids of a batch's inputs. Each input must have one.
func inputIDs(in []idInput) ([]string, error) {
	if err := inputs(in, maxInputs); err != nil {
		return nil, err
	}
	keys := make([]string, len(in))
	for i, input := range in {
		if input.ID == "" {
			return nil, requiredIn("inputs", "id")
		}
		keys[i] = string(input.ID)
	}
	return keys, nil
}

type idInput struct {
	ID text `json:"id"`
}

type updateInput struct {
	ID         text   `json:"id"`
	IDProperty string `json:"idProperty"`
	Properties values `json:"properties"`
	TraceID    string `json:"objectWriteTraceId"`
}

func (c *call) updateInputs() ([]crm.UpdateRecord, error) {
	var in struct {
		Inputs []updateInput `json:"inputs"`
	}
	if err := c.body(&in); err != nil {
		return nil, err
	}
	if err := inputs(in.Inputs, maxInputs); err != nil {
		return nil, err
	}
	out := make([]crm.UpdateRecord, len(in.Inputs))
	for i, input := range in.Inputs {
		if input.ID == "" {
			return nil, requiredIn("inputs", "id")
		}
		if input.Properties == nil {
			return nil, requiredIn("inputs", "properties")
		}
		out[i] = crm.UpdateRecord{Key: string(input.ID), IDProperty: input.IDProperty, Properties: input.Properties.strings(), TraceID: input.TraceID}
	}
	return out, nil
}

func (c *call) batchUpdate() error {
	in, err := c.updateInputs()
	if err != nil {
		return err
	}
	b := c.newBatch()
	records, missing, err := c.CRM.UpdateRecords(c.ctx, c.principal, c.t, in)
	if err != nil {
		return err
	}
	return c.replyUpdates(b, in, records, missing, false)
}

func (c *call) batchUpsert() error {
	in, err := c.updateInputs()
	if err != nil {
		return err
	}
	b := c.newBatch()
	records, missing, err := c.CRM.UpsertRecords(c.ctx, c.principal, c.t, in)
	if err != nil {
		return err
	}
	return c.replyUpdates(b, in, records, missing, true)
}

func (c *call) replyUpdates(b *batch, in []crm.UpdateRecord, records []*crm.Record, missing []string, upsert bool) error {
	d, err := c.CRM.Definitions(c.ctx, c.principal)
	if err != nil {
		return err
	}
	values := d.AllValues(c.t)
	for _, r := range records {
		b.add(func(out []byte) []byte {
			out = appendWritten(out, values, r)
			if upsert {
				out = appendJSON(append(out[:len(out)-1], `,"new":`...), r.IsNew)
				out = append(out, '}')
			}
			return out
		})
	}
	if len(missing) > 0 {
		p := missingRecords(c.t, missing)
		for _, u := range in {
			if u.TraceID != "" && slices.Contains(missing, u.Key) {
				p.Context["objectWriteTraceId"] = append(p.Context["objectWriteTraceId"], u.TraceID)
			}
		}
		b.refuse(p)
	}
	return c.replyBatch(b, http.StatusOK)
}

func (c *call) batchArchive() error {
	var in struct {
		Inputs []idInput `json:"inputs"`
	}
	if err := c.body(&in); err != nil {
		return err
	}
	keys, err := inputIDs(in.Inputs)
	if err != nil {
		return err
	}
	if err := c.CRM.ArchiveRecords(c.ctx, c.principal, c.t, keys); err != nil {
		return err
	}
	return c.noContent()
}
