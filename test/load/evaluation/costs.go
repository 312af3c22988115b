package main

import (
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
func (p *plane) grade(rounds int) error {
	agent, _, err := p.posterIn("/disk/fork", map[string]any{"id": graded})
	if err != nil {
		return err
	}
	for i := range 10 {
		if err := agent.post(fmt.Sprint("post ", i)); err != nil {
			return err
		}
	}
	for range rounds {
		acts := []struct {
			name string
			do   func() error
		}{
			{"verdict of 10 expectations", func() error {
				var v struct{ Verdict string }
				err := p.call("POST", "/"+graded+"/verdict", expectations(), &v, 200)
				if err == nil && v.Verdict != "passed" {
					err = fmt.Errorf("the verdict is %s", v.Verdict)
				}
				return err
			}},
			{"diff without causes", func() error { return p.call("GET", "/"+graded+"/diff?cause=false", nil, nil, 200) }},
			{"fork, verdict of 10 expectations and delete", func() error {
				var fork made
				err := p.call("POST", "/disk/fork", map[string]any{}, &fork, 201)
				if err == nil {
					err = p.call("POST", "/"+fork.ID+"/verdict", expectations(), nil, 200)
				}
				if err == nil {
					err = p.call("DELETE", "/"+fork.ID, nil, nil, 204)
				}
				return err
			}},
		}
		for _, act := range acts {
			if err := p.timed(act.name, act.do); err != nil {
				return err
			}
		}
	}
	return p.call("DELETE", "/"+graded, nil, nil, 204)
}

// The rules of which none fits a post, and the posts of one turn.
const (
	rules     = 20
	turns     = 8
	turnPosts = 1500
)

// faults measures the server's CPU for posts under rules that are off, and under
// rules that fit none of them, beside posts without rules. The three take turns.
func (p *plane) faults(srv *server.Server) error {
	agent, id, err := p.posterIn("", map[string]any{"fixture": "demo", "rate_limits": "off"})
	if err != nil {
		return err
	}
	var off, on []map[string]any
	for i := range rules {
		rule := map[string]any{"on": "request", "match": map[string]any{"operation": "messaging.chat.*", "by": "agent", "body": map[string]any{"/text": fmt.Sprint("never ", i)}},
			"do": map[string]any{"drop": "after"}}
		on = append(on, rule)
		other := map[string]any{"enabled": false}
		for name, value := range rule {
			other[name] = value
		}
		off = append(off, other)
	}
	kinds := []struct {
		name  string
		rules []map[string]any
	}{{"none", nil}, {"off", off}, {"on", on}}
	spent := map[string][]float64{}
	for turn := range turns + 1 {
		for i := range kinds {
			kind := kinds[(turn+i)%len(kinds)]
			if err := p.call("DELETE", "/"+id+"/faults", nil, nil, 204); err != nil {
				return err
			}
			if kind.rules != nil {
				if err := p.call("POST", "/"+id+"/faults", map[string]any{"faults": kind.rules}, nil, 201); err != nil {
					return err
				}
			}
			before, err := srv.CPU()
			for range turnPosts {
				if err == nil {
					err = agent.post("hello there")
				}
			}
			after, more := srv.CPU()
			if err == nil {
				err = more
			}
			if err != nil {
				return err
			}
			if turn > 0 { // the first warms up
				spent[kind.name] = append(spent[kind.name], (after - before).Seconds())
			}
		}
	}
	for _, kind := range []string{"off", "on"} {
		ratios := make([]float64, turns)
		for i := range ratios {
			ratios[i] = spent[kind][i] / spent["none"][i]
		}
		slices.Sort(ratios)
		p.ratios[kind] = (ratios[(turns-1)/2] + ratios[turns/2]) / 2
	}
	return p.call("DELETE", "/"+id, nil, nil, 204)
}

// causes runs the benchmark that compares writes with the journal of causes to
// those without, which no flag switches off, and returns its ratios by write.
func causes() (map[string]float64, error) {
	cmd := exec.Command("go", "test", "./internal/app", "-run", "^$", "-bench", "^BenchmarkCause$", "-benchtime", "1x")
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("BenchmarkCause: %w\n%s", err, text)
	}
	out := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		at := slices.Index(fields, "ratio")
		name, isCause := strings.CutPrefix(line, "BenchmarkCause/")
		if at < 1 || !isCause {
			continue
		}
		name, _, _ = strings.Cut(strings.Fields(name)[0], "-")
		if out[name], err = strconv.ParseFloat(fields[at-1], 64); err != nil {
			return nil, err
		}
	}
	return out, nil
}
