package main

import (
	"fmt"
	"slices"
	"time"
)

// attended compares the rate of batches while the text index and maintenance run
// behind them with the rate without, in rounds that take turns. The time of a
// round with the index ends when a search after the last batch is answered, so
// that what the index has left for later is counted. On SQLite most of a round is
// beyond the events from which writers do a part of the index's work.
func attended(s settings, c *column, database func() (string, error)) error {
	const rounds = 3
	events := s.events / 2
	if c.name != "SQLite" {
		events = s.events / 20
	}
	var rates [2][]float64
	flags := [2][]string{nil, {"--lazy-events"}}
	for round := range rounds {
		for turn := range flags {
			i := (round + turn) % 2 // neither is always the first
			rate, err := oneRound(s, database, events, i == 0, flags[i]...)
			if err != nil {
				return err
			}
			rates[i] = append(rates[i], rate)
		}
	}
	for i := range rates {
		slices.Sort(rates[i])
	}
	with, without := rates[0][rounds/2], rates[1][rounds/2]
	c.line(fmt.Sprintf("events a second in batches of %d, %d connections, durable", batchRows, s.connections), "", true, "%.0f", with)
	c.line("the same without text index and maintenance (--lazy-events)", "", true, "%.0f", without)
	c.line("what text index and maintenance cost of the rate", "at most 15 %", 1-with/without <= 0.15, "%.1f %%", 100*(1-with/without))
	return nil
}

// batchRate measures the rate of batches alone.
func batchRate(s settings, c *column, database func() (string, error)) error {
	const rounds = 5
	var rates []float64
	for range rounds {
		rate, err := oneRound(s, database, s.events/8, false)
		if err != nil {
			return err
		}
		rates = append(rates, rate)
	}
	slices.Sort(rates)
	c.line(fmt.Sprintf("events a second in batches of %d, %d connections, durable", batchRows, s.connections), "", true, "%.0f", rates[rounds/2])
	return nil
}

// oneRound returns the rate of batches that are sent to a new program. indexed
// adds the time until a search after the last batch is answered.
func oneRound(s settings, database func() (string, error), events int, indexed bool, flags ...string) (rate float64, err error) {
	url, err := database()
	if err != nil {
		return 0, err
	}
	b, err := start(s, url, flags...)
	if err != nil {
		return 0, err
	}
	defer b.end()
	took, _, err := sendBatches(b, events, s.connections)
	if err == nil && indexed {
		var searched time.Duration
		_, searched, err = b.ask(wordQuestion)
		took += searched
	}
	return float64(events) / took.Seconds(), err
}
