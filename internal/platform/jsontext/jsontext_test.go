package jsontext

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func FuzzAppend(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "é☃😀", "\xff\xc3", "\u2028\u2029", "<&>", "a long text with \"quotes\" and \\ in it", "ein längerer Text mit ö\n\x00 und 漢字漢字漢字漢字\xff\xff."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var back, want string
		raw := Append(nil, s)
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		std, _ := json.Marshal(s)
		if _ = json.Unmarshal(std, &want); back != want {
			t.Errorf("%q: reads back as %q", s, back)
		}
		for _, room := range []int{0, 1, 9, 14, 40} { // that is left once the text is written
			buf := bytes.Repeat([]byte("~"), 3+len(raw)+room)
			got := Append(buf[:3], s)
			if string(got[3:]) != string(raw) || &got[0] != &buf[0] || len(bytes.Trim(buf[len(got):], "~")) > 0 {
				t.Errorf("%q with room for %d bytes more: %q, and %q behind it", s, room, got, buf[len(got):])
			}
		}
		if Len(s) != len(raw) {
			t.Errorf("Len(%q) = %d, want %d", s, Len(s), len(raw))
		}
	})
}

// The two ways of appending are taken by texts of any length and with any byte anywhere.
func TestEachByteInEachPlace(t *testing.T) {
	for c := range 256 {
		for at := range 20 {
			for length := at + 1; length < 24; length++ {
				s := strings.Repeat("x", at) + string([]byte{byte(c)}) + strings.Repeat("y", length-at-1)
				short := Append(nil, s[at:at+1])
				want := `"` + s[:at] + string(short[1:len(short)-1]) + s[at+1:] + `"`
				for _, room := range []int{0, 100} {
					if got := string(Append(make([]byte, 0, room), s)); got != want {
						t.Fatalf("%q: %s, want %s", s, got, want)
					}
				}
				if Len(s) != len(want) {
					t.Fatalf("Len(%q) = %d, want %d", s, Len(s), len(want))
				}
			}
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	buf := make([]byte, 0, 256)
	for b.Loop() {
		for _, s := range []string{"ENG-1234", "Issue number 17 of a long list of issues that nobody reads", "In Progress", "Ada Lovelace"} {
			buf = Append(buf[:0], s)
		}
	}
}

// BenchmarkQuoted appends a text of JSON, with an escape for each eight bytes.
func BenchmarkQuoted(b *testing.B) {
	const text = `{"orders":[{"id":10234,"status":"open"},{"id":1002,"status":"open"}],"note":"two orders found for the customer"}`
	buf := make([]byte, 0, 256)
	for b.Loop() {
		buf = Append(buf[:0], text)
	}
}

// BenchmarkForeign appends a text above ASCII.
func BenchmarkForeign(b *testing.B) {
	const text = "漢字漢字漢字漢字漢字 für größere Längen, naïve cafés 漢字漢字漢字漢字漢字"
	buf := make([]byte, 0, 256)
	for b.Loop() {
		buf = Append(buf[:0], text)
	}
}

func BenchmarkLen(b *testing.B) {
	const text = `{"orders":[{"id":10234,"status":"open"},{"id":1002,"status":"open"}],"note":"two orders found for the customer"}`
	for b.Loop() {
		if Len(text) < len(text) {
			b.Fatal("shorter")
		}
	}
}
