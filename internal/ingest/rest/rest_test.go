package rest_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"understudy/internal/ingest"
	"understudy/internal/ingest/blockstore"
	"understudy/internal/ingest/rest"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/bus"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/record"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

type wire struct {
	http.Handler
	key    string
	events *blockstore.Store
	clock  *clock.Clock
}

const admin = "adm_test"

func open(t testing.TB) *wire {
	t.Helper()
	c, source, secrets, log := clock.At(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)), ids.Random(), ids.NewSecrets([]byte("root"), "l"), slog.New(slog.DiscardHandler)
	state := storetest.SQLite(t, []store.Schema{auth.Schema(), ingest.StateSchema()})
	world := storetest.SQLite(t, []store.Schema{blockstore.Schema(), ingest.EventsSchema()})
	events := blockstore.Open(world, log)
	a := auth.New(state, c, source, &bus.Bus{}, secrets)
	in := ingest.New(ingest.Deps{State: state, Events: world, Store: events, Upkeep: events.Upkeep, Auth: a, Clock: c, IDs: source, Secrets: secrets, Log: log})
	t.Cleanup(func() { in.Close(); events.Close() })
	if err := in.Provision(context.Background()); err != nil {
		t.Fatal(err)
	}
	return &wire{rest.NewHandler(rest.Deps{Ingest: in, Auth: a, CheckAdminKey: func(_, s string) (bool, error) { return s == admin, nil }, Log: log,
		Holders:         func(context.Context, string, ingest.Erased) (out ingest.Holders, err error) { return out, nil },
		EraseRecordings: func(context.Context, func(*record.Request) bool) error { return nil }}), in.DefaultKey(""), events, c}
}

// ask sends a request. The header "key" means x-api-key.
func (w *wire) ask(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("x-api-key", w.key)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	return rec
}

func id(n int) string { return fmt.Sprintf("11111111-0000-4000-8000-%012d", n) }

func row(n int, more string) string {
	return fmt.Sprintf(`{"event_id":"%s","session_id":"%s"%s}`, id(n), id(0), more)
}

