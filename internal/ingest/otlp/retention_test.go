package otlp_test

import (
	"net/http"
	"strings"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"understudy/internal/ingest"
)

// A span that retention would remove at once is rejected, and the others are stored.
func TestSpansOlderThanTheRetentionAreRejected(t *testing.T) {
	w := open(t)
	if err := w.in.SetRetention(ctx, w.in.DefaultProject(), 30); err != nil {
		t.Fatal(err)
	}
	var spans []*tracepb.Span
	for i, days := range []int{31, 29, 0} {
		s := span(byte(i + 1))
		at := w.in.Now() - int64(days)*24*3600*1000
		s.StartTimeUnixNano, s.EndTimeUnixNano = uint64(at)*1e6, uint64(at+7)*1e6
		spans = append(spans, s)
	}
	rec := w.send(jsonType, inJSON(t, request(spans...)))
	if want := `"rejectedSpans":"1","errorMessage":"1 of 3 spans were rejected. span 0101010101010101: timestamp is older than the retention of 30 days"`; rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), want) {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	events, _, err := w.in.Events(ctx, w.in.DefaultProject(), ingest.Filter{}, ingest.Position{}, 10, false)
	if err != nil || len(events) != 2 {
		t.Errorf("%d events, %v", len(events), err)
	}
}
