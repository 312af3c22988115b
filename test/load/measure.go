package main

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"understudy/test/load/wire"
)

// contest runs loads turn by turn and returns the medians of each.
func contest(rounds int, loads []wire.Load) ([]wire.Result, error) {
	all, out := make([][]wire.Result, len(loads)), make([]wire.Result, len(loads))
	for range rounds {
		for i, l := range loads {
			r, err := l.Run()
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], r)
		}
	}
	for i := range all {
		out[i] = wire.Median(all[i])
	}
	return out, nil
}

// beside starts a further yardstick, which gets the same requests as the bare one. size
// is that of a reply.
type beside func(size int) (*reference, error)

// against measures one method of each subject, whose requests a source makes,
// beside a yardstick that gets the first one's request bytes and answers as many
// bytes as the method did there, and beside further ones. It returns what further
// ones did after the subjects.
func against(s settings, subs []*subject, sources []source, further ...beside) ([]pair, error) {
	var loads []wire.Load
	size := 0
	for i, sub := range subs {
		l := wire.Load{Addr: sub.Listen, Connections: s.connections, Duration: s.duration, Good: good, Next: sources[i]}
		warm := l
		warm.Duration = s.duration / 4
		r, err := warm.Run()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", sub.figures.name, err)
		}
		if i == 0 {
			size = r.Size
		}
		loads = append(loads, l)
	}
	// The same bytes, sent to the path that answers this size.
	_, rest, _ := bytes.Cut(sources[0](0, 0), []byte(" HTTP/1.1"))
	same := slices.Concat(fmt.Appendf(nil, "POST /%d HTTP/1.1", size), rest)
	bare := func(size int) (*reference, error) { return startReference(size) }
	for _, start := range append(further, bare) {
		ref, err := start(size)
		if err != nil {
			return nil, err
		}
		defer ref.stop()
		loads = append(loads, wire.Load{Addr: ref.addr, Connections: s.connections, Duration: s.duration, Good: good, Next: func(int, int) []byte { return same }})
	}
	results, err := contest(s.rounds, loads)
	if err != nil {
		return nil, err
	}
	last := len(results) - 1
	out := make([]pair, last)
	for i := range out {
		out[i] = pair{results[i], results[last]}
	}
	return out, nil
}

// measure is against for a method whose requests each subject makes by itself. It
// keeps the outcome where place says, and returns that of further yardsticks.
func (r *report) measure(name string, subs []*subject, requests func(*subject) (source, error), place func(*figures) *pair, further ...beside) ([]pair, error) {
	sources := make([]source, len(subs))
	for i, sub := range subs {
		var err error
		if sources[i], err = requests(sub); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	pairs, err := against(r.settings, subs, sources, further...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i, sub := range subs {
		*place(sub.figures) = pairs[i]
	}
	return pairs[len(subs):], nil
}

// measureSmall measures what needs no large folder: posting, the history of a
// channel with a thousand messages, memory at rest, and start-up.
func measureSmall(r *report, subs []*subject) error {
	lang := newWords(20_000)
	few := map[*subject]string{}
	for _, sub := range subs {
		id, err := sub.channel("few-messages")
		if err != nil {
			return err
		}
		few[sub] = id
		if _, err := (wire.Load{Addr: sub.Listen, Connections: 4, Limit: 1000, Duration: time.Minute, Good: good, Next: sub.poster(id, lang, 4)}).Run(); err != nil {
			return err
		}
		if err := sub.restart(r.settings.rounds); err != nil {
			return err
		}
	}
	_, err := r.measure("conversations.history", subs, func(sub *subject) (source, error) {
		return sub.fixed("conversations.history", "channel="+few[sub]+"&limit=100"), nil
	}, func(f *figures) *pair { return &f.history })
	if err != nil {
		return err
	}
	stores, err := r.measure("chat.postMessage", subs, func(sub *subject) (source, error) {
		many, err := sub.channel("many-posts")
		return sub.poster(many, lang, r.settings.connections), err
	}, func(f *figures) *pair { return &f.post }, func(size int) (*reference, error) {
		return startStoring(r.settings.dir, subs[0], size)
	})
	if err != nil {
		return err
	}
	r.stores = stores[0]
	return nil
}

// measureLarge fills one channel and measures history and search over it.
func measureLarge(r *report, subs []*subject) error {
	lang := newWords(20_000)
	channels := map[*subject]string{}
	for _, sub := range subs {
		id, err := sub.channel("large")
		if err != nil {
			return err
		}
		channels[sub] = id
		if err := sub.fillAndSearch(r.settings, id, lang); err != nil {
			return fmt.Errorf("%s: %w", sub.figures.name, err)
		}
	}
	_, err := r.measure("conversations.history of a large channel", subs, func(sub *subject) (source, error) {
		return sub.fixed("conversations.history", "channel="+channels[sub]+"&limit=100"), nil
	}, func(f *figures) *pair { return &f.large })
	if err != nil {
		return err
	}
	_, err = r.measure("conversations.history all over a large channel", subs, func(sub *subject) (source, error) {
		return sub.pages(channels[sub])
	}, func(f *figures) *pair { return &f.spread })
	if err != nil {
		return err
	}
	for _, sub := range subs {
		if err := sub.restart(r.settings.rounds); err != nil {
			return err
		}
	}
	return nil
}
