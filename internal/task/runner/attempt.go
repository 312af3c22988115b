package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/task"
	"understudy/internal/task/outcome"
	"understudy/internal/task/plane"
)

// attempt is one run: a fork, the command in it and the outcome.
type attempt struct {
	*Runner
	scene
	number  int      // from 1; 0 for the rehearsal
	place   int      // index among all runs
	command []string // nil does nothing
	folder  string
	outfit  outfit
	failed  error  // the error of prepare
	session string // of ingestion
	out     outcome.Run
	told    bool // out is the outcome of the run
}

// attempt returns a new run of a task.
func (r *Runner) attempt(t *task.Task, number int, command []string) *attempt {
	return &attempt{Runner: r, number: number, command: command, scene: scene{plane: r.server, task: t, hurry: r.options.Hurry, known: task.Bindings{}}}
}

// errInterrupted ends a run without an outcome.
var errInterrupted = errors.New("interrupted")

// prepare creates the fork of a run, its directory and what its programs receive.
// run returns its error.
func (a *attempt) prepare(ctx context.Context, world string) {
	a.out = outcome.Run{Task: a.task.Name, Number: a.number, Seed: a.task.SeedOf(a.number)}
	if a.failed = a.fork(ctx, world, a.task.Limit(a.options.Timeout)); a.failed != nil {
		return
	}
	a.out.Environment, a.out.Kept = a.environment, a.options.Keep
	if a.folder, a.failed = os.MkdirTemp(a.options.Folder, "run-"); a.failed != nil {
		return
	}
	if a.outfit, a.failed = a.fitOut(ctx); a.failed != nil {
		a.failed = a.blame(a.failed)
	}
}

// run runs the command in the prepared fork and grades the outcome; it calls
// performed when the command has ended, if it was started. It returns
// errInterrupted, and a task.Bad for a task that cannot be graded. The caller
// must call end afterwards, whatever it returns.
func (a *attempt) run(ctx context.Context, performed func()) (*outcome.Run, error) {
	err := cmp.Or(a.failed, ctx.Err())
	if err == nil {
		err = a.within(ctx, performed)
	}
	switch {
	case ctx.Err() != nil:
		return nil, errInterrupted
	case task.IsBad(err):
		return nil, err
	case err != nil:
		a.out.State, a.out.Reason, a.out.Score = outcome.Error, err.Error(), 0
	}
	a.told = true
	return &a.out, nil
}

// end stores the outcome of the run, if there is one, and removes its fork and
// its files.
func (a *attempt) end() {
	if a.folder != "" {
		defer func() { _ = os.RemoveAll(a.folder) }()
	}
	if a.environment == "" {
		return
	}
	if a.told && a.options.Series != "" && a.number > 0 {
		a.store()
	}
	a.removeFork()
}

// within executes a run in its fork.
func (a *attempt) within(ctx context.Context, performed func()) error {
	if a.task.App != nil {
		app, err := a.startApp(ctx, &a.outfit)
		if err != nil {
			return err
		}
		defer app.stop(a.hurry)
	}
	if err := a.before(ctx); err != nil {
		return a.blame(err)
	}
	if err := a.perform(ctx, &a.outfit, a.task.Limit(a.options.Timeout)); err != nil {
		return err
	}
	performed()
	answer, err := a.outfit.readAnswer()
	if err != nil {
		return err
	}
	a.out.Answer = answer
	switch {
	case a.options.Inspect == nil:
		return a.grade(ctx, answer)
	case a.number == 0:
		return nil
	}
	a.out.State = cmp.Or(a.out.State, outcome.Passed)
	return a.options.Inspect(ctx, a.environment, a.known)
}

// fork creates the fork of a run. It cannot be interrupted, so that no unknown
// fork is left behind.
func (a *attempt) fork(ctx context.Context, world string, limit time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	destination := ""
	if a.task.App != nil {
		port, err := freePort()
		if err != nil {
			return err
		}
		a.port, destination = port, "http://127.0.0.1:"+strconv.Itoa(port)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	err := a.plane.Do(ctx, http.MethodPost, plane.Of(world, "/fork"), a.task.ForkRequest(a.number, limit, destination), &a.credentials)
	if refused := plane.Refused(err); refused != nil && refused.Status < 500 {
		switch {
		case refused.Status != http.StatusNotFound:
			return a.task.Bad("fork", refused.Error())
		case a.number > 0: // it was there in the rehearsal
		case refused.Code == "snapshot_not_found":
			return a.task.Bad("fork", refused.Error())
		case a.task.World.Environment != "":
			return a.task.Bad("world.environment", refused.Error())
		}
	}
	if err != nil {
		return err
	}
	var made struct{ ID string }
	if err := json.Unmarshal(a.credentials, &made); err != nil {
		return err
	}
	a.environment = made.ID
	return nil
}

// removeFork deletes the fork, unless it must be kept.
func (a *attempt) removeFork() {
	if a.options.Keep && a.number > 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := a.plane.Do(ctx, http.MethodDelete, plane.Of(a.environment, ""), nil, nil); err != nil {
		a.warn(fmt.Errorf("environment %s could not be deleted; it stays until it expires: %w", a.environment, err))
	}
}

var (
	errTime     = errors.New("the command exceeded its time limit")
	errRequests = errors.New("the agent exceeded its limit of requests")
)

// perform runs the command with the people around it, until it ends or reaches a
// limit.
func (a *attempt) perform(ctx context.Context, o *outfit, limit time.Duration) error {
	reactions, err := a.reactions(ctx)
	if err == nil && a.number == 0 {
		err = a.checkPeople(ctx, reactions)
	}
	if err != nil {
		return a.blame(err)
	}
	if a.command == nil { // no command: nothing to run
		return nil
	}
	around, cancel := context.WithCancelCause(ctx)
	var people sync.WaitGroup
	defer func() {
		cancel(context.Canceled)
		people.Wait()
	}()
	for i := range reactions {
		people.Go(func() {
			if err := a.play(around, &reactions[i]); err != nil {
				cancel(err)
			}
		})
	}
	if a.task.User != nil {
		user, err := a.startUser(ctx, o)
		if err != nil {
			return err
		}
		defer user.stop(a.hurry)
	}
	if n := a.task.Limits.Requests; n != nil {
		people.Go(func() { a.count(around, *n, cancel) })
	}
	began := clock.Real()
	p, err := (&program{a.command, o.work, a.options.From, o.variables}).start()
	if err != nil {
		return err
	}
	timed, stop := context.WithTimeoutCause(around, limit, errTime)
	defer stop()
	err = p.wait(timed)
	p.stop(a.hurry)
	a.out.Seconds = float64(clock.Real().Sub(began).Milliseconds()) / 1000
	a.out.Output = p.output.String()
	if p.status >= 0 && err == nil {
		a.out.Exit = &p.status
	}
	if errors.Is(err, errTime) || errors.Is(err, errRequests) {
		a.out.State, a.out.Reason = outcome.Timeout, err.Error()
		return nil
	}
	return err
}

// countEvery is how often requests are counted.
const countEvery = 250 * time.Millisecond

// count ends a run when the agent has made more than most requests.
func (a *attempt) count(ctx context.Context, most int64, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(countEvery)
	defer tick.Stop()
	var made, last int64
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		list, err := a.plane.Requests(ctx, a.environment, last, "&actor=agent")
		for i := range list {
			last = list[i].Seq
			if list[i].Counts() {
				made++
			}
		}
		if err == nil && made > most {
			cancel(errRequests)
			return
		}
	}
}