func TestEachRowOfABatchStandsAlone(t *testing.T) {
	w := open(t)
	rows := []struct{ row, reason string }{
		{row(1, `,"args":{"a":1},"latency":1.6,"metadata":null,"model":""`), ""},
		{`7`, "the event must be an object"},
		{`{"session_id":"` + id(0) + `"}`, "event_id is required"},
		{`{"event_id":"` + id(2) + `"}`, "session_id is required"},
		{`{"event_id":"x","session_id":"` + id(0) + `"}`, "event_id must be a UUID"},
		{`{"event_id":"00000000-0000-0000-0000-000000000000","session_id":"` + id(0) + `"}`, "event_id must not be the nil UUID"},
		{row(3, `,"parent_id":"nope"`), "parent_id must be a UUID"},
		{row(4, `,"parent_id":"`+id(4)+`"`), "parent_id must differ from event_id"},
		{row(5, `,"timestamp":1763700000`), "timestamp must be epoch milliseconds (got seconds?)"},
		{row(6, `,"timestamp":1763700000000000`), "timestamp must be epoch milliseconds (got microseconds?)"},
		{row(7, `,"timestamp":1999999999999`), "timestamp must not be more than 24 hours ahead of the server"},
		{row(8, `,"latency":"12"`), "latency must be a number, 0 or more"},
		{row(9, `,"latency":-1`), "latency must be a number, 0 or more"},
		{row(10, `,"success":"yes"`), "success must be a boolean"},
		{row(11, `,"input_tokens":1.5`), "input_tokens must be an integer, 0 or more"},
		{row(12, `,"metadata":"x"`), "metadata must be an object"},
		{row(13, `,"model":"`+strings.Repeat("m", 257)+`"`), "model is 257 bytes; limit is 256"},
		{row(14, `,"args":"`+strings.Repeat("a", 8<<20)+`"`), fmt.Sprintf("event is %d bytes; limit is 8388608", 8<<20+len(row(14, `,"args":""`)))},
		{row(15, `,"parent_id":"`+id(999)+`","unknown":[1]`), ""},
		{row(1, ``), ""}, // sent again: accepted, but stored once
	}
	var b strings.Builder
	for i, r := range rows {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(r.row)
	}
	rec := w.ask("POST", "/api/v1/capture-events", `{"events":[`+b.String()+`]}`)
	var got struct {
		Accepted, Rejected int
		Results            []struct {
			Index          int
			EventID        string `json:"event_id"`
			Status, Reason string
		}
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil || rec.Code != 202 || len(got.Results) != len(rows) {
		t.Fatalf("%d %.300s %v", rec.Code, rec.Body, err)
	}
	if got.Accepted != 3 || got.Rejected != len(rows)-3 {
		t.Errorf("%d accepted, %d rejected", got.Accepted, got.Rejected)
	}
	for i, r := range rows {
		want := map[bool]string{true: "accepted", false: "rejected"}[r.reason == ""]
		if g := got.Results[i]; g.Index != i || g.Reason != r.reason || g.Status != want {
			t.Errorf("row %d: %+v, want %q", i, g, r.reason)
		}
	}
	if got.Results[3].EventID != id(2) || got.Results[4].EventID != "x" || got.Results[1].EventID != "" || got.Results[17].EventID != id(14) {
		t.Error("rows do not name the id that was given")
	}
	list := w.ask("GET", "/api/v1/events", "")
	if n := strings.Count(list.Body.String(), `"event_id"`); n != 2 {
		t.Errorf("%d events are kept: %s", n, list.Body)
	}
	if !strings.Contains(list.Body.String(), `"args":"{\"a\":1}"`) || !strings.Contains(list.Body.String(), `"latency":2`) {
		t.Errorf("an object as args, a fraction as latency: %s", list.Body)
	}
}

func TestRefusals(t *testing.T) {
	w := open(t)
	many := strings.TrimSuffix(strings.Repeat(`{},`, 501), ",")
	deep := row(1, `,"args":`+strings.Repeat("[", 400)+strings.Repeat("]", 400))
	for _, c := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		code                     string
	}{
		{"no key", "POST", "/api/v1/capture-event", row(1, ""), []string{"x-api-key", ""}, 401, "unauthorized"},
		{"no key on a batch", "POST", "/api/v1/capture-events", "{", []string{"x-api-key", ""}, 401, "unauthorized"},
		{"a wrong key does not fall through", "POST", "/api/v1/capture-session", "{}", []string{"x-api-key", "sk_x", "x-org-id", w.key}, 401, "unauthorized"},
		{"not JSON", "POST", "/api/v1/capture-event", "{", nil, 400, "invalid_json"},
		{"not strict JSON", "POST", "/api/v1/capture-event", `{"latency":1.2.3}`, nil, 400, "invalid_json"},
		{"deep", "POST", "/api/v1/capture-events", strings.Repeat("[", 1<<20), nil, 400, "invalid_json"},
		{"deep in its place", "POST", "/api/v1/capture-event", deep, nil, 400, "invalid_json"},
		{"not UTF-8", "POST", "/api/v1/capture-event", row(1, ",\"args\":\"\xff\""), nil, 400, "invalid_json"},
		{"not an object", "POST", "/api/v1/capture-events", "[]", nil, 400, "invalid_request"},
		{"no events", "POST", "/api/v1/capture-events", "{}", nil, 400, "invalid_request"},
		{"events no array", "POST", "/api/v1/capture-events", `{"events":{}}`, nil, 400, "invalid_request"},
		{"too many", "POST", "/api/v1/capture-events", `{"events":[` + many + `]}`, nil, 400, "too_many_events"},
		{"a field", "POST", "/api/v1/capture-event", `{"event_id":"` + id(1) + `"}`, nil, 400, "validation_failed"},
		{"no user", "POST", "/api/v1/capture-session", `{"session_id":"` + id(1) + `"}`, nil, 400, "validation_failed"},
		{"large session", "POST", "/api/v1/capture-session", `{"a":"` + strings.Repeat("a", 1<<20) + `"}`, nil, 413, "body_too_large"},
		{"large event", "POST", "/api/v1/capture-event", row(1, `,"args":"`+strings.Repeat("a", 8<<20)+`"`), nil, 413, "event_too_large"},
		{"large batch", "POST", "/api/v1/capture-events", strings.Repeat(" ", 20<<20+1), nil, 413, "body_too_large"},
		{"form", "POST", "/api/v1/capture-event", "a=b", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "unsupported_media_type"},
		{"encoding", "POST", "/api/v1/capture-event", "x", []string{"Content-Encoding", "br"}, 415, "unsupported_media_type"},
		{"not gzip", "POST", "/api/v1/capture-event", "{}", []string{"Content-Encoding", "gzip"}, 400, "invalid_request"},
		{"method", "PUT", "/api/v1/capture-event", "", nil, 405, "method_not_allowed"},
		{"path", "GET", "/api/v1/nothing", "", nil, 404, "not_found"},
		{"unclean path", "POST", "/api//v1/capture-event", "", nil, 404, "not_found"},
		{"keys need the admin key", "GET", "/api/v1/api-keys", "", nil, 403, "forbidden"},
		{"score", "POST", "/api/v1/scores", `{"name":5}`, nil, 400, "validation_failed"},
		{"prices", "PUT", "/api/v1/prices", `{"prices":"x"}`, nil, 400, "validation_failed"},
		{"prices without an object", "PUT", "/api/v1/prices", `[]`, nil, 400, "invalid_json"},
		{"key", "POST", "/api/v1/api-keys", `{"name":5}`, []string{"x-api-key", admin}, 400, "validation_failed"},
		{"cursor", "GET", "/api/v1/events?cursor=x", "", nil, 400, "invalid_request"},
		{"from", "GET", "/api/v1/events?from=yesterday", "", nil, 400, "invalid_request"},
		{"session", "GET", "/api/v1/sessions/" + id(77), "", nil, 404, "session_not_found"},
	} {
		rec := w.ask(c.method, c.path, c.body, c.headers...)
		var e struct{ Error, Code string }
		if err := json.Unmarshal(rec.Body.Bytes(), &e); err != nil || rec.Code != c.status || e.Code != c.code || e.Error == "" {
			t.Errorf("%s: %d %.200s, want %d %s", c.name, rec.Code, rec.Body, c.status, c.code)
		}
		if strings.HasPrefix(c.name, "deep") != strings.Contains(e.Error, "nested more than 300 levels") {
			t.Errorf("%s: %s", c.name, e.Error)
		}
		if (rec.Code == 401) != (rec.Header().Get("WWW-Authenticate") == "ApiKey") || (rec.Code == 405) != (rec.Header().Get("Allow") != "") {
			t.Errorf("%s: headers %v", c.name, rec.Header())
		}
	}
}

