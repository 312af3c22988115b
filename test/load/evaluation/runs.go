package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// runsAtATime is the number of runs that are made at once. Their command does nothing, so
// their duration is the cost of a run beyond its command.
const runsAtATime = 2

const nothing = `{"task": "nothing", "world": {"environment": "memory"}, "nothing_else": true}`

// run measures runs of a command that does nothing. Before and after them it measures, each
// time for half as many, the same steps one after another: fork, verdict and deletion. It
// writes the task into dir.
func (p *plane) run(bin, dir string) error {
	alone := func() error {
		for range p.runs / 2 {
			err := p.timed("fork, verdict and delete", func() error {
				var fork made
				err := p.call("POST", "/memory/fork", map[string]any{"credentials": "fresh", "ephemeral": true, "recordings": "full", "ttl_seconds": 720}, &fork, 201)
				if err == nil {
					err = p.call("POST", "/"+fork.ID+"/verdict", map[string]any{"nothing_else": true}, nil, 200)
				}
				if err == nil {
					err = p.call("DELETE", "/"+fork.ID, nil, nil, 204)
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := alone(); err != nil {
		return err
	}
	task := filepath.Join(dir, "nothing.json")
	if err := os.WriteFile(task, []byte(nothing), 0o600); err != nil {
		return err
	}
	cmd := exec.Command(bin, "run", task, "-n", fmt.Sprint(p.runs), "-p", fmt.Sprint(runsAtATime), "--admin-url", p.base, "--admin-key", p.key, "--format", "jsonl", "--", "true")
	cmd.Stderr = os.Stderr
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("understudy run: %w", err)
	}
	p.took["a run of `true`, wall of 200 by 200"] = []time.Duration{time.Since(began) / time.Duration(p.runs)}
	return alone()
}
