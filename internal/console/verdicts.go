package console

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/lifecycle"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/program"
	"understudy/internal/platform/record"
	"understudy/internal/platform/verdict"
)

// verdicts serves the stored verdicts of runs.
type verdicts struct {
	environments *lifecycle.Environments
	stored       *program.Program
}

// routes registers the routes of verdicts.
func (v verdicts) routes(c *Console) {
	filters := []string{"limit", "cursor", "series", "task", "state"}
	c.handle("POST /admin/v1/environments/{env}/verdicts", v.add)
	c.handle("GET /admin/v1/environments/{env}/verdicts", v.list, filters...)
	c.handle("GET /admin/v1/verdicts", v.list, append(filters, "environment")...)
	c.handle("GET /admin/v1/verdicts/{id}", v.show)
	c.handle("DELETE /admin/v1/verdicts/{id}", v.remove)
}

// runReport is a runner's report of a run.
type runReport struct {
	Task     string           `json:"task" required:"true" minLength:"1" maxLength:"200"`
	Run      int              `json:"run" minimum:"0" description:"Number of the run, from 1."`
	Series   string           `json:"series" maxLength:"200" description:"A text that all runs of one command share."`
	State    string           `json:"state" required:"true" enum:"passed,failed,timeout,error"`
	Reason   string           `json:"reason" maxLength:"20000" description:"Why it is a timeout or an error."`
	Score    float64          `json:"score" minimum:"0" maximum:"1"`
	Seconds  float64          `json:"seconds" minimum:"0" description:"How long the agent worked."`
	Requests int              `json:"requests" minimum:"0" description:"How many requests the agent made."`
	Firings  int              `json:"firings" minimum:"0" description:"How often fault rules fired."`
	Exit     *int             `json:"exit" description:"The exit status of the agent; null where it did not end by itself."`
	Seed     *int64           `json:"seed"`
	Kept     bool             `json:"kept" description:"Whether the environment is left for somebody to look at."`
	Answer   *string          `json:"answer" maxLength:"65536" description:"What the agent answered; null for nothing."`
	Output   string           `json:"output" maxLength:"65536" description:"The end of what the agent wrote."`
	Verdict  *verdict.Verdict `json:"verdict" description:"As POST …/verdict answers it; null for a run that was not graded."`
}

// runStates are the final states of runs.
var runStates = []string{"passed", "failed", "timeout", "error"}

// check rejects reports that lists and filters cannot represent.
func (r *runReport) check() error {
	for name, text := range map[string]struct {
		value       string
		least, most int
	}{"task": {r.Task, 1, 200}, "series": {r.Series, 0, 200}, "reason": {r.Reason, 0, 20_000}, "output": {r.Output, 0, 65_536}} {
		if n := utf8.RuneCountInString(text.value); n < text.least || n > text.most {
			return environment.BadValue.At(name).Detailf("must have %d to %d characters", text.least, text.most)
		}
	}
	if r.Answer != nil && utf8.RuneCountInString(*r.Answer) > 65_536 {
		return environment.BadValue.At("answer").Detailf("must have at most 65536 characters")
	}
	if !slices.Contains(runStates, r.State) {
		return environment.BadValue.At("state").Detailf("must be passed, failed, timeout or error")
	}
	if r.Score < 0 || r.Score > 1 {
		return environment.BadValue.At("score").Detailf("must be from 0 to 1")
	}
	for name, n := range map[string]float64{"run": float64(r.Run), "seconds": r.Seconds, "requests": float64(r.Requests), "firings": float64(r.Firings)} {
		if n < 0 {
			return environment.BadValue.At(name).Detailf("must not be below 0")
		}
	}
	return nil
}

// verdictSummary is the part of a verdict that lists contain in addition to the
// columns of its row.
type verdictSummary struct {
	Run      int         `json:"run"`
	Reason   string      `json:"reason"`
	Score    float64     `json:"score"`
	Seconds  float64     `json:"seconds"`
	Requests int         `json:"requests"`
	Firings  int         `json:"firings"`
	Exit     *int        `json:"exit"`
	Seed     *int64      `json:"seed"`
	Kept     bool        `json:"kept" description:"Whether the environment was left for somebody to look at."`
	World    *worldReply `json:"world" description:"What the environment was forked from; null for nothing."`
	Checks   checksReply `json:"checks"`
}

// verdictDetail is the additional part of a single verdict.
type verdictDetail struct {
	Answer  *string         `json:"answer" description:"What the agent answered, without what looks like a secret."`
	Output  string          `json:"output" description:"The end of what the agent wrote, without what looks like a secret."`
	Verdict json.RawMessage `json:"verdict"`
}

type worldReply struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type checksReply struct {
	Passed    int `json:"passed"`
	Failed    int `json:"failed"`
	Undecided int `json:"undecided"`
}

// verdictReply is the verdict of a run in a list.
type verdictReply struct {
	ID          string    `json:"id"`
	At          time.Time `json:"at" description:"When it was reported, real time."`
	Series      string    `json:"series"`
	Task        string    `json:"task"`
	State       string    `json:"state" enum:"passed,failed,timeout,error"`
	Environment string    `json:"environment" description:"Where the run was; usually a fork that is gone."`
	verdictSummary
}

