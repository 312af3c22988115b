package tracker

import (
	"strings"
	"testing"
	"time"

	"understudy/internal/tracker/entity"
)

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{
		"Drop-down overflow in the select menu.": "drop-down-overflow-in-the-select-menu",
		"11/12/22":                               "111222",
		"Ärger, größer":                          "arger-gro-er",
		"日本":                                     "",
		strings.Repeat("word ", 20):              strings.TrimSuffix(strings.Repeat("word-", 14), "-"),
		strings.Repeat("x", 90):                  strings.Repeat("x", 70),
	} {
		if got := slug(title, 70); got != want {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
}

func TestMoments(t *testing.T) {
	now := time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"2021": "2021-01-01T00:00:00Z", "2021-05": "2021-05-01T00:00:00Z", "2021-05-06": "2021-05-06T00:00:00Z",
		"2021-05-06T07:08:09.123Z": "2021-05-06T07:08:09.123Z", "2021-05-06T07:08:09+02:00": "2021-05-06T05:08:09Z",
		"P2W": "2026-04-14T12:00:00Z", "-P1D": "2026-03-30T12:00:00Z", "-P2W1D": "2026-03-16T12:00:00Z", "PT90M": "2026-03-31T13:30:00Z",
		"P1Y": "2027-03-31T12:00:00Z", "-P1M": "2026-03-03T12:00:00Z",
		"": "", "P": "", "P1": "", "yesterday": "", "2021-13": "", "P999999999999D": "", "-": "", "PT": "",
	} {
		m, ok := entity.ParseMoment(text)
		got := ""
		if ok {
			got = m.Resolve(now).Format(time.RFC3339Nano)
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzParseMoment(f *testing.F) {
	for _, seed := range []string{"2021", "-P2W1D", "PT90M", "2021-05-06T07:08:09.123Z"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if m, ok := entity.ParseMoment(s); ok {
			if y := m.Resolve(time.Unix(0, 0)).Year(); y < -6000 || y > 10000 {
				t.Errorf("%q leads to the year %d", s, y)
			}
		}
	})
}

func FuzzSlug(f *testing.F) {
	f.Add("Drop-down / overflow", 20)
	f.Fuzz(func(t *testing.T, title string, limit int) {
		if limit < 1 || limit > 200 {
			return
		}
		s := slug(title, limit)
		if len(s) > limit || strings.HasPrefix(s, "-") || strings.HasSuffix(s, "-") || strings.Contains(s, "--") {
			t.Errorf("%q: %q", title, s)
		}
	})
}

func FuzzIdentifier(f *testing.F) {
	f.Add("ENG-12")
	f.Fuzz(func(t *testing.T, s string) {
		if key, n, ok := splitIdentifier(s); ok && (key == "" || n < 1) {
			t.Errorf("%q: %q %d", s, key, n)
		}
	})
}
