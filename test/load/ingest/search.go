package main

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"understudy/test/load/wire"
)

// wordQuestion is answered when all events are indexed that were acknowledged before it.
const wordQuestion = "events?q=98765&view=summary&limit=1"

// measureSearch measures full text: how soon a word is found while the index has the
// batches before it to follow, and what searches take.
func measureSearch(b *subject, c *column) error {
	_, took, err := b.ask(wordQuestion)
	if err != nil {
		return err
	}
	c.time("first search right after the last batch", 2*time.Second, took)
	longest := time.Duration(0)
	for i := range 10 {
		n := 1_500_000_000 + i
		word := fmt.Sprintf("needle%d", i)
		b.capture("capture-event", bytes.Replace(appendEvent(nil, n, "", time.Now().UnixMilli()), []byte("two orders found"), []byte(word), 1))
		if err := b.err(); err != nil {
			return err
		}
		acknowledged := time.Now()
		for {
			text, _, err := b.ask("events?q=" + word + "&view=summary")
			if err != nil {
				return err
			}
			if bytes.Contains(text, []byte(`"event_id"`)) {
				break
			}
			if time.Since(acknowledged) > time.Minute {
				return fmt.Errorf("%s is not found", word)
			}
			time.Sleep(5 * time.Millisecond)
		}
		longest = max(longest, time.Since(acknowledged))
	}
	c.time("from acknowledgement to being found, the longest of 10", 2*time.Second, longest)
	var all []time.Duration
	for i := range 200 {
		word := mixed(i) >> 20 % 100_000 // an id that a few events have, or a number that many have
		if i%4 == 0 {
			word %= 1000
		}
		_, took, err := b.ask(fmt.Sprintf("events?q=%d&view=summary", word))
		if err != nil {
			return err
		}
		all = append(all, took)
	}
	slices.Sort(all)
	c.time("200 searches for different words: p50", 50*time.Millisecond, wire.Percentile(all, 50))
	c.time("200 searches for different words: p99", 0, wire.Percentile(all, 99))
	return nil
}
