package mcpkit

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFitting(t *testing.T) {
	item := json.RawMessage(`"` + strings.Repeat("x", 9_997) + `"`)
	for n, want := range map[int]int{0: 0, 1: 1, 5: 5, 6: 5, 100: 5} {
		list := make([]json.RawMessage, n)
		for i := range list {
			list[i] = item
		}
		if got := Fitting(list); got != want {
			t.Errorf("%d items of 10,000 bytes: %d fit, want %d", n, got, want)
		}
	}
}

func TestShortened(t *testing.T) {
	long := strings.Repeat("ä<", 30_000)
	raw, err := Shortened(map[string]any{"id": "1", "items": []any{map[string]any{"text": long, "ts": "5"}, map[string]any{"text": long}}})
	if err != nil || len(raw) > MaxResult || !utf8.Valid(raw) {
		t.Fatalf("%v, %d bytes", err, len(raw))
	}
	var got struct {
		ID    string
		Items []struct {
			Text, TS  string
			Truncated bool
		}
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if got.ID != "1" || got.Items[0].TS != "5" || !got.Items[0].Truncated || !strings.HasPrefix(got.Items[1].Text, "ä<ä<") || !strings.HasSuffix(got.Items[1].Text, "…") {
		t.Errorf("%.200s", raw)
	}
	// Nothing to cut: it comes back although it is large, rather than never.
	many := make([]any, 50_000)
	if raw, err := Shortened(many); err != nil || len(raw) < MaxResult {
		t.Error(err, len(raw))
	}
}
