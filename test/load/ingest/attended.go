package main

import (
	"fmt"
	"slices"
	"time"
)

// attended compares the rate of batches while the text index and maintenance run
// behind them with the rate without, in pairs of rounds one right after the other: what
// they cost is the median of what they cost in each pair, since a machine may be a
// quarter slower some minutes later. The time of a round with the index ends when a
// search after the last batch is answered, so that what the index has left for later is
// counted. On SQLite most of a round is beyond the events from which writers do a part
// of the index's work.
func attended(s settings, c *column, database func() (string, error)) error {
	events := s.events / 2
	if c.name != "SQLite" {
		events = s.events / 20
	}
	const pairs = 5
	var rates, used [2][]float64
	var cost []float64
	flags := [2][]string{nil, {"--lazy-events"}}
	for pair := range pairs {
		var r [2]round
		for turn := range flags {
			i := (pair + turn) % 2 // neither is always the first
			var err error
			if r[i], err = oneRound(s, database, events, i == 0, flags[i]...); err != nil {
				return err
			}
			rates[i] = append(rates[i], r[i].rate)
			used[i] = append(used[i], r[i].used)
		}
		cost = append(cost, 100*(1-r[0].rate/r[1].rate))
	}
	c.line(fmt.Sprintf("events a second in batches of %d, %d connections, durable", batchRows, s.connections), "", true, "%.0f", median(rates[0]))
	c.line("the same without text index and maintenance (--lazy-events)", "", true, "%.0f", median(rates[1]))
	slices.Sort(cost)
	c.line(fmt.Sprintf("what text index and maintenance cost of the rate, median (least and most) of %d pairs of rounds", pairs), "at most 15 %", median(cost) <= 15,
		"%.1f %% (%.1f to %.1f)", median(cost), cost[0], cost[pairs-1])
	c.line("processor time of the program for each event, and without text index and maintenance", "", true, "%.1f µs, %.1f µs", median(used[0]), median(used[1]))
	return nil
}

// median returns the median of some numbers, which it sorts.
func median(numbers []float64) float64 {
	slices.Sort(numbers)
	return numbers[len(numbers)/2]
}

// batchRate measures the rate of batches alone.
func batchRate(s settings, c *column, database func() (string, error)) error {
	const rounds = 5
	var rates []float64
	for range rounds {
		r, err := oneRound(s, database, s.events/8, false)
		if err != nil {
			return err
		}
		rates = append(rates, r.rate)
	}
	c.line(fmt.Sprintf("events a second in batches of %d, %d connections, durable", batchRows, s.connections), "", true, "%.0f", median(rates))
	return nil
}

// round is the rate of batches, and the processor time that the program used for each
// event, in microseconds.
type round struct{ rate, used float64 }

// oneRound sends batches to a new program. indexed adds the time until a search after the
// last batch is answered.
func oneRound(s settings, database func() (string, error), events int, indexed bool, flags ...string) (r round, err error) {
	url, err := database()
	if err != nil {
		return r, err
	}
	b, err := start(s, url, flags...)
	if err != nil {
		return r, err
	}
	defer b.end()
	before, err := b.CPU()
	if err != nil {
		return r, err
	}
	took, _, err := sendBatches(b, events, s.connections)
	if err == nil && indexed {
		var searched time.Duration
		_, searched, err = b.ask(wordQuestion)
		took += searched
	}
	if err != nil {
		return r, err
	}
	after, err := b.CPU()
	count := float64(events)
	return round{count / took.Seconds(), float64((after - before).Microseconds()) / count}, err
}