func TestBodiesAreDecompressedWithinTheLimit(t *testing.T) {
	w := open(t)
	var zipped, deflated bytes.Buffer
	z := gzip.NewWriter(&zipped)
	d := zlib.NewWriter(&deflated)
	for n, to := range []interface {
		Write([]byte) (int, error)
		Close() error
	}{z, d} {
		_, _ = to.Write([]byte(row(n, "")))
		_ = to.Close()
	}
	e, _ := zstd.NewWriter(nil)
	for coding, body := range map[string]string{"gzip": zipped.String(), "deflate": deflated.String(), "zstd": string(e.EncodeAll([]byte(row(3, "")), nil))} {
		if rec := w.ask("POST", "/api/v1/capture-event", body, "Content-Encoding", coding); rec.Code != 200 {
			t.Errorf("%s: %d %s", coding, rec.Code, rec.Body)
		}
	}
	var bomb bytes.Buffer
	z = gzip.NewWriter(&bomb)
	for range 300 {
		_, _ = z.Write(make([]byte, 1<<20))
	}
	_ = z.Close()
	if rec := w.ask("POST", "/api/v1/capture-events", bomb.String(), "Content-Encoding", "gzip"); rec.Code != 413 {
		t.Errorf("a bomb: %d %s", rec.Code, rec.Body)
	}
	if rec := w.ask("POST", "/api/v1/capture-event", zipped.String()[:zipped.Len()-6], "Content-Encoding", "gzip"); rec.Code != 400 {
		t.Errorf("a body cut short: %d %s", rec.Code, rec.Body)
	}
}

