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
