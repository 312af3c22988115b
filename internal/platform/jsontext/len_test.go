package jsontext

import "testing"

func TestLen(t *testing.T) {
	for _, s := range []string{"", "plain text of some length", "a\"\\\n\r\t\x00\x1f", "é😀", "a\xffb\xc3", "\uFFFD\u2028"} {
		if got, want := Len(s), len(Append(nil, s)); got != want {
			t.Errorf("Len(%q) = %d, want %d", s, got, want)
		}
	}
}
