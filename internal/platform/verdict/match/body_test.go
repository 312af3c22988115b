package match

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func TestBodies(t *testing.T) {
	for text, want := range map[string]any{
		`{"a":[1]}`:          map[string]any{"a": []any{json.Number("1")}},
		` "text" `:           "text",
		``:                   nil,
		`null`:               nil,
		`a=1&b=&a=2`:         map[string]any{"a": "2", "b": ""},
		`12=a`:               map[string]any{"12": "a"}, // begins as JSON does
		"\n \t{\"a\":true}":  map[string]any{"a": true},
		`text=1`:             map[string]any{"text": "1"}, // as true does
		"\ufeff{}":           map[string]any{"\ufeff{}": ""},
		`-1`:                 json.Number("-1"),
		`true`:               true,
		`{"a":1} trailing`:   map[string]any{`{"a":1} trailing`: ""},
		`blocks=%5B%22x%22]`: map[string]any{"blocks": []any{"x"}},
		`text=%7Bno+JSON`:    map[string]any{"text": "{no JSON"},
		`a=%zz`:              nil,
	} {
		if got := Body([]byte(text)); !reflect.DeepEqual(got, want) {
			t.Errorf("%q is read as %#v, want %#v", text, got, want)
		}
	}
}

func TestPointers(t *testing.T) {
	body := Body([]byte(`{"a":{"b":["c",{"d/e":5,"~1":6}],"":7}}`))
	for text, want := range map[string]any{
		"/a/b/0": "c", "/a/b/1/d~1e": json.Number("5"), "/a/b/1/~01": json.Number("6"), "/a/": json.Number("7"),
		"/a/b/2": nil, "/a/b/-1": nil, "/a/b/x": nil, "/a/b/0/c": nil, "/none": nil,
	} {
		p, ok := ParsePointer(text)
		if got := p.In(body); !ok || got != want {
			t.Errorf("%q leads to %v, want %v", text, got, want)
		}
	}
	if p, ok := ParsePointer(""); !ok || !reflect.DeepEqual(p.In(body), body) {
		t.Error("the empty pointer is not the whole value")
	}
	if _, ok := ParsePointer("a/b"); ok {
		t.Error("a pointer without a slash is read")
	}
}

// FuzzContent compares a body of which only one place is decoded with one that is
// decoded whole.
func FuzzContent(f *testing.F) {
	for _, text := range []string{`{"a":[1,{"b":null}],"a":["x","\ud800"]}`, `{"a":{"b":1.50,"b":2e400}}`, "\"a\xff\"", `[]`, `a=1&b={"c":1}`, `a=x&&%61=+y%2b&=z&a+b=[1]&a`, `a=%2`, `a=%2g`, `a=1;b=2`, `+=1&b`, `a=%7B%22b%22%3A1}&b=[1`, `{"a/b":{"~":"\n\/"}}`,
		`{"a":01}`, "{\"a\":\"\x01\"}", ` {"a" : [ true , false ] } `, strings.Repeat(`{"a":`, 400) + "1" + strings.Repeat("}", 400), ``} {
		for _, place := range []string{"", "/a", "/a/0", "/a/1/b", "/a/b", "/a~1b/~0", "/a/-1", "/a/a/a"} {
			f.Add([]byte(text), place)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, place string) {
		p, ok := ParsePointer(place)
		if !ok {
			return
		}
		c := ReadBody(text)
		defer c.Close()
		for more := range 2 * mostPlaces { // decoded whole at last
			if got, want := c.At(p), p.In(Body(text)); !reflect.DeepEqual(got, want) {
				t.Errorf("%q at %q is %#v after %d other places, want %#v", text, place, got, more, want)
			}
			c.At(Pointer{"other", strconv.Itoa(more)})
		}
	})
}
