package jsontext

import (
	"encoding/json"
	"testing"
)

func FuzzAppend(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "é☃😀", "\xff\xc3", "\u2028\u2029", "<&>"} {
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
	})
}

func BenchmarkAppend(b *testing.B) {
	buf := make([]byte, 0, 256)
	for b.Loop() {
		for _, s := range []string{"ENG-1234", "Issue number 17 of a long list of issues that nobody reads", "In Progress", "Ada Lovelace"} {
			buf = Append(buf[:0], s)
		}
	}
}
