package main

import (
	"strings"
	"testing"
	"time"
)

// A report without processor times has no table of them, instead of an empty one.
func TestTheReportHasNoEmptyTable(t *testing.T) {
	p := &plane{amount: few, took: map[string][]time.Duration{}}
	for _, r := range ratios {
		p.took[r.act], p.took[r.to] = []time.Duration{time.Millisecond}, []time.Duration{time.Millisecond}
	}
	for name, spent := range map[string]map[string]spread{"measured": {"Cause/merge": {1, 0.9, 1.1, 1}}, "left out": nil} {
		page := report(p, nil, spent)
		if has := strings.Contains(strings.ToLower(page), "processor time"); has != (spent != nil) {
			t.Errorf("processor time is %s: the page shows a table of it: %v\n%s", name, has, page)
		}
		if strings.HasSuffix(page, "| --- |\n") || strings.Contains(page, "| --- |\n\n") {
			t.Errorf("processor time is %s: a table has no rows:\n%s", name, page)
		}
	}
}

// The row that compares equal states is the last, and has no bound.
func TestEqualStatesAreTheLastRow(t *testing.T) {
	p := &plane{amount: few, took: map[string][]time.Duration{}}
	for _, r := range ratios {
		p.took[r.act], p.took[r.to] = []time.Duration{time.Millisecond}, []time.Duration{time.Millisecond}
	}
	one := spread{1, 0.9, 1.1, 1}
	page := report(p, nil, map[string]spread{"Cause/nothing": one, "Faults/off": one, "Cause/merge": one})
	if !strings.HasSuffix(page, "| 1.005 | 1.0000 |\n| the journal on both sides: chat.postMessage | 1.000 | 0.900 and 1.100 | | 1.0000 |\n") {
		t.Error(page)
	}
}

// An act that was measured on SQLite alone has empty cells for PostgreSQL.
func TestAnActOfOneDatabaseIsReported(t *testing.T) {
	took := func(names ...string) *plane {
		p := &plane{amount: few, took: map[string][]time.Duration{}}
		for _, name := range names {
			p.took[name] = []time.Duration{time.Millisecond}
		}
		return p
	}
	var all, some []string
	for _, r := range ratios {
		all = append(all, r.act, r.to)
		if r.act != "100 forks, two servers" {
			some = append(some, r.act, r.to)
		}
	}
	if page := report(took(all...), took(some...), nil); !strings.Contains(page, "| 100 forks, two servers | 1.0 | 1.0 | | |\n") {
		t.Error(page)
	}
}
