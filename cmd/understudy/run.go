package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/system"
	"understudy/internal/task"
	"understudy/internal/task/figures"
	"understudy/internal/task/outcome"
	"understudy/internal/task/plane"
	"understudy/internal/task/progress"
	"understudy/internal/task/report"
	"understudy/internal/task/runner"
)

// The exit statuses after runs.
const (
	exitMissed      = 1
	exitUsage       = 2
	exitError       = 3
	exitInterrupted = 130
)

// statusError ends the program with a status. Without a text nothing is printed.
type statusError struct {
	status int
	text   string
}

func (e statusError) Error() string { return e.text }

type runCmd struct {
	serverFlags
	Tasks     []string      `arg:"" help:"Task files, YAML or JSON. The command of the agent follows after --."`
	Runs      int           `short:"n" default:"1" help:"Number of runs of each task."`
	Parallel  int           `short:"p" default:"4" help:"Number of runs at the same time."`
	JUnit     string        `name:"junit" type:"path" help:"File to write a JUnit report to."`
	JSON      string        `name:"json" type:"path" help:"File to write a JSON report to."`
	HTML      string        `name:"html" type:"path" help:"File to write an HTML report to, for browsers; it loads no other file."`
	Keep      bool          `help:"Keep the forks of the runs until their time to live ends, instead of deleting them."`
	Threshold []string      `sep:"none" help:"Figure that all runs together must reach, such as 'pass^1>=0.9' or 'score>0.5'. May be repeated. By default every run must pass."`
	OnError   string        `name:"on-error" enum:"fail,exclude" default:"fail" help:"fail: a run that ends with an error counts as not passed; exclude: the figures leave it out."`
	Timeout   time.Duration `default:"120s" help:"Time limit of the command where its task sets none."`
	Format    string        `enum:"text,jsonl" default:"text" help:"text, or jsonl to print one JSON object for each run and one for all of them."`
}

// Run makes the runs, writes the reports and ends with the exit status of the
// contract.
func (c *runCmd) Run(command behind) error {
	thresholds, err := c.check(command)
	if err != nil {
		return usageError{err}
	}
	tasks, err := readTasks(c.Tasks)
	if err != nil {
		return usageError{err}
	}
	s, err := c.begin(c.Parallel)
	if err != nil {
		return err
	}
	defer s.end()
	from, err := os.Getwd()
	if err != nil {
		return err
	}
	watcher, finish := c.watcher(len(tasks))
	started := clock.Real()
	runs, err := s.run(runner.Options{Runs: c.Runs, Parallel: c.Parallel, Command: runner.Same(command), From: from, Timeout: c.Timeout, Keep: c.Keep,
		Evidence: c.JSON != "" || c.HTML != "", Series: started.UTC().Format(time.RFC3339) + " " + strings.Join(command, " ")}, watcher, tasks)
	finish()
	if err != nil {
		return err
	}
	came := outcome.Session{Program: version, Started: started.UTC(), Seconds: clock.Real().Sub(started).Seconds(), Command: command, Server: s.server.URL, Wanted: c.Runs,
		Interrupted: s.interrupted(), Runs: runs}
	for i, t := range tasks {
		came.Tasks = append(came.Tasks, t.Shown(c.Tasks[i], c.Timeout))
	}
	r := report.New(came, thresholds, c.OnError == "exclude")
	if err := c.write(r, watcher); err != nil {
		return err
	}
	c.hint(r, command)
	switch {
	case came.Interrupted:
		return statusError{status: exitInterrupted}
	case r.Mean.Error > 0:
		return statusError{status: exitError}
	case !r.Met:
		return statusError{status: exitMissed}
	}
	return nil
}

