package main

import (
	"net/http"
	"os"
	"slices"
	"time"

	"understudy/test/server"
)

// plane is a client of the admin plane of one server, with the times that it measured.
type plane struct {
	amount
	http      *http.Client
	base, key string
	took      map[string][]time.Duration // the durations of each act
	twin      *plane                     // a second server that shares nothing with this one; nil on PostgreSQL
}

// amount is the number of measurements.
type amount struct {
	rounds int // measurements of each act
	forks  int // forks that measureForks makes in each of its acts
	times  int // calls of measureForks
	runs   int // runs of a command that does nothing
}

// onPostgres is the amount for PostgreSQL, on which a fork takes many times as long.
var onPostgres = amount{rounds: 10, forks: 20, times: 1, runs: 20}

// few is the amount for the flag -quick.
var few = amount{rounds: 2, forks: 8, times: 1, runs: 4}

func (p *plane) call(method, path string, body, into any, want int) error {
	return server.Call(p.http, method, p.base+"/environments"+path, p.key, body, into, want)
}

// timed runs an act and records its duration, also if the act fails.
func (p *plane) timed(name string, act func() error) error {
	began := time.Now()
	err := act()
	p.took[name] = append(p.took[name], time.Since(began))
	return err
}

// at returns a percentile of the durations of an act. The act must have been measured.
func (p *plane) at(name string, percent int) time.Duration {
	all := slices.Sorted(slices.Values(p.took[name]))
	return all[min(len(all)-1, len(all)*percent/100)]
}

type made struct{ ID string }

// worlds contains the environments that are forked, and whether each is in memory.
var worlds = map[string]bool{"disk": false, "memory": true}

// measure starts a server on a new folder and measures it. flags are the flags for its
// database, nil for SQLite.
func measure(dir string, flags []string, a amount) (*plane, error) {
	p, srv, err := start(dir, flags, a)
	if err != nil {
		return nil, err
	}
	defer srv.Kill()
	if flags == nil {
		twin, srv, err := start(dir+"-twin", nil, a)
		if err != nil {
			return nil, err
		}
		defer srv.Kill()
		p.twin = twin
	}
	for range a.rounds {
		for _, world := range []string{"disk", "memory"} {
			if err := p.round(world); err != nil {
				return nil, err
			}
		}
	}
	for n := range a.times {
		if err := measureForks(p, n); err != nil {
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

// start starts a server on a folder and creates the worlds to be forked.
func start(dir string, flags []string, a amount) (*plane, *server.Server, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, err
	}
	srv, err := server.Start(server.Options{Dir: dir, Args: append([]string{"--rate-limits", "off"}, flags...)})
	if err != nil {
		return nil, nil, err
	}
	cred, err := srv.Credentials()
	if err != nil {
		srv.Kill()
		return nil, nil, err
	}
	p := &plane{amount: a, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}, Timeout: time.Minute}, base: cred.Admin.BaseURL, key: cred.Admin.Key,
		took: map[string][]time.Duration{}}
	for name, ephemeral := range worlds {
		if err := p.call("POST", "", map[string]any{"id": name, "fixture": "demo", "ephemeral": ephemeral}, nil, 201); err != nil {
			srv.Kill()
			return nil, nil, err
		}
	}
	return p, srv, nil
}

// round forks a world with the same credentials and with fresh ones, computes the diff of the
// first fork, and deletes both forks. It does not measure the second deletion.
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