// grade requests the verdict and reads the data for reports.
func (a *attempt) grade(ctx context.Context, answer *string) error {
	var v plane.Verdict
	if err := a.plane.Do(ctx, http.MethodPost, plane.Of(a.environment, "/verdict"), a.task.Grading(a.known, answer), &v); err != nil {
		return a.blame(err)
	}
	for i := range v.Checks {
		v.Checks[i].ID = a.task.Field(v.Checks[i].ID)
	}
	a.checkExit(&v)
	a.out.Verdict, a.out.Score, a.out.Requests = &v, v.Score, v.Recording.Requests
	if n := a.task.Limits.Requests; n != nil && a.out.State == "" && int64(a.out.Requests) > *n {
		a.out.State, a.out.Reason = outcome.Timeout, errRequests.Error()
	}
	switch {
	case a.out.State == outcome.Timeout:
	case v.Verdict == "passed":
		a.out.State = outcome.Passed
	case v.Verdict == "failed":
		a.out.State = outcome.Failed
	default:
		a.out.State, a.out.Reason = outcome.Error, "the verdict is "+v.Verdict+": see the checks that could not be decided"
	}
	faults, err := a.plane.Faults(ctx, a.environment)
	if err != nil {
		return err
	}
	for _, one := range faults {
		a.out.Firings += one.Fired
	}
	if a.options.Evidence && a.number > 0 {
		a.out.Evidence, err = a.evidence(ctx, faults)
	}
	return err
}

// evidence reads the changes and the requests.
func (a *attempt) evidence(ctx context.Context, faults []plane.Fault) (out *outcome.Evidence, err error) {
	out = &outcome.Evidence{Faults: faults}
	if out.Diff, err = a.plane.Diff(ctx, a.environment); err != nil {
		return nil, err
	}
	if out.Requests, err = a.plane.Requests(ctx, a.environment, 0, ""); err != nil {
		return nil, err
	}
	out.Trace, err = a.plane.Trace(ctx, a.environment, a.session)
	return out, err
}

// checkExit adds the check of the exit status.
func (a *attempt) checkExit(v *plane.Verdict) {
	x := a.task.Exit()
	if x == nil {
		return
	}
	passed := a.out.Exit != nil && *a.out.Exit == x.Status
	c := plane.Check{ID: x.ID(), Name: x.Name, Passed: &passed, Weight: x.Weight, Gate: x.Gate, Evidence: plane.Evidence{Exit: a.out.Exit}}
	switch {
	case passed:
	case a.out.Exit == nil:
		c.Message = "the command did not end by itself"
	default:
		c.Message = fmt.Sprintf("the exit status is %d, not %d", *a.out.Exit, x.Status)
	}
	v.Add(x.Index, c)
}

// blame converts an error of the server in the rehearsal to a task.Bad, or
// several: it would occur in every run.
func (a *attempt) blame(err error) error {
	refused := plane.Refused(err)
	if refused == nil || refused.Status >= 500 || a.number > 0 {
		return err
	}
	problems := refused.Problems
	if len(problems) == 0 {
		message := refused.Error()
		if _, rest, found := strings.Cut(message, refused.Field+": "); found && refused.Field != "" { // without the line in what was sent
			message = rest
		}
		problems = []plane.Problem{{Field: refused.Field, Message: message}}
	}
	var at placed
	placed := errors.As(err, &at)
	var all error
	for _, p := range problems {
		field := a.task.Field(p.Field)
		if placed {
			field = at.field
		}
		bad := a.task.Bad(field, p.Message)
		if all == nil {
			all = bad
		} else {
			all = fmt.Errorf("%w; %w", all, bad)
		}
	}
	return all
}

// placed is an error with the task's field that caused it.
type placed struct {
	field string
	err   error
}

// Error returns the field and the error.
func (p placed) Error() string { return p.field + ": " + p.err.Error() }

// Unwrap returns the error without the field.
func (p placed) Unwrap() error { return p.err }
