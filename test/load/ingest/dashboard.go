package main

import (
	"fmt"
	"time"
)

// question is what a dashboard asks for; atMost is 0 without a goal.
type question struct {
	what, path string
	atMost     time.Duration
	duckdb     string // the name of DuckDB's statement, if it has one
}

func questions() []question {
	const ms = time.Millisecond
	day := (24 * time.Hour).Milliseconds()
	return []question{
		{"percentiles of each tool, all events", "tools", 10 * ms, "tools"},
		{"percentiles of each tool, any period", fmt.Sprintf("tools?from=%d&to=%d", first+3*day+12345678, first+20*day+23456789), 0, ""},
		{"percentiles of each tool, filtered by trait", "tools?trait.plan=pro", 150 * ms, "tools_trait"},
		{"different users by day, filtered by trait", "timeseries?interval=day&distinct=user_id&trait.plan=pro", 150 * ms, "users_by_day"},
		{"counts and percentiles by hour, all events", "timeseries?interval=hour", 0, ""},
		{"counts and percentiles by hour and tool", "timeseries?interval=hour&group_by=tool", 120 * ms, "hours_by_tool"},
		{"counts and percentiles by day and trait", "timeseries?interval=day&group_by=trait.plan", 120 * ms, ""},
		{"how the time of a tool is spent", "tools/tool_03/timeline", 100 * ms, ""},
		{"session of 10,000 events with its tree", "sessions/" + longSession, 60 * ms, ""},
		{"newest 50 events of a tool", "events?tool=tool_03", 0, "newest"},
		{"newest 50 sessions", "sessions", 0, ""},
		{"newest 50 events with a rare word", "events?q=98765&view=summary", 50 * ms, "word"},
		{"newest 50 events with two words that most have", "events?q=two+orders&view=summary", 50 * ms, ""},
		{"percentiles of each tool, with a word", "tools?q=777", 0, ""},
		{"errors by fingerprint", "errors", 0, ""},
		{"overview of a week", fmt.Sprintf("overview?from=%d&to=%d", first+20*day, first+27*day), 0, ""},
		{"facets", "facets", 0, ""},
	}
}

// dashboard fills a program and asks what a dashboard asks.
func dashboard(s settings, c *column, database func() (string, error)) error {
	url, err := database()
	if err != nil {
		return err
	}
	b, err := start(s, url)
	if err != nil {
		return err
	}
	defer b.end()
	empty, err := b.size()
	if err == nil {
		err = sendUsers(b)
	}
	if err != nil {
		return err
	}
	took, size, err := sendBatches(b, s.events, s.connections)
	if err != nil {
		return err
	}
	c.line(fmt.Sprintf("events a second, %d events of %d bytes", s.events, size), "", true, "%.0f", float64(s.events)/took.Seconds())
	if err := measureSearch(b, c); err != nil {
		return err
	}
	if took, err = sendEach(b, 1_000_000_000, s.singles, s.manyConnections); err != nil {
		return err
	}
	c.line(fmt.Sprintf("single events a second, %d connections, durable", s.manyConnections), "", true, "%.0f", float64(s.singles)/took.Seconds())
	if err := sendLongSession(b); err != nil {
		return err
	}
	if err := b.restart(); err != nil {
		return err
	}
	full, err := b.size()
	if err != nil {
		return err
	}
	c.line("bytes on disk for each event", "", true, "%.0f", float64(full-empty)/float64(s.events+s.singles+longEvents))
	for _, q := range questions() {
		took, err := b.timed(q.path)
		if err != nil {
			return err
		}
		c.time(q.what, q.atMost, took)
	}
	return measureTraces(b, s, c)
}
