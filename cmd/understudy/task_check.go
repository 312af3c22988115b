package main

import (
	"cmp"
	"fmt"
	"os"
	"time"

	"understudy/internal/task"
	"understudy/internal/task/outcome"
	"understudy/internal/task/progress"
	"understudy/internal/task/runner"
)

type taskCheck struct {
	serverFlags
	Tasks    []string      `arg:"" help:"Task files, YAML or JSON."`
	Parallel int           `short:"p" default:"4" help:"Number of runs at the same time."`
	Timeout  time.Duration `default:"120s" help:"Time limit of a solution where its task sets none."`
}

// solutionRuns is how often a solution must pass: what passes once by chance
// rarely passes twice.
const solutionRuns = 2

// Run checks tasks and prints a line for each.
func (c *taskCheck) Run() error {
	tasks, err := readTasks(c.Tasks)
	if err != nil {
		return usageError{err}
	}
	s, err := c.begin(c.Parallel)
	if err != nil {
		return err
	}
	defer s.end()
	quiet := &progress.Quiet{Err: os.Stderr}
	options := runner.Options{Runs: 1, Parallel: max(c.Parallel, 1), Command: runner.Same(nil), Timeout: c.Timeout}
	idle, err := s.run(options, quiet, tasks)
	if err != nil {
		return err
	}
	var solved []*task.Task
	for _, t := range tasks {
		if t.SolutionCommand() != nil {
			solved = append(solved, t)
		}
	}
	options.Runs, options.Command = solutionRuns, (*task.Task).SolutionCommand
	runs, err := s.run(options, quiet, solved)
	if err != nil {
		return err
	}
	if s.interrupted() {
		return statusError{status: exitInterrupted}
	}
	return judge(tasks, idle, runs)
}

// judge prints the result of each task's check, and returns the status.
func judge(tasks []*task.Task, idle, solved []outcome.Run) error {
	status := 0
	for _, t := range tasks {
		texts, sound := "", true
		note := func(ok bool, text string) {
			if sound = sound && ok; texts != "" {
				texts += "; "
			}
			texts += text
		}
		for _, run := range idle {
			if run.Task != t.Name {
				continue
			}
			wanted := cmp.Or(t.Idle, "fails")
			switch {
			case run.State == outcome.Error:
				status = exitError
				note(false, "doing nothing: "+run.Reason)
			case wanted == "fails" && run.State == outcome.Passed:
				note(false, "doing nothing passes: expect something that only work brings about, or write idle: passes")
			case wanted == "passes" && run.State != outcome.Passed:
				note(false, "doing nothing does not pass: "+run.Why())
			default:
				note(true, "doing nothing "+wanted)
			}
		}
		tries := 0
		for _, run := range solved {
			if run.Task != t.Name {
				continue
			}
			if tries++; run.State != outcome.Passed {
				if run.State == outcome.Error {
					status = exitError
				}
				note(false, fmt.Sprintf("try %d of the solution: %s: %s", run.Number, run.State, run.Why()))
				fmt.Fprint(os.Stderr, progress.Plain(run.Output))
			}
		}
		switch {
		case tries == 0:
			note(true, "it has no solution")
		case sound:
			note(true, "the solution passes twice")
		}
		word := "ok    "
		if !sound {
			word, status = "FAILED", cmp.Or(status, exitMissed)
		}
		fmt.Printf("%s %s: %s\n", word, t.Name, progress.OneLine(texts))
	}
	if status != 0 {
		return statusError{status: status}
	}
	return nil
}
