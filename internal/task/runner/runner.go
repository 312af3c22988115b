// Package runner runs commands in forks of a task's world and has the server
// grade what came of them. It speaks to the admin plane and starts processes.
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

// folderPrefix begins the name of the folder for the files of a runner.
const folderPrefix = "understudy-run-"

// Options are how runs are made.
type Options struct {
	Runs     int           // of each task
	Parallel int           // runs at a time
	Command  Command       // what does a task
	From     string        // the folder where a relative path of the command starts
	Environ  []string      // the runner's environment, NAME=value
	Timeout  time.Duration // for tasks without a limit of their own
	Keep     bool          // forks are not deleted
	Evidence bool          // read what reports show
	Folder   string        // for the files of runs
	Series   string        // under which the server stores what came of the runs; "" stores nothing
	// Inspect reads the fork of a run in place of grading it; nil grades.
	Inspect func(ctx context.Context, environment string, known task.Bindings) error
	Hurry   <-chan struct{}
}

// Command returns the words of the command that does a task; nil does nothing.
type Command func(*task.Task) []string

// Same returns a command that is the same for every task.
func Same(words []string) Command { return func(*task.Task) []string { return words } }

// Watcher receives the progress of runs. Its methods are called from several goroutines.
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
	unheard sync.Once // the warning that the server stores no verdicts
}

// New returns a runner.
func New(p *plane.Client, o Options, w Watcher) *Runner {
	return &Runner{server: p, options: o, watcher: w}
}

func (r *Runner) warn(err error) { r.watcher.Warn(err) }

// job is a run that is to be made.
type job struct {
	task   *task.Task
	world  string
	number int
}

// Run rehearses every task and makes its runs. It returns them by task and
// number. The error is that of a task that cannot be graded, before any run was
// made, or of a server that is gone; after an interruption the runs that have
// ended are returned without error.
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
	defer unsign(r.options.Folder) // what cannot be removed with the rest does not count as abandoned
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
	defer endStrays("") // those that have cleared their environment
	return r.work(ctx, jobs), nil
}

// longest returns how long all runs can take: worlds expire by themselves after
// it, should the runner be killed.
func (r *Runner) longest(tasks []*task.Task) time.Duration {
	const around = time.Minute // of a run beside its command, at most
	var all time.Duration
	for _, t := range tasks {
		all += t.Limit(r.options.Timeout) + around
	}
	rounds := (r.options.Runs + r.options.Parallel - 1) / r.options.Parallel
	return min(all*time.Duration(rounds+1)+10*time.Minute, 30*24*time.Hour)
}

// rehearse does in a fork what comes before the command and asks for a verdict: a
// task that names what does not exist is refused before a run is made of it.
func (r *Runner) rehearse(ctx context.Context, t *task.Task, world string) error {
	a := r.attempt(t, 0, nil)
	defer a.end()
	a.prepare(ctx, world)
	_, err := a.run(ctx, func() {})
	if errors.Is(err, errInterrupted) {
		return nil
	}
	return err // an app that is not ready is the error of each run
}

// work makes runs, several at a time. The next one is prepared while a run is graded,
// and what comes after its verdict goes on beside the next one.
func (r *Runner) work(ctx context.Context, jobs []job) []outcome.Run {
	runs := make([]*outcome.Run, len(jobs))
	next := make(chan int)
	var workers sync.WaitGroup
	for worker := range min(r.options.Parallel, len(jobs)) {
		workers.Go(func() {
			var before sync.WaitGroup // what comes after the run before
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
				if err != nil { // found after the rehearsal, such as a snapshot that went
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

// prepareNext prepares the next run, nil after the last one.
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
