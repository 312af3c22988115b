package main

import (
	"errors"
	"fmt"
	"sync"
)

// forker makes forks on one server and records their ids, so that it can delete them.
type forker struct {
	*plane
	mu   sync.Mutex
	made []string
}

// measureForks makes many forks: one after another, from four clients, with one request,
// and on two servers that share nothing. Each act finds the forks of the earlier acts, so
// the order depends on time, the number of the call. It deletes the forks at the end.
func measureForks(p *plane, time int) error {
	f := &forker{plane: p}
	all := []*forker{f}
	type act struct {
		name string
		do   func() error
	}
	acts := []act{
		{"100 forks, one after another", func() error { return f.fork(p.forks) }},
		{"100 forks, four clients", func() error { return together(p.forks, f, f, f, f) }},
		{"100 forks, count: 100", func() error {
			var reply struct{ Environments []made }
			err := p.call("POST", "/disk/fork", map[string]any{"id": fmt.Sprintf("many-%d", time), "count": p.forks}, &reply, 201)
			for _, e := range reply.Environments {
				f.note(e.ID)
			}
			return err
		}},
	}
	if p.twin != nil {
		twin := &forker{plane: p.twin}
		all = append(all, twin)
		acts = append(acts, act{"100 forks, two servers", func() error { return together(p.forks, f, twin) }})
	}
	for i := range acts {
		act := acts[(i+time)%len(acts)]
		if err := p.timed(act.name, act.do); err != nil {
			return err
		}
	}
	for _, f := range all {
		if err := f.remove(); err != nil {
			return err
		}
	}
	return nil
}

// together makes count forks. Each of clients makes an equal share, at the same time as the
// others.
func together(count int, clients ...*forker) error {
	failed := make(chan error, len(clients))
	for _, f := range clients {
		go func() { failed <- f.fork(count / len(clients)) }()
	}
	var err error
	for range clients {
		err = errors.Join(err, <-failed)
	}
	return err
}

// fork makes count forks one after another.
func (f *forker) fork(count int) error {
	for range count {
		var fork made
		if err := f.call("POST", "/disk/fork", map[string]any{}, &fork, 201); err != nil {
			return err
		}
		f.note(fork.ID)
	}
	return nil
}

func (f *forker) note(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.made = append(f.made, id)
}

func (f *forker) remove() error {
	for _, id := range f.made {
		if err := f.call("DELETE", "/"+id, nil, nil, 204); err != nil {
			return err
		}
	}
	return nil
}
