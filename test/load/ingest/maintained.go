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

// held is what one program holds after maintenance, and how long it takes to answer.
type held struct {
	bytes int64
	rate  float64
	times []time.Duration
}

// compareMaintained sends the same events to a new program in batches, and to
// another one by one, waits for maintenance, and compares bytes and times.
func compareMaintained(s settings, c *column, database func() (string, error), events int) error {
	batched, err := holding(s, database, func(b *subject) (time.Duration, error) {
		took, _, err := sendBatches(b, events, s.connections)
		return took, err
	}, events)
	if err != nil {
		return err
	}
	single, err := holding(s, database, func(b *subject) (time.Duration, error) { return sendEach(b, 0, events, s.manyConnections) }, events)
	if err != nil {
		return err
	}
	c.line("events sent one by one, then maintained, and compared with batches", "", true, "%d", events)
	c.line("single events a second while they are maintained", "", true, "%.0f", single.rate)
	times := float64(single.bytes) / float64(batched.bytes)
	c.line("bytes for each event, and to batches", "at most 1.3 times", times <= 1.3, "%.0f, %.2f times", float64(single.bytes)/float64(events), times)
	for i, q := range comparedQuestions {
		times := float64(single.times[i]) / float64(batched.times[i])
		c.line(q.what+", maintained, and to batches", "at most 1.3 times", times <= 1.3, "%s, %.2f times", milliseconds(single.times[i]), times)
	}
	return nil
}

// holding fills a new program, waits until its maintenance rests, starts it anew
// so that its log is written back, and measures it.
func holding(s settings, database func() (string, error), fill func(b *subject) (time.Duration, error), events int) (h held, err error) {
	url, err := database()
	if err != nil {
		return h, err
	}
	b, err := start(s, url)
	if err != nil {
		return h, err
	}
	defer func() { b.end() }()
	empty, err := b.size()
	if err != nil {
		return h, err
	}
	took, err := fill(b)
	if err == nil {
		err = b.restart()
	}
	if err != nil {
		return h, err
	}
	full, err := b.size()
	h.bytes, h.rate = full-empty, float64(events)/took.Seconds()
	for _, q := range comparedQuestions {
		if err != nil {
			break
		}
		var took time.Duration
		took, err = b.timed(q.path)
		h.times = append(h.times, took)
	}
	return h, err
}
