package seeddoc

import "testing"

func TestReference(t *testing.T) {
	for text, want := range map[string][2]string{"$question": {"question", ""}, "$question.ts": {"question", "ts"}, "$made.messaging.users.a b.id": {"made", "messaging.users.a b.id"}} {
		if name, path, ok := Reference(text); !ok || name != want[0] || path != want[1] {
			t.Errorf("%s: %q %q %v", text, name, path, ok)
		}
	}
	for _, text := range []string{"", "question", "$5", "$$question", "$a b", "$question."} {
		if name, path, ok := Reference(text); ok {
			t.Errorf("%s is a reference: %q %q", text, name, path)
		}
	}
	if plain, ok := Unescaped("$$5"); !ok || plain != "$5" {
		t.Error(plain, ok)
	}
	if _, ok := Unescaped("$5"); ok || !IsCapture("issue_1") || IsCapture("made") || IsCapture("1st") || IsCapture("") {
		t.Error("names and texts are told apart wrongly")
	}
}

func TestADocumentRefersToAName(t *testing.T) {
	for text, want := range map[string]bool{
		`{"expect": [{"where": {"channel": "$made.messaging.channels.general.id"}}]}`:    true,
		`{"trajectory": [{"calls": "x", "by": {"user": "\u0024made.messaging.users"}}]}`: true,
		`["made", {"a": "$madeira"}, "$question.made", "$$made.x", 5, null, "x $made"]`:  false,
		`{"a": {"$made": 1}}`: true,
		`"$made"`:             true,
	} {
		n, err := ParseJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if Refers(n, Made) != want {
			t.Errorf("%s: want %v", text, want)
		}
	}
}
