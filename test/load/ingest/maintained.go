package main

import (
	"time"
)

// comparedQuestions are asked of events that were sent in batches, and singly.
var comparedQuestions = []question{
	{what: "percentiles of each tool, filtered by customer", path: "tools?customer_id=customer-7"},
	{what: "counts by hour, filtered by customer", path: "timeseries?customer_id=customer-7"},
	{what: "newest 50 events of a tool", path: "events?tool=tool_03"},
	{what: "newest 50 events with a word", path: "events?q=98765&view=summary"},
}

// held is a program that was filled, and what it holds after maintenance.
type held struct {
	*subject
	bytes int64
	rate  float64
}

// compareMaintained sends the same events to a new program in batches, and to
// another one by one, waits for maintenance, and compares bytes and times. Both
// programs run while they are asked, in turns: a machine may answer the same
// question a third more slowly some minutes later.
func compareMaintained(s settings, c *column, database func() (string, error)) error {
	events := s.maintained
	batched, err := holding(s, database, func(b *subject) (time.Duration, error) {
		took, _, err := sendBatches(b, events, s.connections)
		return took, err
	}, events)
	if err != nil {
		return err
	}
	defer func() { batched.end() }()
	single, err := holding(s, database, func(b *subject) (time.Duration, error) { return sendEach(b, 0, events, s.manyConnections) }, events)
	if err != nil {
		return err
	}
	defer func() { single.end() }()
	c.line("events sent one by one, then maintained, and compared with batches", "", true, "%d", events)
	c.line("single events a second while they are maintained", "", true, "%.0f", single.rate)
	times := float64(single.bytes) / float64(batched.bytes)
	c.line("bytes for each event, and to batches", "at most 1.3 times", times <= 1.3, "%.0f, %.2f times", float64(single.bytes)/float64(events), times)
	for _, q := range comparedQuestions {
		took, err := timedInTurns(q.path, single.subject, batched.subject)
		if err != nil {
			return err
		}
		times := float64(took[0]) / float64(took[1])
		c.line(q.what+", maintained, and to batches", "at most 1.3 times", times <= 1.3, "%s, %.2f times", milliseconds(took[0]), times)
	}
	return nil
}

// holding fills a new program, waits until its maintenance rests, and starts it anew
// so that its log is written back.
func holding(s settings, database func() (string, error), fill func(b *subject) (time.Duration, error), events int) (h held, err error) {
	url, err := database()
	if err != nil {
		return h, err
	}
	if h.subject, err = start(s, url); err != nil {
		return h, err
	}
	defer func() {
		if err != nil {
			h.end()
		}
	}()
	empty, err := h.size()
	if err != nil {
		return h, err
	}
	took, err := fill(h.subject)
	if err == nil {
		err = h.restart()
	}
	if err != nil {
		return h, err
	}
	full, err := h.size()
	h.bytes, h.rate = full-empty, float64(events)/took.Seconds()
	return h, err
}
