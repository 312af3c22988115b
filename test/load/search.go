package main

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"strings"
	"time"

	"understudy/test/load/wire"
)

// fillAndSearch fills a channel and measures the first search after it, then others.
func (s *subject) fillAndSearch(set settings, channel string, lang *words) error {
	f := s.figures
	fmt.Fprintf(os.Stderr, "%s: filling a channel with %d messages (at most %s)\n", f.name, set.messages, set.fillTime)
	filled, err := wire.Load{Addr: s.Listen, Connections: set.connections, Limit: set.messages, Duration: set.fillTime, Good: good, Next: s.poster(channel, lang, set.connections)}.Run()
	if err != nil {
		return fmt.Errorf("filling: %w", err)
	}
	f.filled, f.fillRate = filled.Count, filled.Rate
	c, err := wire.Dial(s.Listen)
	if err != nil {
		return err
	}
	defer c.Close()
	began := time.Now()
	if err := s.call(c, "search.messages", "query="+lang.list[0], nil); err != nil {
		return err
	}
	f.firstSearch = time.Since(began)
	fmt.Fprintf(os.Stderr, "%s: %d messages, %.0f a second; the first search after them took %s\n", f.name, f.filled, f.fillRate, f.firstSearch)
	if f.search, err = searches(set, s, c, lang); err != nil {
		return err
	}
	f.found, f.fresh, err = postThenSearch(set, s, c, channel)
	return err
}

// searchKind is one sort of query and how long its searches took.
type searchKind struct {
	name  string
	took  []time.Duration
	total int // matches of the last
}

// searches runs every sort of query in turn, one at a time.
func searches(s settings, sub *subject, c *wire.Conn, lang *words) ([]searchKind, error) {
	rnd := rand.New(rand.NewPCG(7, 7))
	kinds := []struct {
		name  string
		query func() string
	}{
		{"one rare word", func() string { return lang.rare(rnd) }},
		{"one common word", func() string { return lang.common(rnd) }},
		{"two words", func() string { return lang.common(rnd) + " " + lang.pick(rnd) }},
		{"a common word in:#large, newest first", func() string { return lang.common(rnd) + " in:#large" }},
		{"no match", func() string { return unique(rnd.IntN(1000)) }},
	}
	out := make([]searchKind, len(kinds))
	for i := range s.searches {
		k := i % len(kinds)
		form := "query=" + url.QueryEscape(kinds[k].query())
		if strings.Contains(kinds[k].name, "newest") {
			form += "&sort=timestamp"
		}
		var reply struct{ Messages struct{ Total int } }
		began := time.Now()
		if err := sub.call(c, "search.messages", form, &reply); err != nil {
			return nil, fmt.Errorf("%s: %w", form, err)
		}
		out[k].name, out[k].total = kinds[k].name, reply.Messages.Total
		out[k].took = append(out[k].took, time.Since(began))
	}
	return out, nil
}

// postThenSearch posts a word that nobody wrote before and searches it at once.
func postThenSearch(s settings, sub *subject, c *wire.Conn, channel string) (found int, took []time.Duration, err error) {
	for i := range max(20, s.searches/8) {
		word := unique(1_000_000 + i)
		if err := sub.call(c, "chat.postMessage", "channel="+channel+"&text=look+for+"+word, nil); err != nil {
			return 0, nil, err
		}
		var reply struct{ Messages struct{ Total int } }
		began := time.Now()
		if err := sub.call(c, "search.messages", "query="+word, &reply); err != nil {
			return 0, nil, err
		}
		took = append(took, time.Since(began))
		if reply.Messages.Total == 1 {
			found++
		}
	}
	return found, took, nil
}
