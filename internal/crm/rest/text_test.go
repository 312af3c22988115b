package rest

import (
	"encoding/json"
	"testing"
)

// Texts are read as encoding/json reads them, with escapes or without.
func TestTextsAreReadAsJSON(t *testing.T) {
	for _, raw := range []string{`""`, `"a"`, `"Ä 中"`, `"a\"b"`, `"\\"`, `"\u00e4"`, `"\ud83d\ude00"`, `"\ud83d"`, "\"\xff\"", "\"a\x7f\"", `"<&>"`} {
		var want string
		if err := json.Unmarshal([]byte(raw), &want); err != nil {
			t.Fatal(err)
		}
		var got struct{ T text }
		if err := json.Unmarshal([]byte(`{"T":`+raw+`}`), &got); err != nil || string(got.T) != want {
			t.Errorf("%s is read as %q, not %q: %v", raw, got.T, want, err)
		}
	}
	for raw, want := range map[string]string{`1`: "1", `-2.50`: "-2.50", `true`: "true", `null`: ""} {
		got := text("before")
		if err := got.UnmarshalJSON([]byte(raw)); err != nil || string(got) != want {
			t.Errorf("%s is read as %q, not %q: %v", raw, got, want, err)
		}
	}
}
