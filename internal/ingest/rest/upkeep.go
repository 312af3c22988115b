package rest

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"strings"

	"understudy/internal/ingest"
	"understudy/internal/platform/apidocs"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/record"
)

// keepingRoutes returns the routes for erasure and retention.
func keepingRoutes() []route {
	one := func(status int, body, answer any) apidocs.Operation {
		return apidocs.Operation{Group: keepingGroup, Credentials: []string{writeKey, adminKey}, Body: body, Replies: map[int]any{status: answer},
			Parameters: []apidocs.Parameter{projectID}, Refusals: refusals(body)}
	}
	return []route{
		{"DELETE", "/api/v1/sessions/{id...}", (*Handler).eraseSession, "Erase a session with all its events", one(202, nil, erasedReply{}), nil},
		{"DELETE", "/api/v1/users/{id...}", (*Handler).eraseUser, "Erase a user: profile, sessions, and events in the sessions of others", one(202, nil, erasedReply{}), nil},
		{"GET", "/api/v1/retention", (*Handler).showRetention, "After how many days events go", one(200, nil, retentionBody{}), nil},
		{"PUT", "/api/v1/retention", (*Handler).setRetention, "Set after how many days events go; null keeps them", one(200, retentionBody{}, retentionBody{}), nil},
	}
}

type erasedReply struct {
	HeldBy ingest.Holders `json:"held_by" description:"copies of a moment that still have it"`
}

type retentionBody struct {
	Days *int64 `json:"days" required:"true" description:"days of the environment's clock, or null"`
}

// keeper returns the caller of an erasure or a change of retention: the holder of a
// project's key with all scopes, or the holder of the admin key.
func (h *Handler) keeper(w http.ResponseWriter, r *http.Request) (caller, error) {
	if text, _ := credential(r); strings.HasPrefix(text, auth.AdminKeyPrefix) {
		return h.reader(w, r)
	}
	return h.holder(w, r, ingest.KeyAll)
}

// eraseSession serves DELETE /api/v1/sessions/{id}.
func (h *Handler) eraseSession(w http.ResponseWriter, r *http.Request) error {
	record.SetPath(w, "/api/v1/sessions/{id}") // the recorded path must not contain the id
	id := r.PathValue("id")
	if ids.IsUUID(id) {
		id = strings.ToLower(id)
	}
	return h.erase(w, r, "session.erase", ingest.Erased{Sessions: []string{id}})
}

// eraseUser serves DELETE /api/v1/users/{id}.
func (h *Handler) eraseUser(w http.ResponseWriter, r *http.Request) error {
	record.SetPath(w, "/api/v1/users/{id}")
	return h.erase(w, r, "user.erase", ingest.Erased{User: r.PathValue("id")})
}

func (h *Handler) erase(w http.ResponseWriter, r *http.Request, action string, what ingest.Erased) error {
	c, err := h.keeper(w, r)
	if err != nil {
		return err
	}
	record.Audit(w, action, c.project)
	held, err := h.d.Holders(r.Context(), c.project, what) // before the erasure, so that a failed request can be repeated
	if err != nil {
		return err
	}
	gone, err := h.d.Ingest.Erase(r.Context(), c.project, what)
	if err != nil {
		return err
	}
	if err := h.d.EraseRecordings(r.Context(), namedBy(gone)); err != nil {
		return err
	}
	return replyJSON(w, http.StatusAccepted, erasedReply{held})
}

// showRetention serves GET /api/v1/retention.
func (h *Handler) showRetention(w http.ResponseWriter, r *http.Request) error {
	c, err := h.reader(w, r)
	if err != nil {
		return err
	}
	return h.replyRetention(w, r, c.project)
}

func (h *Handler) replyRetention(w http.ResponseWriter, r *http.Request, project string) error {
	days, err := h.d.Ingest.Retention(r.Context(), project)
	if err != nil {
		return err
	}
	var out retentionBody
	if days > 0 {
		out.Days = &days
	}
	return replyJSON(w, http.StatusOK, out)
}

