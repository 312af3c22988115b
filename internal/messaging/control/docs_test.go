package control

import "testing"

func TestEveryRouteIsDescribed(t *testing.T) {
	known := map[string]bool{}
	for _, r := range routes {
		known[r.pattern] = true
		if _, ok := shapes[r.pattern]; !ok || r.summary == "" {
			t.Errorf("%s needs a summary, and a shape in docs.go", r.pattern)
		}
	}
	for pattern := range shapes {
		if !known[pattern] {
			t.Errorf("%s has a shape and is no route", pattern)
		}
	}
	docs() // panics on a description that makes no sense
}
