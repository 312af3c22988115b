package rest

import (
	"errors"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/valyala/fastjson"

	"understudy/internal/ingest"
	"understudy/internal/ingest/jsonvalue"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/jsontext"
)

// maxRows bounds the events of a batch.
const maxRows = 500

// captureSession serves POST /api/v1/capture-session.
func (h *Handler) captureSession(w http.ResponseWriter, r *http.Request) error {
	c, o, release, err := h.object(w, r, maxSession, maxSession)
	if err != nil {
		return err
	}
	defer release()
	s, err := decodeSession(o, c)
	if err != nil {
		return err
	}
	if err := h.d.Ingest.CheckSession(&s, c.lenient); err != nil {
		return err
	}
	if err := h.d.Ingest.CaptureSession(r.Context(), c.project, s); err != nil {
		return err
	}
	reply(w, http.StatusOK, idReply("session_id", s.ID))
	return nil
}

// captureEvent serves POST /api/v1/capture-event.
func (h *Handler) captureEvent(w http.ResponseWriter, r *http.Request) error {
	c, o, release, err := h.object(w, r, maxBody, maxEvent)
	if err != nil {
		return err
	}
	defer release()
	e, err := decodeEvent(o, c)
	if err != nil {
		return err
	}
	if err := h.d.Ingest.CheckEvent(&e, c.lenient, h.d.Ingest.Now()); err != nil {
		return err
	}
	if err := ingest.NewAges(h.d.Ingest, c.project).Check(r.Context(), &e); err != nil {
		return err
	}
	if err := h.d.Ingest.CaptureEvents(r.Context(), c.project, []ingest.Event{e}); err != nil {
		return err
	}
	reply(w, http.StatusOK, idReply("event_id", e.ID))
	return nil
}

// object reads the caller and the body of a request, which must be one JSON object.
// It returns bodyTooLarge for a body of more than bound bytes, rowTooLarge for one of
// more than limit bytes, and the errors of writer, body and parseObject. The values
// of o are valid until release is called.
func (h *Handler) object(w http.ResponseWriter, r *http.Request, bound int64, limit int) (c caller, o *fastjson.Object, release func(), err error) {
	if c, err = h.writer(w, r); err != nil {
		return c, nil, nil, err
	}
	b, err := h.body(w, r, bound)
	switch {
	case err != nil:
		return c, nil, nil, err
	case len(b) > limit:
		return c, nil, nil, rowTooLarge.Detailf("event is %d bytes; limit is %d", len(b), limit).With(limitBytes(int64(limit)))
	case !utf8.Valid(b):
		return c, nil, nil, badJSON.Detailf("The body is not valid UTF-8.")
	}
	p := parsers.Get()
	release = func() { done(p, b) }
	if o, err = parseObject(p, b); err != nil {
		release()
	}
	return c, o, release, err
}

func idReply(name, id string) []byte {
	b := make([]byte, 0, len(name)+len(id)+len(`{"":""}`))
	b = append(jsontext.Append(append(b, '{'), name), ':')
	return append(jsontext.Append(b, id), '}')
}

// result is the outcome of a row.
type result struct {
	id     string
	reason string // "" when accepted
}

// captureEvents serves POST /api/v1/capture-events. It accepts or rejects each row
// by itself, and stores the accepted rows in one step.
func (h *Handler) captureEvents(w http.ResponseWriter, r *http.Request) error {
	c, err := h.writer(w, r)
	if err != nil {
		return err
	}
	b, err := h.body(w, r, maxBody)
	if err != nil {
		return err
	}
	p := parsers.Get()
	defer done(p, b)
	o, err := parseObject(p, b)
	if err != nil {
		return err
	}
	list := o.Get("events")
	if list == nil || list.Type() != fastjson.TypeArray {
		return badRequest.At("events").Detailf("events must be an array")
	}
	rows, _ := list.Array()
	if len(rows) > maxRows {
		return tooMany.Detailf("The batch has %d events; limit is %d.", len(rows), maxRows)
	}
	now, ages := h.d.Ingest.Now(), ingest.NewAges(h.d.Ingest, c.project)
	clean := utf8.Valid(b)
	results := make([]result, len(rows))
	events := make([]ingest.Event, 0, len(rows))
	for i, row := range rows {
		e, err := h.row(row, c, now, clean, len(b) > maxEvent)
		if err == nil {
			if err = ages.Check(r.Context(), &e); err != nil && !errors.Is(err, ingest.ValidationFailed) {
				return err
			}
		}
		results[i].id = e.ID
		if err != nil {
			f, ok := fault.As(err)
			if !ok {
				return err
			}
			results[i].reason = f.Detail
			continue
		}
		events = append(events, e)
	}
	if err := h.d.Ingest.CaptureEvents(r.Context(), c.project, events); err != nil {
		return err // nothing is stored: the caller must send the batch again
	}
	reply(w, http.StatusAccepted, batchReply(results, len(events)))
	return nil
}

// row decodes and checks one row of a batch. clean is set if the body is valid
// UTF-8, weigh if the row can be larger than maxEvent. With an error, only the
// event's ID is valid: it is the id for the row's result, "" if it could not be read.
func (h *Handler) row(v *fastjson.Value, c caller, now int64, clean, weigh bool) (e ingest.Event, err error) {
	o, err := v.Object()
	if err != nil {
		return e, ingest.ValidationFailed.Detailf("the event must be an object")
	}
	if weigh {
		if size := len(jsonvalue.Append(nil, v)); size > maxEvent {
			if id, err := text("event_id", o.Get("event_id")); err == nil {
				e.ID = id
			}
			return e, rowTooLarge.Detailf("event is %d bytes; limit is %d", size, maxEvent)
		}
	}
	if e, err = decodeEvent(o, c); err != nil {
		if id := o.Get("event_id"); e.ID == "" && id != nil { // the result contains the row's id, whatever the error is
			e.ID, _ = text("event_id", id)
		}
		return e, err
	}
	if !clean && !validText(&e) {
		if !utf8.ValidString(e.ID) {
			e.ID = ""
		}
		return e, ingest.ValidationFailed.Detailf("the event is not valid UTF-8")
	}
	given := e.ID
	if err := h.d.Ingest.CheckEvent(&e, c.lenient, now); err != nil {
		e.ID = given
		return e, err
	}
	return e, nil
}

// batchReply returns the reply to a batch. It writes the JSON without an encoder,
// because the reply is long and its parts are nearly always the same.
func batchReply(results []result, accepted int) []byte {
	b := make([]byte, 0, 64+len(results)*100)
	b = append(b, `{"accepted":`...)
	b = strconv.AppendInt(b, int64(accepted), 10)
	b = append(b, `,"rejected":`...)
	b = strconv.AppendInt(b, int64(len(results)-accepted), 10)
	b = append(b, `,"results":[`...)
	for i, res := range results {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"index":`...)
		b = strconv.AppendInt(b, int64(i), 10)
		b = append(b, `,"event_id":`...)
		b = jsontext.Append(b, res.id)
		if res.reason == "" {
			b = append(b, `,"status":"accepted","reason":""}`...)
			continue
		}
		b = append(b, `,"status":"rejected","reason":`...)
		b = append(jsontext.Append(b, res.reason), '}')
	}
	return append(b, `]}`...)
}
