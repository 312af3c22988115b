package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"understudy/test/server"
)

// graded is a fork in which an agent has worked, as a verdict of ten expectations
// and a diff see it.
const graded = "graded"

// expectations is a verdict of ten expectations on what work does.
func expectations() map[string]any {
	var list []map[string]any
	for i := range 10 {
		list = append(list, map[string]any{"inserted": "messaging.message", "where": map[string]any{"channel": "#general", "text": fmt.Sprint("post ", i)}})
	}
	return map[string]any{"expect": list, "nothing_else": true, "settle": map[string]any{"quiet_ms": 0}}
}

// poster posts messages as an agent.
type poster struct {
	http      *http.Client
	base, key string
}

func (p *poster) post(text string) error {
	return server.Call(p.http, "POST", p.base+"/api/chat.postMessage", p.key, map[string]any{"channel": "general", "text": text}, nil, 200)
}

// posterIn returns the agent of a new environment.
func (p *plane) posterIn(path string, body map[string]any) (*poster, string, error) {
	var reply struct {
		ID        string
		Messaging struct {
			Base  string `json:"base_url"`
			Token string `json:"bot_token"`
		}
	}
	err := p.call("POST", path, body, &reply, 201)
	return &poster{p.http, reply.Messaging.Base, reply.Messaging.Token}, reply.ID, err
}

// grade measures a run's own cost beside its fork, and a verdict beside the diff
// without causes that it stands on.
func (p *plane) grade() error {
	agent, _, err := p.posterIn("/disk/fork", map[string]any{"id": graded})
	if err != nil {
		return err
	}
	for i := range 10 {
		if err := agent.post(fmt.Sprint("post ", i)); err != nil {
			return err
		}
	}
	verdict := func() error {
		var v struct{ Verdict string }
		err := p.call("POST", "/"+graded+"/verdict", expectations(), &v, 200)
		if err == nil && v.Verdict != "passed" {
			err = fmt.Errorf("the verdict is %s", v.Verdict)
		}
		return err
	}
	diff := func() error { return p.call("GET", "/"+graded+"/diff?cause=false", nil, nil, 200) }
	if err := p.inTurn("verdict of 10 expectations", verdict, "diff without causes", diff); err != nil {
		return err
	}
	if err := p.call("DELETE", "/"+graded, nil, nil, 204); err != nil {
		return err
	}
	// Each follows a removal, after which the server still works.
	var fork made
	return p.inTurn("fork, verdict of 10 expectations and delete", func() error {
		err := p.call("POST", "/disk/fork", map[string]any{}, &fork, 201)
		if err == nil {
			err = p.call("POST", "/"+fork.ID+"/verdict", expectations(), nil, 200)
		}
		if err == nil {
			err = p.call("DELETE", "/"+fork.ID, nil, nil, 204)
		}
		return err
	}, "a fork beside it", func() error { return p.call("POST", "/disk/fork", map[string]any{}, &fork, 201) }, func() error {
		return p.call("DELETE", "/"+fork.ID, nil, nil, 204)
	})
}

// inTurn measures two acts, each first every other time. then, if any, follows the
// second act and is not measured.
func (p *plane) inTurn(one string, do func() error, other string, doOther func() error, then ...func() error) error {
	for round := range 2 * p.rounds {
		steps := []func() error{
			func() error { return p.timed(one, do) },
			func() error {
				err := p.timed(other, doOther)
				for _, f := range then {
					err = errors.Join(err, f())
				}
				return err
			},
		}
		if round%2 == 1 {
			slices.Reverse(steps)
		}
		for _, step := range steps {
			if err := step(); err != nil {
				return err
			}
		}
	}
	return nil
}

// spread is a ratio of processor time, between which two values it lies with
// 95 % certainty, and the ratio of the memory that is allocated.
type spread struct{ ratio, low, high, memory float64 }

// costs runs the benchmarks that compare the processor time of writes with the
// journal of causes, and under fault rules, to that without. No flag of the program
// switches the journal off, and many short blocks in turn within one process
// see less of what else the machine does. It returns the ratios by benchmark.
func costs() (map[string]spread, error) {
	cmd := exec.Command("go", "test", "./internal/app", "-run", "^$", "-bench", "^Benchmark(Cause|Faults)$", "-benchtime", "1x")
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("the benchmarks of processor time: %w\n%s", err, text)
	}
	out := map[string]spread{}
	for line := range strings.Lines(string(text)) {
		name, isBenchmark := strings.CutPrefix(line, "Benchmark")
		fields := strings.Fields(name)
		if !isBenchmark || !slices.Contains(fields, "ratio") {
			continue
		}
		var one spread
		for unit, into := range map[string]*float64{"ratio": &one.ratio, "low": &one.low, "high": &one.high, "memory": &one.memory} {
			at := slices.Index(fields, unit)
			if at < 1 {
				return nil, fmt.Errorf("the benchmark says no %s: %s", unit, line)
			}
			if *into, err = strconv.ParseFloat(fields[at-1], 64); err != nil {
				return nil, err
			}
		}
		name, _, _ = strings.Cut(fields[0], "-")
		out[name] = one
	}
	return out, nil
}
