package main

import (
	"fmt"
	"time"
)

// beside are searches that need what was just written: three that few indexes help
// with, and three for words.
var beside = []struct{ name, body string }{
	{"`NOT_HAS_PROPERTY`", filter(`"phone"`, "NOT_HAS_PROPERTY", `""`)},
	{"`NOT_CONTAINS_TOKEN`", filter(`"email"`, "NOT_CONTAINS_TOKEN", `"example"`)},
	{"a range", filter(`"closedate"`, "LT", `"2024-06-15"`)},
	{"`CONTAINS_TOKEN`, rare word", filter(`"company"`, "CONTAINS_TOKEN", fmt.Sprintf("%q", companyWord(7)))},
	{"`CONTAINS_TOKEN`, common word", filter(`"company"`, "CONTAINS_TOKEN", `"studio"`)},
	{"free `query`", fmt.Sprintf(`{"query":%q}`, companyWord(7))},
}

// searchBeside runs them one after the other, half a second apart, until
// stop is closed, and writes a line for each when it ends.
func (r *report) searchBeside(c *client, stop <-chan struct{}) error {
	times := make([]latencies, len(beside))
	defer func() {
		for i, n := range beside {
			r.line("Search "+n.name+" during the fill", fmt.Sprintf("p50 %s, longest %s", times[i].at(50), times[i].at(100)))
		}
	}()
	for n := 0; ; n++ {
		select {
		case <-stop:
			return nil
		case <-time.After(500 * time.Millisecond):
		}
		i := n % len(beside)
		began := time.Now()
		if _, err := c.search(beside[i].body); err != nil {
			return err
		}
		times[i].add(time.Since(began))
	}
}

// searchAfter measures the first searches after the fill, and searches that
// each follow a write.
func (r *report) searchAfter(c *client) error {
	for _, n := range beside {
		began := time.Now()
		if _, err := c.search(n.body); err != nil {
			return err
		}
		r.line("Search "+n.name+" right after the fill", time.Since(began).Round(100*time.Microsecond).String())
	}
	for i, n := range beside {
		var times latencies
		for k := range 50 {
			if err := c.createOne(1_000*(i+1) + k); err != nil {
				return err
			}
			began := time.Now()
			if _, err := c.search(n.body); err != nil {
				return err
			}
			times.add(time.Since(began))
		}
		r.line("Search "+n.name+" right after a write", fmt.Sprintf("p50 %s, p99 %s", times.at(50), times.at(99)))
	}
	return nil
}
