package ids

import (
	"strings"
	"testing"
)

func TestWhatABoxSealsOnlyItOpens(t *testing.T) {
	root := []byte("root key")
	box := NewBox(root, "lineage")
	for _, secret := range []string{"", "s", "a secret of the user's own, as long as one may be: " + strings.Repeat("x", 255)} {
		sealed := box.Seal("webhook/1", secret)
		if len(secret) > 1 && strings.Contains(sealed, secret) || sealed != box.Seal("webhook/1", secret) {
			t.Errorf("%q becomes %q", secret, sealed)
		}
		if got, ok := NewBox(root, "lineage").Open("webhook/1", sealed); !ok || got != secret {
			t.Errorf("%q becomes %q, %t", secret, got, ok)
		}
		for name, open := range map[string]func() (string, bool){
			"another purpose":  func() (string, bool) { return box.Open("webhook/2", sealed) },
			"another lineage":  func() (string, bool) { return NewBox(root, "other").Open("webhook/1", sealed) },
			"another key":      func() (string, bool) { return NewBox([]byte("other"), "lineage").Open("webhook/1", sealed) },
			"a changed letter": func() (string, bool) { return box.Open("webhook/1", sealed[:20]+"AAAA"+sealed[24:]) },
			"a part":           func() (string, bool) { return box.Open("webhook/1", sealed[:15]) },
			"plain text":       func() (string, bool) { return box.Open("webhook/1", secret) },
		} {
			if _, ok := open(); ok {
				t.Errorf("%s opens %q", name, secret)
			}
		}
	}
	if box.Seal("a", "x") == box.Seal("b", "x") || box.Seal("a", "x")[:25] == box.Seal("a", "y")[:25] {
		t.Error("two secrets look alike")
	}
}
