package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"understudy/internal/task"
	"understudy/internal/task/draft"
	"understudy/internal/task/outcome"
	"understudy/internal/task/progress"
	"understudy/internal/task/runner"
)

type taskRecord struct {
	serverFlags
	Task    string        `arg:"" help:"YAML file of the task; it may leave out its expectations. The command of the solution follows after --; by default the task's own."`
	Out     string        `short:"o" type:"path" help:"File to write the task with its expectations to. Standard output by default."`
	Timeout time.Duration `default:"120s" help:"Time limit of the solution where the task sets none."`
}

// Run runs a solution once and writes the task with its changes as expectations.
func (c *taskRecord) Run(command behind) error {
	t, text, err := readTask(c.Task, task.ReadUngraded)
	if err != nil {
		return usageError{err}
	}
	words := runner.Same(command)
	if len(command) == 0 {
		if words = (*task.Task).SolutionCommand; t.SolutionCommand() == nil {
			return usageError{errors.New("the solution is missing: write its command after --, or as solution in the task")}
		}
	}
	s, err := c.begin(1)
	if err != nil {
		return err
	}
	defer s.end()
	from, err := os.Getwd()
	if err != nil {
		return err
	}
	var found *draft.Draft
	runs, err := s.run(runner.Options{Runs: 1, Parallel: 1, Command: words, From: from, Timeout: c.Timeout,
		Inspect: func(ctx context.Context, environment string, known task.Bindings) (err error) {
			found, err = draft.Of(ctx, s.server, environment, known)
			return err
		}}, &progress.Quiet{Err: os.Stderr}, []*task.Task{t})
	switch {
	case err != nil:
		return err
	case s.interrupted():
		return statusError{status: exitInterrupted}
	}
	run := runs[0]
	if run.State == outcome.Error {
		return statusError{exitError, run.Reason}
	}
	if run.State == outcome.Timeout || run.Exit == nil || *run.Exit != 0 {
		why := cmp.Or(run.Reason, "a signal ended it")
		if run.Exit != nil {
			why = fmt.Sprintf("its exit status is %d", *run.Exit)
		}
		return statusError{exitMissed, strings.TrimSpace(fmt.Sprintf("the solution did not end well: %s %s", why, progress.Plain(run.Output)))}
	}
	if len(found.Expect) == 0 {
		return statusError{exitMissed, "the solution changed nothing"}
	}
	written, err := found.Write(text)
	if err != nil {
		return err
	}
	if !found.Passes {
		fmt.Fprintln(os.Stderr, "understudy: what was written down does not hold where it was recorded: look at each expectation, and run understudy task check")
	}
	if c.Out == "" {
		_, err = os.Stdout.Write(written)
		return err
	}
	return os.WriteFile(c.Out, written, 0o644)
}
