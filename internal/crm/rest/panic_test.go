package rest_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"understudy/internal/crm/rest"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/record"
)

// An internal error has the same envelope, and no detail.
func TestAPanicIsAnEnvelope(t *testing.T) {
	t.Parallel()
	h := rest.NewHandler(rest.Deps{IDs: ids.Seeded(1, 0), Clock: clock.At(start), Log: slog.New(slog.NewTextHandler(io.Discard, nil))}) // without a CRM
	around := httpkit.Around{Service: "crm", Dialect: h, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Recorder: record.New(clock.At(start)), NewID: func() string { return "r1" }, Observe: func(string, int, time.Duration) {}}
	r := httptest.NewRequest("GET", "http://crm.test/api/crm/v3/objects/contacts", nil)
	r.Header.Set("Authorization", "Bearer x")
	rec := httptest.NewRecorder()
	around.Wrap(h).ServeHTTP(rec, r)
	var out map[string]any
	if err := json.Unmarshal(rec.Body.Bytes(), &out); err != nil {
		t.Fatalf("%v in %q", err, rec.Body)
	}
	if rec.Code != 500 || out["status"] != "error" || out["category"] == "" || out["correlationId"] == "" || len(out) != 4 {
		t.Errorf("%d %v", rec.Code, out)
	}
}