// check validates the options.
func (c *runCmd) check(command behind) (out []*figures.Threshold, err error) {
	switch {
	case len(command) == 0:
		return nil, errors.New("the command of the agent is missing: write it after --, as in understudy run TASK.yaml -- COMMAND ARGS")
	case c.Runs < 1 || c.Runs > 100_000:
		return nil, errors.New("-n must be from 1 to 100000")
	case c.Parallel < 1 || c.Parallel > 1000:
		return nil, errors.New("-p must be from 1 to 1000")
	case c.Timeout <= 0:
		return nil, errors.New("--timeout must be above 0")
	}
	reports := map[string]bool{}
	for _, path := range []string{c.JUnit, c.JSON, c.HTML} {
		if path == "" {
			continue
		}
		if reports[path] {
			return nil, fmt.Errorf("two reports cannot be written to one file, %s", path)
		}
		reports[path] = true
		if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("%s cannot be written: %s is not a folder", path, filepath.Dir(path))
		}
	}
	for _, text := range c.Threshold {
		t, err := figures.ParseThreshold(text, c.Runs)
		if err != nil {
			return nil, fmt.Errorf("--threshold: %w", err)
		}
		out = append(out, t)
	}
	return out, nil
}

// watcher returns the display of the progress, and a function that ends it.
func (c *runCmd) watcher(tasks int) (runner.Watcher, func()) {
	if c.Format == "jsonl" {
		return &progress.JSONLines{Out: os.Stdout, Err: os.Stderr}, func() {}
	}
	if !isatty.IsTerminal(os.Stderr.Fd()) || !system.Draws(os.Stderr) {
		return &progress.Lines{Out: os.Stdout, Err: os.Stderr, Runs: c.Runs}, func() {}
	}
	width, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil {
		width = 80
	}
	bar := progress.NewBar(os.Stderr, width, min(c.Parallel, c.Runs*tasks), c.Runs, c.Runs*tasks)
	return bar, bar.Close
}

// write writes the reports and prints the summary, even if a report cannot be
// written. It leaves no partial reports.
func (c *runCmd) write(r *report.Report, w runner.Watcher) error {
	var failed []error
	for _, one := range []struct {
		path  string
		write func(io.Writer) error
	}{{c.JUnit, r.JUnit}, {c.JSON, r.JSON}, {c.HTML, r.HTML}} {
		if one.path == "" {
			continue
		}
		f, err := os.Create(one.path)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if err := errors.Join(one.write(f), f.Close()); err != nil {
			failed = append(failed, err)
			if info, err := os.Lstat(one.path); err == nil && info.Mode().IsRegular() {
				_ = os.Remove(one.path)
			}
		}
	}
	if lines, ok := w.(*progress.JSONLines); ok {
		lines.Summary(r.Summary())
	} else if err := r.Table(os.Stdout); err != nil {
		failed = append(failed, err)
	}
	if len(failed) > 0 {
		return statusError{exitError, "a report is missing: " + errors.Join(failed...).Error()}
	}
	return nil
}

// hint explains a failure that is common to many runs: the command names its
// script relative to the directory in which the runner was started.
func (c *runCmd) hint(r *report.Report, command behind) {
	for _, run := range r.Runs {
		if run.Exit == nil || *run.Exit == 0 {
			continue
		}
		for _, word := range command[1:] {
			if info, err := os.Stat(word); err == nil && !info.IsDir() && !filepath.IsAbs(word) {
				fmt.Fprintf(os.Stderr, "understudy: the command ends with status %d, and %s names a file from this folder: each run has a folder of its own, so write \"$PWD/%s\"\n", *run.Exit, word, word)
				return
			}
		}
		return
	}
}

// interruptible returns a context that the first SIGINT or SIGTERM ends, a
// channel that the second closes, and a function that stops the handling of
// signals.
func interruptible() (context.Context, <-chan struct{}, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals, hurry, done := make(chan os.Signal, 2), make(chan struct{}), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-signals:
			case <-done:
				return
			}
			switch n {
			case 0:
				fmt.Fprintln(os.Stderr, "understudy: interrupted: the runs are ended and their forks deleted; once more leaves the runs no time to end")
				cancel()
			case 1:
				close(hurry)
			}
		}
	}()
	return ctx, hurry, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}

// usageOr converts an error in a task to a usage error, and returns other errors
// unchanged.
func usageOr(err error) error {
	if refused := plane.Refused(err); task.IsBad(err) || refused != nil && refused.Status < 500 {
		return usageError{err}
	}
	return statusError{exitError, err.Error()}
}
