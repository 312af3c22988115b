package main

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"understudy/test/server"
)

// plane speaks to the admin plane of one server.
type plane struct {
	http      *http.Client
	base, key string
	took      map[string][]time.Duration // by act
}

func (p *plane) call(method, path string, body, into any, want int) error {
	return server.Call(p.http, method, p.base+"/environments"+path, p.key, body, into, want)
}

// timed notes how long an act takes.
func (p *plane) timed(name string, act func() error) error {
	began := time.Now()
	err := act()
	p.took[name] = append(p.took[name], time.Since(began))
	return err
}

// at returns a percentile of an act.
func (p *plane) at(name string, percent int) time.Duration {
	all := slices.Sorted(slices.Values(p.took[name]))
	return all[min(len(all)-1, len(all)*percent/100)]
}

type made struct{ ID string }

// worlds are those that forks are made of.
var worlds = map[string]bool{"disk": false, "memory": true}

func measure(dir string, rounds int) (string, error) {
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	srv, err := server.Start(server.Options{Dir: dir, Args: []string{"--rate-limits", "off"}})
	if err != nil {
		return "", err
	}
	defer srv.Kill()
	cred, err := srv.Credentials()
	if err != nil {
		return "", err
	}
	p := &plane{http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}, Timeout: time.Minute}, base: cred.Admin.BaseURL, key: cred.Admin.Key,
		took: map[string][]time.Duration{}}
	for name, ephemeral := range worlds {
		if err := p.call("POST", "", map[string]any{"id": name, "fixture": "demo", "ephemeral": ephemeral}, nil, 201); err != nil {
			return "", err
		}
	}
	for range rounds {
		for _, world := range []string{"disk", "memory"} {
			if err := p.round(world); err != nil {
				return "", err
			}
		}
	}
	for n := range 3 {
		if err := p.many(n); err != nil {
			return "", err
		}
	}
	if err := p.trace(); err != nil {
		return "", err
	}
	if err := p.grade(rounds); err != nil {
		return "", err
	}
	spent, err := costs()
	if err != nil {
		return "", err
	}
	bin, err := server.Binary()
	if err != nil {
		return "", err
	}
	if err := p.run(bin, dir); err != nil {
		return "", err
	}
	return p.report(spent), nil
}

// round forks a world, with its credentials and with others, compares the fork and removes it.
func (p *plane) round(world string) error {
	var fork, fresh made
	err := p.timed("fork, "+world, func() error { return p.call("POST", "/"+world+"/fork", map[string]any{}, &fork, 201) })
	if err == nil {
		err = p.timed("fork with fresh credentials, "+world, func() error {
			return p.call("POST", "/"+world+"/fork", map[string]any{"credentials": "fresh"}, &fresh, 201)
		})
	}
	if err == nil {
		err = p.timed("diff, "+world, func() error { return p.call("GET", "/"+fork.ID+"/diff", nil, nil, 200) })
	}
	if err == nil {
		err = p.timed("delete, "+world, func() error { return p.call("DELETE", "/"+fork.ID, nil, nil, 204) })
	}
	if err != nil {
		return err
	}
	return p.call("DELETE", "/"+fresh.ID, nil, nil, 204)
}

// forks is how many forks are made at once.
const forks = 100

// many makes forks one after another, from four clients, and by one request.
func (p *plane) many(n int) error {
	ids := make(chan string, 3*forks)
	one := func() error {
		var fork made
		err := p.call("POST", "/disk/fork", map[string]any{}, &fork, 201)
		ids <- fork.ID
		return err
	}
	err := p.timed("100 forks, one after another", func() error {
		for range forks {
			if err := one(); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = p.timed("100 forks, four clients", func() error {
			var wg sync.WaitGroup
			failed := make(chan error, 4)
			for range 4 {
				wg.Go(func() {
					for range forks / 4 {
						if err := one(); err != nil {
							failed <- err
							return
						}
					}
				})
			}
			wg.Wait()
			close(failed)
			return <-failed
		})
	}
	if err == nil {
		err = p.timed("100 forks, count: 100", func() error {
			var reply struct{ Environments []made }
			err := p.call("POST", "/disk/fork", map[string]any{"id": fmt.Sprintf("many-%d", n), "count": forks}, &reply, 201)
			for _, e := range reply.Environments {
				ids <- e.ID
			}
			return err
		})
	}
	close(ids)
	for id := range ids {
		if id != "" && err == nil {
			err = p.call("DELETE", "/"+id, nil, nil, 204)
		}
	}
	return err
}

// report returns the tables; spent holds the ratios of processor time, by benchmark.
func (p *plane) report(spent map[string]spread) string {
	var b strings.Builder
	b.WriteString("| act | p50 ms | p99 ms |\n| --- | --- | --- |\n")
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range p.took {
			if !yield(name) {
				return
			}
		}
	}) {
		fmt.Fprintf(&b, "| %s | %.1f | %.1f |\n", name, p.at(name, 50).Seconds()*1000, p.at(name, 99).Seconds()*1000)
	}
	b.WriteString("\n| ratio of medians | measured | at most |\n| --- | --- | --- |\n")
	ratio := func(what string, value, most float64) {
		fmt.Fprintf(&b, "| %s | %.3g | %g |\n", what, value, most)
	}
	of := func(name string) float64 { return p.at(name, 50).Seconds() }
	ratio("fork of a world in memory, to one on disk", of("fork, memory")/of("fork, disk"), 0.5)
	ratio("diff of a world in memory, to one on disk", of("diff, memory")/of("diff, disk"), 1)
	ratio("`count: 100`, to 100 forks one after another", of("100 forks, count: 100")/of("100 forks, one after another"), 0.6)
	ratio("100 forks from four clients, to one client", of("100 forks, four clients")/of("100 forks, one after another"), 0.55)
	ratio("`understudy run -n 200 -p 2 -- true`, wall for a run, to fork, verdict and delete", of("a run of `true`, wall of 200 by 200")/of("fork, verdict and delete"), 3)
	ratio("trace of 1,000 events and 5,000 requests, to the tree of the session", of("its trace with 5,000 requests")/of("tree of a session of 1,000 events"), 5)
	ratio("fork, verdict of 10 expectations and delete, to a fork alone", of("fork, verdict of 10 expectations and delete")/of("fork, disk"), 2.5)
	ratio("verdict of 10 expectations, to the same diff without causes", of("verdict of 10 expectations")/of("diff without causes"), 1.15)
	b.WriteString("\nProcessor time of the whole process, in blocks of some 40 ms with, without, without, with: the median of the ratios of 40 such fours.\n\n" +
		"| processor time, to without | median | 95 % between | at most |\n| --- | --- | --- | --- |\n")
	for _, name := range slices.Sorted(maps.Keys(spent)) {
		what, most := "causes: "+strings.TrimPrefix(name, "Cause/"), 1.02
		switch name {
		case "Faults/off":
			what, most = "20 fault rules that are off: chat.postMessage", 1.005
		case "Faults/on":
			what = "20 fault rules of which none fits: chat.postMessage"
		}
		fmt.Fprintf(&b, "| %s | %.3f | %.3f and %.3f | %g |\n", what, spent[name].ratio, spent[name].low, spent[name].high, most)
	}
	return b.String()
}
