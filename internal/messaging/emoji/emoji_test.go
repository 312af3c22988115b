package emoji

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTableCounts(t *testing.T) {
	x := index()
	if len(x.entries) != entryCount || len(x.names) != nameCount {
		t.Errorf("%d emoji, %d names", len(x.entries), len(x.names))
	}
}

func TestCanonical(t *testing.T) {
	for name, want := range map[string]string{
		"+1": "+1", "thumbsup": "+1", ":thumbsup:": "+1", "thumbsup::skin-tone-2": "+1::skin-tone-2", "poop": "hankey",
		":wave::skin-tone-6:": "wave::skin-tone-6", "handshake::skin-tone-2-3": "handshake::skin-tone-2-3", "us": "us", "flag-us": "us",
		"tada": "tada", "skin-tone-2": "skin-tone-2",
	} {
		if got, ok := Canonical(name); got != want || !ok {
			t.Errorf("Canonical(%q) = %q, %v", name, got, ok)
		}
	}
	for _, name := range []string{"", ":", "no_such_emoji", "+1::skin-tone-1", "+1::skin-tone-7", "+1::skin-tone-2-3", "tada::skin-tone-2", "+1::x", "👍", "+1::skin-tone-", "+1 "} {
		if got, ok := Canonical(name); ok {
			t.Errorf("Canonical(%q) = %q", name, got)
		}
	}
}

func TestUnicode(t *testing.T) {
	for name, want := range map[string]string{
		"+1": "1f44d", "thumbsup::skin-tone-3": "1f44d-1f3fc", "heart": "2764-fe0f", "point_up::skin-tone-2": "261d-1f3fb",
		"woman-running::skin-tone-4": "1f3c3-1f3fd-200d-2640-fe0f", "handshake::skin-tone-2-3": "1faf1-1f3fb-200d-1faf2-1f3fc",
		"handshake::skin-tone-2": "1f91d-1f3fb", "hash": "0023-fe0f-20e3",
	} {
		if got, _, ok := Unicode(name); got != want || !ok {
			t.Errorf("Unicode(%q) = %q, %v", name, got, ok)
		}
	}
	if _, tone, _ := Unicode("wave::skin-tone-5"); tone != 5 {
		t.Errorf("tone %d", tone)
	}
	if _, _, ok := Unicode("nothing"); ok {
		t.Error("nothing is no emoji")
	}
}

func TestMatch(t *testing.T) {
	for text, want := range map[string]string{
		"👍": "+1", "👍🏽 yes": "+1::skin-tone-4", "❤️": "heart", "👨‍👩‍👧": "man-woman-girl", "🇩🇪🇫🇷": "de",
		"1️⃣": "one", "🏴󠁧󠁢󠁥󠁮󠁧󠁿": "flag-england", "🏃🏿‍♀️x": "woman-running::skin-tone-6", "🫱🏻‍🫲🏿": "handshake::skin-tone-2-6",
		"👩🏻‍🤝‍👩🏼": "two_women_holding_hands::skin-tone-2-3", "©️": "copyright", "🅰": "a", "😀😀": "grinning", "☝🏻": "point_up::skin-tone-2",
		"🎉🏽": "tada", "⌚": "watch", "👍‍": "+1", "🏻": "skin-tone-2",
		"": "", "a": "", "1": "", "#": "", "©": "", "↔": "", "❤": "", "😀\ufe0e": "", "é": "", "漢": "", "🇩": "", "\xff": "", "✔": "",
	} {
		name, n := Match(text)
		if name != want || (n == 0) != (want == "") {
			t.Errorf("Match(%q) = %q, %d; want %q", text, name, n, want)
		}
	}
}

// Every emoji is found again in the characters that its name stands for.
func TestRoundTrip(t *testing.T) {
	for _, e := range index().entries {
		names := []string{e.name}
		if e.tones > 0 {
			names = append(names, e.name+"::skin-tone-3")
		}
		if e.tones > 1 {
			names = append(names, e.name+"::skin-tone-3-6")
		}
		for _, name := range names {
			points, _, ok := Unicode(name)
			text := decode(points)
			if got, n := Match(text + " x"); got != name || n != len(text) || !ok {
				t.Errorf("%s (%s) is read as %q, %d of %d bytes", name, points, got, n, len(text))
			}
		}
	}
}

func decode(points string) string {
	var s strings.Builder
	for _, p := range strings.Split(points, "-") {
		var r rune
		for _, c := range p {
			r = r<<4 | rune(strings.IndexRune("0123456789abcdef", c))
		}
		s.WriteRune(r)
	}
	return s.String()
}

func FuzzMatch(f *testing.F) {
	for _, s := range []string{"\U0001F44D\U0001F3FD", "\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466", "\U0001F1E9\U0001F1EA", "1\uFE0F\u20E3", "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F", "\u200D\u200D", strings.Repeat("\U0001F44D\u200D", 30)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name, n := Match(s)
		if n > len(s) || n > 0 && (name == "" || !utf8.ValidString(s[:n])) {
			t.Fatalf("Match(%q) = %q, %d", s, name, n)
		}
		if n > 0 {
			if got, ok := Canonical(name); !ok || got != name {
				t.Fatalf("Match(%q) returns %q, which is no canonical name", s, name)
			}
		}
	})
}

func FuzzCanonical(f *testing.F) {
	f.Add("thumbsup::skin-tone-2")
	f.Add(":handshake::skin-tone-2-3:")
	f.Fuzz(func(t *testing.T, s string) {
		name, ok := Canonical(s)
		if again, ok2 := Canonical(name); ok && (!ok2 || again != name) {
			t.Fatalf("%q is kept as %q, then as %q", s, name, again)
		}
		if _, _, known := Unicode(name); ok && !known {
			t.Fatalf("%q has no code points", name)
		}
	})
}

func BenchmarkBuild(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		build()
	}
}

func BenchmarkMatch(b *testing.B) {
	for b.Loop() {
		Match("🏃🏿‍♀️x")
	}
}