// setRetention serves PUT /api/v1/retention.
func (h *Handler) setRetention(w http.ResponseWriter, r *http.Request) error {
	c, err := h.keeper(w, r)
	if err != nil {
		return err
	}
	b, err := h.body(w, r, maxKeyBody)
	if err != nil {
		return err
	}
	days, err := retentionOf(b)
	if err != nil {
		return err
	}
	record.Audit(w, "retention.set", c.project)
	if err := h.d.Ingest.SetRetention(r.Context(), c.project, days); err != nil {
		return err
	}
	return h.replyRetention(w, r, c.project)
}

// retentionOf reads the days from {"days": n}, {"days": null} or null. It returns 0
// for null, and badJSON or ValidationFailed for anything else.
func retentionOf(b []byte) (int64, error) {
	if string(bytes.TrimSpace(b)) == "null" {
		return 0, nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(b, &members) != nil {
		return 0, badJSON
	}
	for name := range members {
		if name != "days" {
			return 0, ingest.ValidationFailed.At(name).Detailf("%s is not a member of this request; there is days", name)
		}
	}
	raw, ok := members["days"]
	switch {
	case !ok:
		return 0, ingest.ValidationFailed.At("days").Detailf("days is required: a number, or null")
	case string(raw) == "null":
		return 0, nil
	}
	var days float64
	if json.Unmarshal(raw, &days) != nil || days != math.Trunc(days) || days < 1 || days > ingest.MaxRetention {
		return 0, ingest.ValidationFailed.At("days").Detailf("days must be a whole number from 1 to %d, or null", ingest.MaxRetention)
	}
	return int64(days), nil
}

// namedBy returns a function that reports whether a recorded request contains the id
// of an erased session or user. For requests with traces it always returns true,
// because a span need not contain the id of its user.
func namedBy(e ingest.Erased) func(r *record.Request) bool {
	forms := map[string]bool{}
	for _, id := range append(e.Sessions, e.User) {
		for _, form := range formsOf(id) {
			forms[form] = true
		}
	}
	delete(forms, "")
	bare := []string{":" + e.User + ",", ":" + e.User + "}", ": " + e.User + ",", ": " + e.User + "}"} // the user's id as a JSON number
	return func(r *record.Request) bool {
		if strings.HasSuffix(r.Path, "/v1/traces") {
			return true
		}
		for _, text := range [][]byte{r.Body, r.Reply} {
			for piece := range bytes.SplitSeq(text, []byte{'"'}) {
				if forms[string(piece)] || len(piece) == uuidLength && forms[strings.ToLower(string(piece))] {
					return true
				}
			}
			for _, b := range bare {
				if e.User != "" && bytes.Contains(text, []byte(b)) {
					return true
				}
			}
		}
		for piece := range strings.FieldsFuncSeq(r.Path+"&"+r.Query, func(c rune) bool { return strings.ContainsRune("/&=?", c) }) {
			if text, err := url.QueryUnescape(piece); forms[piece] || err == nil && (forms[text] || forms[strings.ToLower(text)]) {
				return true
			}
		}
		return false
	}
}

const uuidLength = 36

// formsOf returns the id and its forms in JSON strings, without quotes: with and
// without HTML escapes, and in ASCII.
func formsOf(id string) []string {
	marshalled, _ := json.Marshal(id) // encoding a string cannot fail
	var plain bytes.Buffer
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	_ = e.Encode(id)
	text := strings.TrimSpace(plain.String())
	ascii := strings.Builder{}
	for _, c := range text {
		switch {
		case c < 0x80:
			ascii.WriteRune(c)
		case c > 0xffff:
			c -= 0x10000
			ascii.WriteString(escaped(0xd800+c>>10) + escaped(0xdc00+c&0x3ff))
		default:
			ascii.WriteString(escaped(c))
		}
	}
	unquote := func(s string) string { return strings.TrimSuffix(strings.TrimPrefix(s, `"`), `"`) }
	return []string{id, unquote(string(marshalled)), unquote(text), unquote(ascii.String())}
}

func escaped(c rune) string {
	const digits = ids.Hex
	return string([]byte{'\\', 'u', digits[c>>12&15], digits[c>>8&15], digits[c>>4&15], digits[c&15]})
}
