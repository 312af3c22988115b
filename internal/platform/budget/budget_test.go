package budget

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.yaml.in/yaml/v3"

	"understudy/internal/platform/jsontext"
)

func TestARequestWaitsForOthersAndIsThenRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(100)
		first, end := context.WithCancel(t.Context())
		if err := p.Hold(first, 70); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		second, cancel := context.WithCancel(t.Context())
		defer cancel()
		if err := p.Hold(second, 40); !errors.Is(err, Exhausted) || time.Since(began) != patience {
			t.Fatalf("%v after %s", err, time.Since(began))
		}
		time.AfterFunc(patience/2, end)
		if err := p.Hold(second, 40); err != nil {
			t.Fatal(err)
		}
		if p.held.Load() != 40 {
			t.Fatalf("%d bytes are held", p.held.Load())
		}
		if err := p.Hold(second, 1000); !errors.Is(err, Exhausted) { // as much as all there is, of which 40 are held
			t.Fatal(err)
		}
		cancel()
		synctest.Wait()
		if err := p.Hold(t.Context(), 1000); err != nil || p.held.Load() != 100 {
			t.Fatal(err, p.held.Load())
		}
		if err := p.Hold(context.Background(), 5); err != nil { // belongs to no request
			t.Fatal(err)
		}
	})
}

func TestARequestThatEndsWhileItWaitsHoldsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(10)
		if err := p.Hold(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		if err := p.Hold(ctx, 5); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	})
}

func TestValuesAreCountedBeforeAnythingIsBuilt(t *testing.T) {
	many := strings.Repeat("0,", MaxValues)
	for text, ok := range map[string]bool{
		"[" + many + "0]":                                   false,
		`{"events":[` + many[:2*1000] + "0]}":               true,
		`"` + many + `"`:                                    true,
		`["\\\"` + many + `", "` + many + `\\"]`:            true,
		`["` + strings.Repeat(`\\`, 3) + `",` + many + "0]": false,
		strings.Repeat(`{"a":[`, MaxValues):                 false,
	} {
		if err := JSON(t.Context(), []byte(text)); (err == nil) != ok {
			t.Errorf("%.30s…: %v", text, err)
		}
	}
	for text, ok := range map[string]bool{
		strings.Repeat("- 0\n", MaxValues):                 false,
		strings.Repeat("- - - - 0\n", MaxValues/4):         false,
		"[" + many + "0]":                                  false,
		"a: &b [" + many + "0]":                            false,
		"text: " + strings.Repeat("one, two", MaxValues/2): true,
	} {
		if err := YAML(t.Context(), []byte(text)); (err == nil) != ok {
			t.Errorf("%.30q…: %v", text, err)
		}
	}
}

// No text has more values than were counted.
func FuzzValues(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":"x,\"[y"}],"c":[[]]}`, "a:\n  - {b, c: d}\n  - ? e\n", "a: &x [1, 2]\nb: *x\n", "- - a\r- b: |\n   x,y\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var v any
		if json.Unmarshal([]byte(s), &v) == nil {
			if n := countJSON(v); n > jsontext.Values([]byte(s)) {
				t.Errorf("%q has %d values, counted %d", s, n, jsontext.Values([]byte(s)))
			}
		}
		var n yaml.Node
		if yaml.Unmarshal([]byte(s), &n) == nil {
			if got := countYAML(&n); got > yamlValues([]byte(s))+4 { // the document, its root, and what ends without a line break
				t.Errorf("%q has %d nodes, counted %d", s, got, yamlValues([]byte(s)))
			}
		}
	})
}

func countJSON(v any) int {
	n := 1
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			n += countJSON(item)
		}
	case map[string]any:
		for _, item := range v {
			n += countJSON(item)
		}
	}
	return n
}

func countYAML(y *yaml.Node) int {
	n := 1
	for _, c := range y.Content {
		n += countYAML(c)
	}
	return n
}
