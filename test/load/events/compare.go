package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"understudy/test/load/databases"
	"understudy/test/server"
)

// subject is what posts are sent to in turn.
type subject struct {
	name, addr string
	request    func(worker int) []byte
	base       int // the subject to which its median is compared
	took       []time.Duration
}

// compare posts to environments in turn and returns the medians. control has no
// receiver either: the difference to it is the error of the measurement. A bare
// server, which is measured beside SQLite, has one of its own without a receiver.
func (l load) compare(prefix, dir string, s *server.Server, r *receiver, yardstick bool) error {
	var all []*subject
	envs := map[string]*environment{}
	for _, name := range []string{"nobody", "control", "fast", "hanging", "dead"} {
		e, err := newEnvironment(s, name)
		if err != nil {
			return err
		}
		switch name {
		case "fast":
			err = e.subscribe(r.url + "/fast")
		case "hanging":
			err = e.subscribe(r.url + "/hang")
		case "dead":
			err = queue(s, r, e, l.queued)
		}
		if err != nil {
			return err
		}
		envs[name] = e
		all = append(all, &subject{name: "receiver " + name, addr: s.Listen, request: e.post})
	}
	if yardstick {
		w, err := observe(dir, s, r, envs["nobody"], envs["fast"])
		if err != nil {
			return err
		}
		b, err := startBare(w)
		if err != nil {
			return err
		}
		defer b.stop()
		own := len(all)
		for _, name := range []string{"nobody", "fast"} {
			all = append(all, &subject{name: "bare, " + name, addr: b.addr, base: own, request: func(worker int) []byte {
				_, rest, _ := bytes.Cut(envs[name].post(worker), []byte(" HTTP/1.1"))
				return slices.Concat(fmt.Appendf(nil, "POST /%s/%d HTTP/1.1", name, worker), rest)
			}})
		}
	}
	const workers = 2
	for n := range l.rounds {
		for k := range all {
			x := all[(n+k)%len(all)]
			took, err := hammer(x, workers, l.round)
			if err != nil {
				return err
			}
			x.took = append(x.took, took...)
			r.quiet()
		}
	}
	for _, x := range all {
		m, base := median(x.took), median(all[x.base].took)
		fmt.Printf("%s%-16s  chat.postMessage p50 %6.0f µs, %+5.1f %% of nobody's; p99 %6.0f µs; %d posts\n", prefix, x.name, float64(m.Nanoseconds())/1000,
			100*(float64(m)/float64(base)-1), float64(x.took[len(x.took)*99/100].Nanoseconds())/1000, len(x.took))
	}
	return nil
}

// observe returns what the bare server must do to do the same as the program for
// a post.
func observe(dir string, s *server.Server, r *receiver, nobody, fast *environment) (w bareWork, err error) {
	c, err := dial(s.Listen)
	if err != nil {
		return w, err
	}
	defer c.close()
	const posts = 50
	index := filepath.Join(s.Dir, "worlds", "env_"+nobody.id+".db-shm")
	for try := 0; w.Logged <= 0; try++ {
		before, err := databases.LogEnd(index)
		for i := 0; err == nil && i < posts; i++ {
			err = c.do(nobody.post(0))
		}
		if err != nil {
			return w, err
		}
		after, err := databases.LogEnd(index)
		if err != nil || try > 3 {
			return w, fmt.Errorf("the log went from %d to %d: %w", before, after, err)
		}
		w.Logged = (after - before) / posts // less than nothing if it has begun anew
	}
	got := make(chan sample, 1)
	r.sample.Store(&got)
	if err := c.do(fast.post(0)); err != nil {
		return w, err
	}
	w.File, w.Reply = filepath.Join(dir, "bare", "log"), c.size
	select {
	case w.Event = <-got:
	case <-time.After(20 * time.Second):
		return w, errors.New("no event arrived")
	}
	fmt.Printf("a post: %d bytes of the log, a reply of %d, an event of %d\n", w.Logged, w.Reply, len(w.Event.Body))
	return w, nil
}
