package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"understudy/test/load/wire"
)

// plan is what issues are made of.
type plan struct {
	user     string
	teams    []team
	labels   []string
	projects []string
}

type team struct {
	id     string
	states []string
	cycles []string
}

const batch = 50

// fill creates that many issues in the organization and returns how many it
// created a second.
func (s *subject) fill(issues, connections int, limit time.Duration) (rate float64, err error) {
	p, err := s.plan()
	if err != nil {
		return 0, err
	}
	var (
		next, made atomic.Int64
		once       sync.Once
		failed     error
		wg         sync.WaitGroup
	)
	began := time.Now()
	for range connections {
		wg.Go(func() {
			if err := s.filler(p, issues, &next, &made, began, limit); err != nil {
				once.Do(func() { failed = err })
			}
		})
	}
	wg.Wait()
	if failed == nil && int(made.Load()) < issues {
		failed = fmt.Errorf("only %d of %d issues in %s", made.Load(), issues, limit)
	}
	rate = float64(made.Load()) / time.Since(began).Seconds()
	if failed == nil {
		failed = s.connect() // the server ends what was idle meanwhile
	}
	return rate, failed
}

func (s *subject) filler(p *plan, issues int, next, made *atomic.Int64, began time.Time, limit time.Duration) error {
	c, err := wire.Dial(s.Listen)
	if err != nil {
		return err
	}
	defer c.Close()
	for time.Since(began) < limit {
		first := int(next.Add(batch)) - batch
		if first >= issues {
			return nil
		}
		inputs := make([]map[string]any, min(batch, issues-first))
		for i := range inputs {
			inputs[i] = p.issue(first+i, issues)
		}
		body := graphql(`mutation($issues: [IssueCreateInput!]!) { issueBatchCreate(input: {issues: $issues}) { success } }`, map[string]any{"issues": inputs})
		if err := s.call(c, body, nil); err != nil {
			return err
		}
		if n := made.Add(int64(len(inputs))); n%100_000 == 0 {
			fmt.Fprintf(os.Stderr, "%d issues, %.0f a second\n", n, float64(n)/time.Since(began).Seconds())
		}
	}
	return nil
}

// plan makes teams, labels, projects and cycles.
func (s *subject) plan() (*plan, error) {
	p := &plan{}
	var me struct{ Viewer struct{ ID string } }
	if err := s.query(`{ viewer { id } }`, nil, &me); err != nil {
		return nil, err
	}
	p.user = me.Viewer.ID
	for i, name := range []string{"Engine", "Mobile", "Web", "Platform", "Support"} {
		if err := s.planTeam(p, i, name); err != nil {
			return nil, err
		}
	}
	var ids []string
	for _, t := range p.teams {
		ids = append(ids, t.id)
	}
	made := func(field, kind string, input map[string]any) (string, error) {
		var out map[string]map[string]struct{ ID string }
		err := s.query(fmt.Sprintf(`mutation($in: %sCreateInput!) { made: %sCreate(input: $in) { entity: %s { id } } }`,
			kind, field, field), map[string]any{"in": input}, &out)
		return out["made"]["entity"].ID, err
	}
	for _, name := range []string{"Bug", "Feature", "Improvement", "Regression", "Customer", "Security", "Performance", "Documentation"} {
		id, err := made("issueLabel", "IssueLabel", map[string]any{"name": name, "color": "#4ea7fc"})
		if err != nil {
			return nil, err
		}
		p.labels = append(p.labels, id)
	}
	for _, name := range []string{"Offline mode", "Billing rewrite", "New onboarding", "Search", "Data export", "Single sign-on"} {
		id, err := made("project", "Project", map[string]any{"name": name, "teamIds": ids})
		if err != nil {
			return nil, err
		}
		p.projects = append(p.projects, id)
	}
	return p, nil
}

func (s *subject) planTeam(p *plan, i int, name string) error {
	var made struct {
		TeamCreate struct {
			Team struct {
				ID     string
				States struct{ Nodes []struct{ ID string } }
			}
		}
	}
	err := s.query(`mutation($in: TeamCreateInput!) { teamCreate(input: $in) { team { id states { nodes { id } } } } }`,
		map[string]any{"in": map[string]any{"name": name, "key": strings.ToUpper(name[:3])}}, &made)
	if err != nil {
		return err
	}
	t := team{id: made.TeamCreate.Team.ID}
	for _, state := range made.TeamCreate.Team.States.Nodes {
		t.states = append(t.states, state.ID)
	}
	for n := range 4 {
		begin := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 14*(n-2)+i)
		var made struct {
			CycleCreate struct{ Cycle struct{ ID string } }
		}
		if err := s.query(`mutation($in: CycleCreateInput!) { cycleCreate(input: $in) { cycle { id } } }`, map[string]any{"in": map[string]any{
			"teamId": t.id, "startsAt": begin.Format(time.RFC3339), "endsAt": begin.AddDate(0, 0, 14).Format(time.RFC3339)}}, &made); err != nil {
			return err
		}
		t.cycles = append(t.cycles, made.CycleCreate.Cycle.ID)
	}
	p.teams = append(p.teams, t)
	return nil
}

var (
	verbs   = []string{"Fix", "Investigate", "Support", "Speed up", "Document", "Remove", "Rework", "Test"}
	things  = []string{"the sync of drafts", "sign-in on slow networks", "exports over a gigabyte", "the search index", "keyboard shortcuts", "push messages", "the invoice page", "time zones in reports", "image uploads", "the activity feed"}
	reasons = []string{"when the connection drops", "for large teams", "after the upgrade", "on older phones", "behind a proxy", "with two tabs open", "in right-to-left languages"}
)

// issue returns the input of the n-th of all issues; each was created a minute
// after the one before.
func (p *plan) issue(n, all int) map[string]any {
	r := rand.New(rand.NewPCG(uint64(n), 5))
	one := func(of []string) string { return of[r.IntN(len(of))] }
	t := p.teams[r.IntN(len(p.teams))]
	what := one(verbs) + " " + one(things) + " " + one(reasons)
	in := map[string]any{"teamId": t.id, "title": what, "stateId": one(t.states), "priority": r.IntN(5),
		"createdAt": time.Now().Add(time.Duration(n-all) * time.Minute).UTC().Format(time.RFC3339)}
	if r.IntN(3) > 0 {
		in["description"] = what + ".\n\n- Reported " + one(reasons) + " and again " + one(reasons) + ".\n- See also " + one(things) + ".\n"
	}
	if r.IntN(4) > 0 {
		in["assigneeId"] = p.user
	}
	if r.IntN(2) > 0 {
		in["labelIds"] = []string{one(p.labels)}
	}
	if r.IntN(3) == 0 {
		in["projectId"] = one(p.projects)
	}
	if r.IntN(4) == 0 {
		in["cycleId"] = one(t.cycles)
	}
	if r.IntN(3) == 0 {
		in["estimate"] = 1 + r.IntN(8)
	}
	if r.IntN(5) == 0 {
		in["dueDate"] = time.Now().AddDate(0, 0, r.IntN(60)).Format("2006-01-02")
	}
	return in
}
