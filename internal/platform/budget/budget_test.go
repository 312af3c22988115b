package budget

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.yaml.in/yaml/v3"

	"understudy/internal/platform/jsontext"
)

func TestARequestWaitsForOthersAndIsThenRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(100, 100)
		first, end := context.WithCancel(t.Context())
		if err := p.Hold(first, 70); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		second, cancel := context.WithCancel(t.Context())
		defer cancel()
		if err := p.Hold(second, 40); !errors.Is(err, Exhausted) || time.Since(began) != maxWait {
			t.Fatalf("%v after %s", err, time.Since(began))
		}
		time.AfterFunc(maxWait/2, end)
		if err := p.Hold(second, 40); err != nil {
			t.Fatal(err)
		}
		if p.Held() != 40 {
			t.Fatalf("%d bytes are held", p.Held())
		}
		if err := p.Hold(second, 1000); !errors.Is(err, Exhausted) { // as much as all there is, of which 40 are held
			t.Fatal(err)
		}
		cancel()
		synctest.Wait()
		if err := p.Hold(t.Context(), 1000); err != nil || p.Held() != 100 {
			t.Fatal(err, p.Held())
		}
		if err := p.Hold(context.Background(), 5); err != nil { // belongs to no request
			t.Fatal(err)
		}
	})
}

func TestARequestThatEndsWhileItWaitsHoldsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(10, 10)
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

type named string

func (n named) Owner() any { return n }

// One owner's requests wait for each other and leave the rest of the pool to others.
func TestAnOwnerHasAShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(100, 50)
		greedy := WithOwner(t.Context(), named("greedy"))
		first, end := context.WithCancel(greedy)
		if err := p.Hold(first, 1000); err != nil || p.Held() != 50 {
			t.Fatal(err, p.Held())
		}
		var refused, served atomic.Int64
		for range 10 {
			go func() {
				if p.Hold(greedy, 30) != nil {
					refused.Add(1)
				} else {
					served.Add(1)
				}
			}()
		}
		synctest.Wait()
		began := time.Now()
		if err := p.Hold(WithOwner(t.Context(), named("modest")), 50); err != nil || time.Since(began) != 0 {
			t.Fatalf("%v after %s", err, time.Since(began))
		}
		end()
		synctest.Wait()
		if served.Load() != 1 || p.Held() != 80 {
			t.Fatalf("%d served, %d bytes held", served.Load(), p.Held())
		}
		time.Sleep(maxWait)
		synctest.Wait()
		if refused.Load() != 9 {
			t.Fatalf("%d refused", refused.Load())
		}
	})
}

// Under concurrent use no bytes are lost and none are granted twice. A body
// that grows asks again and again; it must not wait as often.
func TestARequestWaitsTwoSecondsAltogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(100, 100)
		if err := p.Hold(t.Context(), 100); err != nil {
			t.Fatal(err)
		}
		ctx, began := WithOwner(t.Context(), named("one")), time.Now()
		for range 5 {
			if err := p.Hold(ctx, 10); !errors.Is(err, Exhausted) {
				t.Errorf("held more than there is: %v", err)
			}
		}
		if took := time.Since(began); took != maxWait {
			t.Errorf("waited %s altogether", took)
		}
	})
}

func TestAPoolKeepsItsBounds(t *testing.T) {
	p := NewPool(1000, 500)
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			for n := range 50 {
				ctx, end := context.WithTimeout(WithOwner(context.Background(), named(fmt.Sprint(i%5))), time.Duration(n%7)*100*time.Microsecond)
				_ = p.Hold(ctx, int64(1+(i*n)%400))
				if held := p.Held(); held < 0 || held > 1000 {
					t.Errorf("%d bytes are held", held)
				}
				end()
			}
		})
	}
	all.Wait()
	for wait := time.Now().Add(5 * time.Second); p.Held() != 0 && time.Now().Before(wait); {
		time.Sleep(time.Millisecond)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held != 0 || len(p.owners) != 0 || len(p.waiting) != 0 {
		t.Errorf("%d bytes are held, by %v, %d wait", p.held, p.owners, len(p.waiting))
	}
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
