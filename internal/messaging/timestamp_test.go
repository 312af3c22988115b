package messaging_test

import (
	"regexp"
	"testing"

	"understudy/internal/messaging"
)

func TestParseTS(t *testing.T) {
	for text, want := range map[string]messaging.TS{
		"1512085950.000216": 1512085950000216, "1512085950": 1512085950000000, "1512085950.5": 1512085950500000, "0": 0,
	} {
		if got, ok := messaging.ParseTS(text); !ok || got != want {
			t.Errorf("%q is %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", ".", "1.", ".5", "-1", "1.0000001", "1e9", "abc", "1 2", "9999999999999"} {
		if got, ok := messaging.ParseTS(text); ok {
			t.Errorf("%q was read as %d", text, got)
		}
	}
}

func FuzzParseTS(f *testing.F) {
	for _, s := range []string{"1512085950.000216", "0", "", "1.", "99999999999.999999", "\x001.1"} {
		f.Add(s)
	}
	form := regexp.MustCompile(`^\d+\.\d{6}$`)
	f.Fuzz(func(t *testing.T, s string) {
		ts, ok := messaging.ParseTS(s)
		if !ok {
			return
		}
		if again, ok := messaging.ParseTS(ts.String()); !ok || again != ts || ts < 0 || !form.MatchString(ts.String()) {
			t.Fatalf("%q became %d, %s, %d", s, ts, ts, again)
		}
	})
}
