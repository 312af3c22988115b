package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// latencies are the times of an act.
type latencies []time.Duration

func (l latencies) at(percent int) time.Duration {
	if len(l) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(l))
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)]
}

// acts are what is measured turn by turn, in this order.
var acts = []string{"create", "create with `demo`", "the same, filled from its documents", "the same, made before with its seed and clock", "fork of `demo`", "snapshot", "reset", "restore", "delete"}

// measureActs does each act once a round, so that all of them see the same machine.
func (r *report) measureActs(c *client) error {
	demo, err := c.create(map[string]any{"name": "demo", "fixture": "demo"})
	if err != nil {
		return err
	}
	var shown struct {
		Environment struct {
			Size int64 `json:"size_bytes"`
		}
	}
	if err := c.admin("GET", "/"+demo.ID, nil, &shown, http.StatusOK); err != nil {
		return err
	}
	r.demoBytes = shown.Environment.Size
	first, err := c.create(repeatable)
	if err != nil {
		return err
	}
	if err := c.admin("DELETE", "/"+first.ID, nil, nil, http.StatusNoContent); err != nil {
		return err
	}
	times := map[string]*latencies{}
	timed := func(act string, f func() error) error {
		began := time.Now()
		if err := f(); err != nil {
			return fmt.Errorf("%s: %w", act, err)
		}
		if times[act] == nil {
			times[act] = &latencies{}
		}
		*times[act] = append(*times[act], time.Since(began))
		return nil
	}
	for n := range r.settings.rounds {
		if err := r.round(c, demo, n, timed); err != nil {
			return err
		}
	}
	r.acts = times
	return c.admin("DELETE", "/"+demo.ID, nil, nil, http.StatusNoContent)
}

// repeatable describes an environment of which all ids and times are known.
var repeatable = map[string]any{"fixture": "demo", "seed": 7, "clock": "2026-03-02T09:00:00Z"}

func (r *report) round(c *client, demo made, n int, timed func(string, func() error) error) error {
	var empty, full, filled, again, fork made
	var snapshot struct{ ID string }
	steps := []struct {
		name string
		f    func() error
	}{
		{"GET /api/health", func() error { return c.call("GET", demo.Messaging.BaseURL+"/api/health", "", nil, nil, 200) }},
		{"copy", func() error { return r.copy(n) }},
		{"create", func() (err error) { empty, err = c.create(map[string]any{}); return err }},
		{"create with `demo`", func() (err error) { full, err = c.create(map[string]any{"fixture": "demo"}); return err }},
		// Nothing is kept of a seed that is new. Without one only the first in a minute is filled.
		{"the same, filled from its documents", func() (err error) {
			filled, err = c.create(map[string]any{"fixture": "demo", "seed": 1000 + n, "clock": repeatable["clock"]})
			return err
		}},
		{"the same, made before with its seed and clock", func() (err error) { again, err = c.create(repeatable); return err }},
		{"fork of `demo`", func() error { return c.admin("POST", "/"+demo.ID+"/fork", map[string]any{}, &fork, http.StatusCreated) }},
		{"", func() error { return c.write(fork, n) }},
		{"snapshot", func() error {
			return c.admin("POST", "/"+fork.ID+"/snapshots", map[string]any{}, &snapshot, http.StatusCreated)
		}},
		{"", func() error { return c.write(fork, n) }},
		{"reset", func() error { return c.admin("POST", "/"+fork.ID+"/reset", nil, nil, http.StatusOK) }},
		{"", func() error { return c.write(fork, n) }},
		{"restore", func() error {
			return c.admin("POST", "/"+fork.ID+"/restore", map[string]any{"snapshot": snapshot.ID}, nil, http.StatusOK)
		}},
		{"delete", func() error { return c.admin("DELETE", "/"+fork.ID, nil, nil, http.StatusNoContent) }},
		{"", func() error { return c.admin("DELETE", "/"+empty.ID, nil, nil, http.StatusNoContent) }},
		{"", func() error { return c.admin("DELETE", "/"+full.ID, nil, nil, http.StatusNoContent) }},
		{"", func() error { return c.admin("DELETE", "/"+filled.ID, nil, nil, http.StatusNoContent) }},
		{"", func() error { return c.admin("DELETE", "/"+again.ID, nil, nil, http.StatusNoContent) }},
	}
	for _, s := range steps {
		if s.name == "" {
			if err := s.f(); err != nil {
				return err
			}
		} else if err := timed(s.name, s.f); err != nil {
			return err
		}
	}
	return nil
}

// copy is the yardstick: a file of the size of the demo world, copied and made durable.
func (r *report) copy(n int) error {
	from := filepath.Join(r.settings.dir, "yardstick")
	if n == 0 {
		if err := os.WriteFile(from, make([]byte, r.demoBytes), 0o600); err != nil {
			return err
		}
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.Create(filepath.Join(r.settings.dir, "yardstick-copy"))
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(out.Name()) }()
	if _, err = io.Copy(out, in); err == nil {
		err = out.Sync()
	}
	if e := out.Close(); err == nil {
		err = e
	}
	return err
}