func TestKeysAndProjects(t *testing.T) {
	w := open(t)
	w.clock.Advance(time.Second) // projects created at the same time have no defined order
	var made struct{ ID, Token string }
	rec := w.ask("POST", "/api/v1/api-keys", `{"name":"other","project":"two"}`, "x-api-key", admin)
	if err := json.Unmarshal(rec.Body.Bytes(), &made); err != nil || rec.Code != 201 || !strings.HasPrefix(made.Token, "sk_") {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	if list := w.ask("GET", "/api/v1/api-keys", "", "x-api-key", admin).Body.String(); strings.Contains(list, made.Token) || !strings.Contains(list, made.ID) {
		t.Errorf("the list: %s", list)
	}
	first := w.ask("GET", "/api/v1/projects?limit=1", "", "x-api-key", admin).Body.String()
	if !strings.Contains(first, `"name":"default"`) || strings.Contains(first, `"two"`) {
		t.Errorf("the first project: %s", first)
	}
	_, cursor, _ := strings.Cut(first, `"next_cursor":"`)
	if rest := w.ask("GET", "/api/v1/projects?cursor="+strings.TrimRight(cursor, `"}`), "", "x-api-key", admin).Body.String(); !strings.Contains(rest, `"name":"two"`) || strings.Contains(rest, `"default"`) {
		t.Errorf("the other project: %s", rest)
	}
	w.ask("POST", "/api/v1/capture-event", row(1, ""))
	if rec := w.ask("POST", "/api/v1/capture-event", row(1, `,"args":"theirs"`), "x-api-key", "", "Authorization", "Bearer "+made.Token); rec.Code != 200 {
		t.Errorf("the same id in another project: %d %s", rec.Code, rec.Body)
	}
	if mine := w.ask("GET", "/api/v1/events", "").Body.String(); strings.Contains(mine, "theirs") || strings.Count(mine, `"event_id"`) != 1 {
		t.Errorf("projects mix: %s", mine)
	}
	if rec := w.ask("DELETE", "/api/v1/api-keys/"+made.ID, "", "x-api-key", admin); rec.Code != 204 {
		t.Errorf("revoke: %d %s", rec.Code, rec.Body)
	}
	if rec := w.ask("POST", "/api/v1/capture-event", row(2, ""), "x-api-key", made.Token); rec.Code != 401 {
		t.Errorf("a revoked key: %d", rec.Code)
	}
}

func TestAStoreThatCannotTakeEventsIsSaidSo(t *testing.T) {
	w := open(t)
	w.events.Close()
	for path, body := range map[string]string{"/api/v1/capture-event": row(1, ""), "/api/v1/capture-events": `{"events":[` + row(1, "") + `]}`} {
		rec := w.ask("POST", path, body)
		if rec.Code != 503 || rec.Header().Get("Retry-After") == "" || !strings.Contains(rec.Body.String(), `"temporarily_unavailable"`) {
			t.Errorf("%s: %d %s", path, rec.Code, rec.Body)
		}
	}
	if rec := w.ask("GET", "/api/health", ""); rec.Code != 200 {
		t.Errorf("health: %d", rec.Code)
	}
}

func TestSecretsAreNotKept(t *testing.T) {
	w := open(t)
	body := row(1, `,"metadata":{"headers":{"Authorization":"Bearer hush-1","X-Session-Token":"hush-2"},"input_tokens":5,"list":[{"cookie":"hush-3"}]}`)
	if rec := w.ask("POST", "/api/v1/capture-event", body); rec.Code != 200 {
		t.Fatal(rec.Body)
	}
	list := w.ask("GET", "/api/v1/events", "").Body.String()
	if strings.Contains(list, "hush") || !strings.Contains(list, `"input_tokens":5`) {
		t.Errorf("%s", list)
	}
}

func TestOddBodiesAreAnsweredAndReadable(t *testing.T) {
	w := open(t)
	for _, body := range []string{`{"events":[` + row(1, `,"metadata":{"checkpoint.a":1},"checkpoints":[{"name":"x","timestamp":2}]`) + `]}`,
		`{"events":[{"event_id":1},[],null,{"latency":1e999}]}`, `{"events":[` + row(2, `,"args":"\ud800"`) + `]}`, `{"events":[]}`,
		row(3, `,"args":"\u0000","model":"a\u0000b"`), `{"session_id":"s","user_data":{"userId":7,"a":"\u0000"},"tools":[]}`} {
		for _, headers := range [][]string{nil, {"x-api-key", "", "X-Org-Id", w.key}} {
			for _, path := range []string{"/api/v1/capture-events", "/api/v1/capture-event", "/api/v1/capture-session"} {
				if rec := w.ask("POST", path, body, headers...); rec.Code >= 500 || !json.Valid(rec.Body.Bytes()) {
					t.Errorf("%s %s: %d %s", path, body, rec.Code, rec.Body)
				}
			}
		}
	}
	for _, path := range []string{"/api/v1/events", "/api/v1/sessions", "/api/v1/traits", "/api/v1/users", "/api/v1/tools"} {
		if rec := w.ask("GET", path, ""); rec.Code != 200 || !json.Valid(rec.Body.Bytes()) {
			t.Errorf("%s: %d %s", path, rec.Code, rec.Body)
		}
	}
}
