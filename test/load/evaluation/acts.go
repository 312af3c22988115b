package main

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"understudy/test/server"
)

// plane speaks to the admin plane of one server.
type plane struct {
	amount
	http      *http.Client
	base, key string
	took      map[string][]time.Duration // by act
}

// amount is how much is measured.
type amount struct {
	rounds int // how often each act is measured
	forks  int // made at once
	times  int // that as many forks are made
	runs   int // of a command that does nothing
}

// onPostgres is for PostgreSQL, where a fork takes many times as long.
var onPostgres = amount{rounds: 10, forks: 20, times: 1, runs: 20}

// few is for a look.
var few = amount{rounds: 2, forks: 8, times: 1, runs: 4}

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

// measure measures a server on a new folder, with flags that name its database.
func measure(dir string, flags []string, a amount) (*plane, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	srv, err := server.Start(server.Options{Dir: dir, Args: append([]string{"--rate-limits", "off"}, flags...)})
	if err != nil {
		return nil, err
	}
	defer srv.Kill()
	cred, err := srv.Credentials()
	if err != nil {
		return nil, err
	}
	p := &plane{amount: a, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}, Timeout: time.Minute}, base: cred.Admin.BaseURL, key: cred.Admin.Key,
		took: map[string][]time.Duration{}}
	for name, ephemeral := range worlds {
		if err := p.call("POST", "", map[string]any{"id": name, "fixture": "demo", "ephemeral": ephemeral}, nil, 201); err != nil {
			return nil, err
		}
	}
	for range a.rounds {
		for _, world := range []string{"disk", "memory"} {
			if err := p.round(world); err != nil {
				return nil, err
			}
		}
	}
	for n := range a.times {
		if err := p.many(n); err != nil {
			return nil, err
		}
	}
	if err := p.trace(); err != nil {
		return nil, err
	}
	if err := p.grade(); err != nil {
		return nil, err
	}
	bin, err := server.Binary()
	if err != nil {
		return nil, err
	}
	return p, p.run(bin, dir)
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

// many makes forks one after another, from four clients, and by one request.
func (p *plane) many(n int) error {
	ids := make(chan string, 3*p.forks)
	one := func() error {
		var fork made
		err := p.call("POST", "/disk/fork", map[string]any{}, &fork, 201)
		ids <- fork.ID
		return err
	}
	err := p.timed("100 forks, one after another", func() error {
		for range p.forks {
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
					for range p.forks / 4 {
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
			err := p.call("POST", "/disk/fork", map[string]any{"id": fmt.Sprintf("many-%d", n), "count": p.forks}, &reply, 201)
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