// verdictWhole is one verdict with the complete report. It describes the reply of
// show.
type verdictWhole struct {
	verdictReply
	Answer  *string          `json:"answer" description:"What the agent answered, without what looks like a secret."`
	Output  string           `json:"output" description:"The end of what the agent wrote, without what looks like a secret."`
	Verdict *verdict.Verdict `json:"verdict"`
}

type verdictList struct {
	Verdicts   []verdictReply `json:"verdicts"`
	NextCursor string         `json:"next_cursor"`
}

func verdictRow(v program.Verdict) (out verdictReply) {
	out = verdictReply{ID: strconv.FormatInt(v.ID, 10), At: v.At, Series: v.Series, Task: v.Task, State: v.State, Environment: v.Environment}
	_ = json.Unmarshal(v.Summary, &out.verdictSummary) // it was encoded from this type
	return out
}

// add stores a report of a run in an environment.
func (v verdicts) add(w http.ResponseWriter, r *http.Request) error {
	var in runReport
	if err := readBody(r, maxVerdict, &in); err != nil {
		return err
	}
	if err := in.check(); err != nil {
		return err
	}
	world, err := v.parentOf(r.Context(), r.PathValue("env"))
	if err != nil {
		return err
	}
	s := verdictSummary{Run: in.Run, Reason: in.Reason, Score: in.Score, Seconds: in.Seconds, Requests: in.Requests, Firings: in.Firings,
		Exit: in.Exit, Seed: in.Seed, Kept: in.Kept, World: world}
	d := verdictDetail{Answer: redacted(in.Answer), Output: record.Redact(in.Output), Verdict: json.RawMessage("null")}
	if in.Verdict != nil {
		for _, check := range in.Verdict.Checks {
			switch {
			case check.Passed == nil:
				s.Checks.Undecided++
			case *check.Passed:
				s.Checks.Passed++
			default:
				s.Checks.Failed++
			}
		}
		if d.Verdict, err = json.Marshal(in.Verdict); err != nil {
			return err
		}
	}
	row := program.Verdict{Environment: r.PathValue("env"), Series: record.Redact(in.Series), Task: in.Task, State: in.State}
	if world != nil {
		row.World = world.ID
	}
	if row.Summary, err = json.Marshal(s); err != nil {
		return err
	}
	if row.Detail, err = json.Marshal(d); err != nil {
		return err
	}
	if err := v.stored.AddVerdict(r.Context(), &row); err != nil {
		return err
	}
	httpkit.WriteJSON(w, http.StatusCreated, verdictRow(row))
	return nil
}

// redacted returns a text without possible secrets, nil for none.
func redacted(s *string) *string {
	if s == nil {
		return nil
	}
	out := record.Redact(*s)
	return &out
}

// parentOf returns the environment from which one was forked, nil for none. A
// deleted parent has no name.
func (v verdicts) parentOf(ctx context.Context, id string) (*worldReply, error) {
	e, err := v.environments.Catalogue.Get(ctx, id)
	if err != nil || e.Parent == "" {
		return nil, err
	}
	parent, err := v.environments.Catalogue.Get(ctx, e.Parent)
	if err != nil && !errors.Is(err, environment.NotFound) {
		return nil, err
	}
	return &worldReply{e.Parent, parent.Name}, nil
}

// list replies with the verdicts of runs, newest first: all, or those in an
// environment or its forks if the path or the query names one.
func (v verdicts) list(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	f := program.VerdictFilter{Environment: q.Get("environment"), Series: q.Get("series"), Task: q.Get("task"), State: q.Get("state")}
	for name, text := range map[string]string{"environment": f.Environment, "series": f.Series, "task": f.Task, "state": f.State} {
		if !httpkit.IsText(text) {
			return environment.BadValue.At(name).Detailf("must be text")
		}
	}
	if err := among("state", f.State, runStates); err != nil {
		return err
	}
	if env := r.PathValue("env"); env != "" {
		f.Environment = env
	}
	return serveList(w, r, "verdict", "verdicts", newestFirst(func(before int64, limit int) ([]program.Verdict, error) {
		f.Before, f.Limit = before, limit
		return v.stored.Verdicts(r.Context(), f)
	}), func(v *program.Verdict) string { return strconv.FormatInt(v.ID, 10) }, verdictRow)
}

func (v verdicts) show(w http.ResponseWriter, r *http.Request) error {
	id, err := verdictID(r)
	if err != nil {
		return err
	}
	row, err := v.stored.Verdict(r.Context(), id)
	if err != nil {
		return err
	}
	var d verdictDetail
	if err := json.Unmarshal(row.Detail, &d); err != nil {
		return err
	}
	httpkit.WriteJSON(w, http.StatusOK, struct {
		verdictReply
		verdictDetail
	}{verdictRow(row), d})
	return nil
}

func (v verdicts) remove(w http.ResponseWriter, r *http.Request) error {
	id, err := verdictID(r)
	if err != nil {
		return err
	}
	if err := v.stored.DeleteVerdict(r.Context(), id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// verdictID returns the id in the path. It returns program.VerdictNotFound for a
// text that cannot be an id.
func verdictID(r *http.Request) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id < 1 || id == 1<<63-1 {
		return 0, program.VerdictNotFound
	}
	return id, nil
}
