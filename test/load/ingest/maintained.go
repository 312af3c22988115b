package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// questions are asked of events that were sent in batches, and singly.
var questions = []struct{ what, path string }{
	{"percentiles of each tool, filtered by customer", "tools?customer_id=customer-7"},
	{"counts by hour, filtered by customer", "timeseries?customer_id=customer-7"},
	{"newest 50 events of a tool", "events?tool=tool_03"},
}

// compareMaintained sends the same number of events to a new program in batches,
// and to another one by one, waits for maintenance, and returns rows that compare
// bytes and times.
func compareMaintained(binary, database string, events, connections, singleConnections int) (string, error) {
	batched, _, err := measure(binary, database, func(s *server) time.Duration {
		took, _ := s.batches(events, connections)
		return took
	})
	if err != nil {
		return "", err
	}
	single, took, err := measure(binary, database, func(s *server) time.Duration { return s.each(events, singleConnections) })
	if err != nil {
		return "", err
	}
	var b strings.Builder
	row := func(what, format string, args ...any) {
		line := fmt.Sprintf("| %s | %s |\n", what, fmt.Sprintf(format, args...))
		fmt.Fprint(os.Stderr, line)
		b.WriteString(line)
	}
	row(fmt.Sprintf("%d events sent singly while maintenance runs, %d connections, durable", events, singleConnections), "%.0f events/s", float64(events)/took.Seconds())
	if single.bytes > 0 && batched.bytes > 0 {
		row("bytes on disk per event, maintained, and beside batches", "%.0f, %.2f times", float64(single.bytes)/float64(events), float64(single.bytes)/float64(batched.bytes))
	}
	for i, q := range questions {
		row(q.what+", maintained, and beside batches", "%.1f ms, %.2f times", float64(single.times[i].Microseconds())/1000, float64(single.times[i])/float64(batched.times[i]))
	}
	return b.String(), nil
}

// measured is what one program holds and how long it takes to answer.
type measured struct {
	bytes int64
	times []time.Duration
}

// measure starts a program, fills it, and waits until maintenance rests.
func measure(binary, database string, fill func(s *server) time.Duration) (m measured, took time.Duration, err error) {
	s, err := start(binary, database)
	if err != nil {
		return m, 0, err
	}
	defer s.stop()
	took = fill(s)
	s.timed("tools")
	last, since := s.size(), time.Now()
	for time.Since(since) < 6*time.Second { // a step of maintenance is milliseconds, its last one writes the file anew
		time.Sleep(200 * time.Millisecond)
		if now := s.size(); now != last {
			last, since = now, time.Now()
		}
	}
	m.bytes = last
	for _, q := range questions {
		m.times = append(m.times, s.timed(q.path))
	}
	return m, took, nil
}
