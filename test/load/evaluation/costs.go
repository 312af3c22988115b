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

// graded is the id of the fork in which an agent posts messages, for the verdict and the
// diff that are measured.
const graded = "graded"

// expectations returns the body of a request for a verdict: it expects the ten messages
// that grade posts, and nothing else.
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

// posterIn creates an environment with a POST to a path of the admin plane. It returns a
// poster for the environment, and the environment's id.
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

// grade compares a verdict with the diff without causes, on which the verdict is based.
// It also compares a fork with verdict and deletion to a fork alone.
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
	// Both acts follow a deletion, so that the server's work after a deletion slows both.
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

// inTurn measures two acts by turns: each of them comes first in every other round. The
// functions in then follow the act other, and are not measured.
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

// spread is the result of a benchmark: the ratio of processor time, the bounds of its
// 95 % confidence interval, and the ratio of allocated memory.
type spread struct{ ratio, low, high, memory float64 }

// costs runs the benchmarks of processor time: of writes with and without the journal of
// causes, and of calls with and without fault rules. They are benchmarks because no flag
// of the program switches the journal off, and because many short blocks by turns in one
// process are less affected by other programs. They take some three minutes. It returns the ratios by the name of the
// benchmark.
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
