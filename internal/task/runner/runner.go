// Package runner runs commands in forks of a task's world and has the server
// grade the outcome. It uses the admin plane and starts processes.
package runner

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"understudy/internal/task"
	"understudy/internal/task/outcome"
	"understudy/internal/task/plane"
)

// folderPrefix is the prefix of the name of a runner's directory.
const folderPrefix = "understudy-run-"

// Options configure a Runner.
type Options struct {
	Runs     int           // of each task
	Parallel int           // concurrent runs
	Command  Command       // the command that performs a task
	From     string        // the directory of a relative path of the command
	Environ  []string      // the runner's environment, NAME=value
	Timeout  time.Duration // for tasks without a limit of their own
	Keep     bool          // do not delete forks
	Evidence bool          // read the data for reports
	Folder   string        // for the files of runs
	Series   string        // the name under which the server stores the outcomes; "" to store none
	// Inspect is called with the fork of a run instead of grading it; nil grades.
	Inspect func(ctx context.Context, environment string, known task.Bindings) error
	Hurry   <-chan struct{}
}

// Command returns the words of the command for a task; nil for none.
type Command func(*task.Task) []string

// Same returns a command that is the same for every task.
func Same(words []string) Command { return func(*task.Task) []string { return words } }

// Watcher receives the progress of runs. Its methods are called concurrently.
type Watcher interface {
	Started(worker int, t *task.Task, number int)
	Ended(worker int, run *outcome.Run)
	Warn(err error)
}

// Runner runs tasks on a server.
type Runner struct {
	server  *plane.Client
	options Options
	watcher Watcher
	unheard sync.Once // for the warning that the server stores no verdicts
}

// New returns a runner.
func New(p *plane.Client, o Options, w Watcher) *Runner {
	return &Runner{server: p, options: o, watcher: w}
}

func (r *Runner) warn(err error) { r.watcher.Warn(err) }

// job is a run to be made.
type job struct {
	task   *task.Task
	world  string
	number int
}

// Run rehearses every task and makes its runs. It returns them in the order of
// tasks and numbers. It returns an error for a task that cannot be graded, before
// it makes any runs, and when the server is gone; after an interruption it
// returns the completed runs without an error.
func (r *Runner) Run(ctx context.Context, tasks []*task.Task) ([]outcome.Run, error) {
	parent := cmp.Or(r.options.Folder, os.TempDir())
	endAbandoned(parent)
	var err error
	if r.options.Folder, err = os.MkdirTemp(parent, folderPrefix); err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(r.options.Folder) }()
	if err := sign(r.options.Folder); err != nil {
		return nil, err
	}
	defer unsign(r.options.Folder) // directories that cannot be removed must not count as abandoned
	w := &worlds{Runner: r, ids: map[string]string{}}
	defer func() {
		if !r.options.Keep {
			w.remove()
		}
	}()
	var jobs []job
	for _, t := range tasks {
		if ctx.Err() != nil {
			return nil, nil
		}
		world, err := w.of(ctx, t, r.longest(tasks))
		if err != nil {
			return nil, err
		}
		if err := r.rehearse(ctx, t, world); err != nil {
			return nil, err
		}
		for n := range r.options.Runs {
			jobs = append(jobs, job{t, world, n + 1})
		}
	}
	defer endStrays("") // also those that have cleared their environment
	return r.work(ctx, jobs), nil
}

// longest returns an upper bound for the time of all runs: worlds expire after
// it, in case the runner is killed.
func (r *Runner) longest(tasks []*task.Task) time.Duration {
	const around = time.Minute // time of a run in addition to its command
	var all time.Duration
	for _, t := range tasks {
		all += t.Limit(r.options.Timeout) + around
	}
	rounds := (r.options.Runs + r.options.Parallel - 1) / r.options.Parallel
	return min(all*time.Duration(rounds+1)+10*time.Minute, 30*24*time.Hour)
}

// rehearse performs the acts before the command in a fork and requests a verdict,
// so that a task with unknown names is rejected before its runs.
func (r *Runner) rehearse(ctx context.Context, t *task.Task, world string) error {
	a := r.attempt(t, 0, nil)
	defer a.end()
	a.prepare(ctx, world)
	_, err := a.run(ctx, func() {})
	if errors.Is(err, errInterrupted) {
		return nil
	}
	return err // an app that does not start is an error of each run
}

// work makes runs, several concurrently. It prepares the next run while one is
// graded, and completes a run concurrently with the next one.
func (r *Runner) work(ctx context.Context, jobs []job) []outcome.Run {
	runs := make([]*outcome.Run, len(jobs))
	next := make(chan int)
	var workers sync.WaitGroup
	for worker := range min(r.options.Parallel, len(jobs)) {
		workers.Go(func() {
			var before sync.WaitGroup // the completion of the previous run
			defer before.Wait()
			prepared := sync.OnceValue(func() *attempt { return r.prepareNext(ctx, jobs, next) })
			for a := prepared(); a != nil; a = prepared() {
				r.watcher.Started(worker, a.task, a.number)
				prepared = sync.OnceValue(func() *attempt { return r.prepareNext(ctx, jobs, next) })
				run, err := a.run(ctx, func() { go prepared() })
				before.Wait()
				before.Go(a.end)
				if errors.Is(err, errInterrupted) {
					continue
				}
				if err != nil { // an error that the rehearsal could not find, such as a deleted snapshot
					run = &outcome.Run{Task: a.task.Name, Number: a.number, Seed: a.task.SeedOf(a.number), State: outcome.Error, Reason: err.Error()}
				}
				runs[a.place] = run
				r.watcher.Ended(worker, run)
			}
		})
	}
	for i := range jobs {
		select {
		case next <- i:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	workers.Wait()
	out := []outcome.Run{}
	for _, run := range slices.DeleteFunc(runs, func(run *outcome.Run) bool { return run == nil }) {
		out = append(out, *run)
	}
	return out
}

// prepareNext prepares the next run, nil after the last.
func (r *Runner) prepareNext(ctx context.Context, jobs []job, next <-chan int) *attempt {
	i, ok := <-next
	if !ok {
		return nil
	}
	j := jobs[i]
	a := r.attempt(j.task, j.number, r.options.Command(j.task))
	a.place = i
	a.prepare(ctx, j.world)
	return a
}
