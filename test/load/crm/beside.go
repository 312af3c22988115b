package main

import (
	"fmt"
	"time"
)

// negations are searches that few indexes help with, and what they are called.
var negations = []struct{ name, body string }{
	{"`NOT_HAS_PROPERTY`", filter(`"phone"`, "NOT_HAS_PROPERTY", `""`)},
	{"`NOT_CONTAINS_TOKEN`", filter(`"email"`, "NOT_CONTAINS_TOKEN", `"example"`)},
	{"a range", filter(`"closedate"`, "LT", `"2024-06-15"`)},
}

// searchBeside runs the negations one after the other, a second apart, until
// stop is closed, and writes a line for each when it ends.
func (r *report) searchBeside(c *client, stop <-chan struct{}) error {
	times := make([]latencies, len(negations))
	defer func() {
		for i, n := range negations {
			r.line("Search "+n.name+" during the fill", fmt.Sprintf("p50 %s, longest %s", times[i].at(50), times[i].at(100)))
		}
	}()
	for n := 0; ; n++ {
		select {
		case <-stop:
			return nil
		case <-time.After(time.Second):
		}
		i := n % len(negations)
		began := time.Now()
		if _, err := c.search(negations[i].body); err != nil {
			return err
		}
		times[i].add(time.Since(began))
	}
}

// searchAfter measures the first searches after the fill, and searches that
// each follow a write.
func (r *report) searchAfter(c *client) error {
	for _, n := range negations {
		began := time.Now()
		if _, err := c.search(n.body); err != nil {
			return err
		}
		r.line("Search "+n.name+" right after the fill", time.Since(began).Round(100*time.Microsecond).String())
	}
	for i, n := range negations {
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
