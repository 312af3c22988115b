package yamldoc

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/seeddoc"
)

func TestYAMLIsReadAsJSON(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "null",
		"# nothing\n":                          "null",
		"a: 1\nb: 1.50\nc: 0x1F\nd: 1_000":     `{"a":1,"b":1.50,"c":31,"d":1000}`,
		"a: yes\nb: true\nc: ~\nd: 'true'":     `{"a":"yes","b":true,"c":null,"d":"true"}`,
		"a: 2026-01-31\nb: -3d2h\nc: 12:30":    `{"a":"2026-01-31","b":"-3d2h","c":"12:30"}`,
		"a: .inf\nb: .5\nc: +7":                `{"a":".inf","b":0.5,"c":7}`,
		"a: &x [1]\nb: *x":                     `{"a":[1],"b":[1]}`,
		"a: |\n  two\n  lines\nb: \"\\u00e9\"": `{"a":"two\nlines\n","b":"é"}`,
		// As editors of Windows write it.
		"\ufeffa: 1 # one\r\nb: |\r\n  two\r\n  lines\r\nc: >-\r\n  two\r\n  words\r\nd: [x,\r\n  y]\r\n": `{"a":1,"b":"two\nlines\n","c":"two words","d":["x","y"]}`,
		"\xff\xfea\x00:\x00 \x001\x00\r\x00\n\x00":                                                        `{"a":1}`,
		`{"a": "\ud83d", "b": [{"c": "<x>"}]}`:                                                            `{"a":"�","b":[{"c":"<x>"}]}`,
	} {
		n, err := Parse([]byte(text))
		if err != nil {
			if !strings.Contains(text, `\ud83d`) { // half a character: YAML refuses it
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		if got := string(n.JSON()); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestLinesAreThoseOfTheText(t *testing.T) {
	n, err := Parse([]byte("a:\n  - x\n  -\n    b: {c: 1,\n        d: 2}\n"))
	if err != nil {
		t.Fatal(err)
	}
	b := n.Member("a").Items[1].Member("b")
	if got := fmt.Sprint(n.Line, n.Member("a").Items[0].Line, b.Line, b.Members[1].Line); got != "1 2 4 5" {
		t.Errorf("lines %s", got)
	}
}

// Digits that are a text, such as a telephone number, come as they are written.
func TestDigitsAreKeptForTexts(t *testing.T) {
	for text, want := range map[string]string{"0171234": "0171234", "+49171": "+49171", "007": "007", "1.10": "1.10", "12": "12", "0x1F": "31", "1_000": "1000"} {
		n, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var r seeddoc.Reader
		var got seeddoc.Text
		if r.Read(n, seeddoc.Pos{}, &got); r.Err() != nil || string(got) != want {
			t.Errorf("%s is the text %q: %v", text, got, r.Err())
		}
	}
}

func TestProblemsHaveTheirLine(t *testing.T) {
	for text, want := range map[string]int{
		"a:\n  b: [\n   {c: d}\n\n": 2, "a:\n  b: {c: d\n\ne: f\n": 2, "a: 1\n b: 2\n": 2, "a:\n  b: 1\n c: 2\n": 3, "a:\n\tb: 1\n": 2,
		"a:\n  - b\n  c: d\n": 2, "a: 1\nb: !x!y z\n": 2, "a: 1\nb: \"\xff\"\n": 2, "a: 1\n\nb: \x01\n": 3, "a: 1\nb: \"c\n\n": 2, "a: 1\n---\nb: 2": 2,
		"a: &x {b: 1}\nc:\n  <<: *x\n": 3, "a: 1\nb: *x\n": 2, "a: 1\n}\n": 2,
	} {
		_, err := Parse([]byte(text))
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("line %d:", want)) {
			t.Errorf("%q returns %v, want line %d", text, err, want)
		}
	}
}

func TestWhatIsNoDocumentIsRefused(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s*%c]\n", c, c, strings.Repeat(fmt.Sprintf("*%c,", c-1), 9), c-1)
	}
	for text, want := range map[string]*fault.Error{
		"a: [": seeddoc.Malformed, "a: 1\n b: 2": seeddoc.Malformed, "? [a]\n: b": seeddoc.Malformed, "a: 1\n---\nb: 2": seeddoc.Malformed, "a: \"\\0\"": seeddoc.Malformed,
		"\x01": seeddoc.Malformed, "\xff\xfe\xff": seeddoc.Malformed, "a: &a [*a]": seeddoc.Malformed, bomb: seeddoc.TooLarge, strings.Repeat("[", 5000): seeddoc.Malformed,
	} {
		_, err := Parse([]byte(text))
		if e, ok := fault.As(err); !ok || !e.Is(want) {
			t.Errorf("%.40q returns %v, want %s", text, err, want.Reason)
		}
	}
}

func FuzzYAML(f *testing.F) {
	for _, text := range []string{"a: 1\nb: [x, {c: d}]\n", "a: &x 1\nb: *x\n<<: {c: d}\n", "? a\n: |\n  b\n", "!!binary aGk=", "- !!int x\n- !!float y", "a: \"\\U0010FFFF\""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := Parse([]byte(text))
		if err != nil {
			if e, ok := fault.As(err); !ok || !e.Is(seeddoc.Malformed) && !e.Is(seeddoc.TooLarge) {
				t.Errorf("%q returns %v", text, err)
			}
			return
		}
		if !json.Valid(n.JSON()) {
			t.Errorf("%q is read as %s", text, n.JSON())
		}
	})
}
