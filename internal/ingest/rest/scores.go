package rest

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"

	"understudy/internal/ingest"
	"understudy/internal/platform/jsontext"
	"understudy/internal/platform/page"
)

type scoreBody struct {
	SessionID string          `json:"session_id" description:"this or event_id"`
	EventID   string          `json:"event_id"`
	Name      string          `json:"name" required:"true"`
	Value     json.RawMessage `json:"value" required:"true" description:"a number or a text"`
	Comment   string          `json:"comment"`
}

type shownScore struct {
	ID        string  `json:"id"`
	SessionID string  `json:"session_id"`
	EventID   *string `json:"event_id"`
	Name      string  `json:"name"`
	Value     any     `json:"value" description:"a number or a text"`
	Comment   *string `json:"comment"`
	CreatedAt int64   `json:"created_at"`
}

func scoreOf(s *ingest.Score) shownScore {
	out := shownScore{ID: s.ID, SessionID: s.Session, Name: s.Name, Value: s.Text, CreatedAt: s.Created}
	if s.Event != "" {
		out.EventID = &s.Event
	}
	if s.Number != nil {
		out.Value = *s.Number
	}
	if s.Comment != "" {
		out.Comment = &s.Comment
	}
	return out
}

// addScore serves POST /api/v1/scores.
func addScore(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.writerOrAdmin(w, r, ingest.KeyWrite)
	if err != nil {
		return err
	}
	var in scoreBody
	b, err := h.read(w, r, &in)
	if err == nil {
		err = known(b, &in)
	}
	if err != nil {
		return err
	}
	s := ingest.Score{Session: in.SessionID, Event: in.EventID, Name: in.Name, Comment: in.Comment}
	var number float64
	switch {
	case len(in.Value) > 0 && in.Value[0] == '"' && json.Unmarshal(in.Value, &s.Text) == nil && s.Text != "":
	case json.Unmarshal(in.Value, &number) == nil && string(in.Value) != "null":
		s.Number, s.Text = &number, strconv.FormatFloat(number, 'g', -1, 64)
	default:
		return ingest.ValidationFailed.At("value").Detailf("value must be a number or a text")
	}
	if s, err = h.d.Ingest.AddScore(r.Context(), c.project, s); err != nil {
		return err
	}
	return replyJSON(w, http.StatusCreated, scoreOf(&s))
}

// listScores serves GET /api/v1/scores.
func listScores(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.reader(w, r)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	position, limit, err := paging(q, "score")
	if err != nil {
		return err
	}
	below, _, err := numbered(position)
	if err != nil {
		return err
	}
	if below == 0 {
		below = math.MaxInt64
	}
	of := ingest.ScoreQuery{Sessions: given(q, "session_id"), Events: given(q, "event_id"), Names: given(q, "name")}
	for _, ids := range [][]string{of.Sessions, of.Events} {
		for i := range ids {
			ids[i] = ingest.StoredID(ids[i])
		}
	}
	found, more, err := h.d.Ingest.Scores(r.Context(), c.project, of, below, limit)
	if err != nil {
		return err
	}
	next := ""
	if more {
		next = page.Encode("score", strconv.FormatInt(found[len(found)-1].Position(), 10)+",")
	}
	out := make([]shownScore, len(found))
	for i := range found {
		out[i] = scoreOf(&found[i])
	}
	return replyJSON(w, http.StatusOK, map[string]any{"scores": out, "next_cursor": next})
}

// appendScores appends the scores of a session or event as a member.
func appendScores(b []byte, scores []ingest.Score) []byte {
	b = append(b, `,"scores":[`...)
	for i := range scores {
		s := &scores[i]
		b = append(comma(b, i), `{"name":`...)
		b = jsontext.Append(b, s.Name)
		b = append(b, `,"value":`...)
		if s.Number != nil {
			raw, _ := json.Marshal(*s.Number)
			b = append(b, raw...)
		} else {
			b = jsontext.Append(b, s.Text)
		}
		b = appendOptional(b, "comment", s.Comment)
		b = append(b, '}')
	}
	return append(b, ']')
}
