package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"understudy/internal/platform/opt"
	"understudy/internal/tracker/entity"
)

func errorsIs(err, want error) bool { return errors.Is(err, want) }

func TestIdentifiersFollowOneAnother(t *testing.T) {
	both(t, func(o *office) {
		team := o.team("ENG")
		var wg sync.WaitGroup
		var mu sync.Mutex
		numbers, syncs := map[int64]bool{}, map[int64]bool{}
		for range 8 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for range 5 {
					c, err := o.t.CreateIssue(context.Background(), o.p, WriteIssue{Team: opt.Some(team.ID), Title: opt.Some("x")})
					if err != nil {
						o.Error(err)
						return
					}
					mu.Lock()
					numbers[c.Entity.Number], syncs[c.LastSyncID] = true, true
					mu.Unlock()
				}
			}()
		}
		wg.Wait()
		if len(numbers) != 40 || len(syncs) != 40 {
			o.Fatalf("%d numbers and %d sync ids of 40 issues", len(numbers), len(syncs))
		}
		for n := int64(1); n <= 40; n++ {
			if !numbers[n] {
				o.Errorf("number %d is missing", n)
			}
		}
	})
}

func TestStatesSetTimes(t *testing.T) {
	both(t, func(o *office) {
		team := o.team("ENG")
		i := o.issue(team, "Fix the lift")
		if i.Identifier != "ENG-1" || i.State != o.state(team, "backlog").ID || i.Started != 0 {
			o.Fatalf("%+v", i)
		}
		to := func(kind string) *Issue {
			i = o.update(i, WriteIssue{State: opt.Some(o.state(team, kind).ID)})
			return i
		}
		started := to("started").Started
		if started == 0 {
			o.Fatal("started has no time")
		}
		if to("completed"); i.Completed == 0 || i.Started != started {
			o.Fatalf("completed: %+v", i)
		}
		if to("canceled"); i.Completed != 0 || i.Canceled == 0 {
			o.Fatalf("canceled: %+v", i)
		}
		if to("unstarted"); i.Completed+i.Canceled+i.Started != 0 {
			o.Fatalf("unstarted: %+v", i)
		}
	})
}

func TestMovingKeepsTheOldIdentifier(t *testing.T) {
	both(t, func(o *office) {
		eng, ops := o.team("ENG"), o.team("OPS")
		ctx := context.Background()
		own, err := o.t.CreateLabel(ctx, o.p, WriteLabel{Name: opt.Some("Own"), Team: opt.Some(eng.ID)})
		o.must(err)
		all, err := o.t.CreateLabel(ctx, o.p, WriteLabel{Name: opt.Some("All")})
		o.must(err)
		i := o.issue(eng, "A", func(in *WriteIssue) { in.Labels = opt.Some([]string{own.EntityID, all.EntityID}) })
		o.issue(ops, "B")
		i = o.update(i, WriteIssue{Team: opt.Some(ops.ID)})
		if i.Identifier != "OPS-2" || i.Previous != "ENG-1" || i.LabelIDs != all.EntityID || i.State != o.state(ops, "backlog").ID {
			o.Fatalf("%+v", i)
		}
		if next := o.issue(eng, "C"); next.Identifier != "ENG-2" {
			o.Fatal(next.Identifier)
		}
		_, err = o.t.UpdateTeam(ctx, o.p, ops.ID, CreateTeam{Key: opt.Some("RUN")})
		o.must(err)
		o.read(func(v *View) {
			for _, id := range []string{"ENG-1", "ops-2", "RUN-2", i.ID} {
				got, err := v.Issue(id)
				if err != nil || got.ID != i.ID || got.Identifier != "RUN-2" {
					o.Errorf("%s: %v %v", id, got, err)
				}
			}
			teams, err := Teams.ByID(v, []string{eng.ID, ops.ID})
			o.must(err)
			if teams[eng.ID].OpenIssues != 1 || teams[ops.ID].OpenIssues != 2 {
				o.Errorf("counts %d and %d", teams[eng.ID].OpenIssues, teams[ops.ID].OpenIssues)
			}
		})
	})
}

func TestEventsTellWhatChanged(t *testing.T) {
	both(t, func(o *office) {
		team := o.team("ENG")
		i := o.issue(team, "Old title")
		before := i.Updated
		o.update(i, WriteIssue{Title: opt.Some("New title"), Assignee: opt.Some(o.p.Subject)})
		o.update(i, WriteIssue{Title: opt.Some("New title")}) // nothing new: no event
		all := o.events(100)
		last := all[len(all)-1]
		var e Event
		o.must(json.Unmarshal(last.Payload, &e))
		want := fmt.Sprint(map[string]any{"title": "Old title", "assigneeId": nil, "updatedAt": entity.ISO(before)})
		if last.Type != "issue.updated" || fmt.Sprint(e.UpdatedFrom) != want || e.Data["title"] != "New title" {
			o.Fatalf("%s %v, want %s", last.Type, e.UpdatedFrom, want)
		}
		if _, there := e.Data["dueDate"]; there {
			o.Error("a null column is in the payload")
		}
		_, err := o.t.ArchiveIssue(context.Background(), o.p, "ENG-1", false)
		o.must(err)
		var gone Event
		o.must(json.Unmarshal(o.events(1)[0].Payload, &gone))
		if gone.Action != "remove" || gone.Data["archivedAt"] == nil || gone.URL != "" || gone.UpdatedFrom != nil || o.events(1)[0].Type != "issue.updated" {
			o.Fatalf("%+v", gone)
		}
		_, err = o.t.DeleteIssue(context.Background(), o.p, "ENG-1", false)
		o.must(err)
		o.must(json.Unmarshal(o.events(1)[0].Payload, &e))
		if e.Action != "remove" || e.Data["trashed"] != true || o.events(1)[0].Type != "issue.deleted" {
			o.Fatalf("%+v", e)
		}
	})
}

func TestIssueRefusals(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		team, other := o.team("ENG"), o.team("OPS")
		i := o.issue(team, "A")
		child := o.issue(team, "B", func(in *WriteIssue) { in.Parent = opt.Some("eng-1") })
		group, err := o.t.CreateLabel(ctx, o.p, WriteLabel{Name: opt.Some("Size"), IsGroup: opt.Some(true)})
		o.must(err)
		small, err := o.t.CreateLabel(ctx, o.p, WriteLabel{Name: opt.Some("S"), Parent: opt.Some(group.EntityID)})
		o.must(err)
		large, err := o.t.CreateLabel(ctx, o.p, WriteLabel{Name: opt.Some("L"), Parent: opt.Some(group.EntityID)})
		o.must(err)
		for name, c := range map[string]struct {
			in   WriteIssue
			want error
		}{
			"own parent":      {WriteIssue{Parent: opt.Some(i.ID)}, BadInput},
			"parent loop":     {WriteIssue{Parent: opt.Some(child.ID)}, BadInput},
			"group applied":   {WriteIssue{Labels: opt.Some([]string{group.EntityID})}, BadInput},
			"two of a group":  {WriteIssue{Labels: opt.Some([]string{small.EntityID, large.EntityID})}, BadInput},
			"foreign state":   {WriteIssue{State: opt.Some(o.state(other, "started").ID)}, BadInput},
			"unknown state":   {WriteIssue{State: opt.Some(o.t.IDs.UUID())}, NotFound},
			"priority 5":      {WriteIssue{Priority: opt.Some(5)}, BadArgument},
			"empty title":     {WriteIssue{Title: opt.Some(" ")}, BadArgument},
			"malformed state": {WriteIssue{State: opt.Some("x")}, BadArgument},
		} {
			if _, err := o.t.UpdateIssue(ctx, o.p, i.ID, c.in); !errors.Is(err, c.want) {
				o.Errorf("%s: %v", name, err)
			}
		}
		_, err = o.t.CreateIssue(ctx, o.p, WriteIssue{ID: i.ID, Team: opt.Some(team.ID), Title: opt.Some("again")})
		o.refused(err, Taken)
		if next := o.issue(team, "C"); next.Identifier != "ENG-3" {
			o.Errorf("a refused issue took a number: %s", next.Identifier)
		}
		_, stranger := o.organization("rival", "eve@rival.test")
		_, err = o.t.UpdateIssue(ctx, stranger, i.ID, WriteIssue{Title: opt.Some("mine")})
		o.refused(err, NotFound)
	})
}

// peek returns the number of entities that a link of which only the id is read shows.
func peek[T any](o *office, k *Kind[T], v *View, id string) int {
	o.Helper()
	got, err := k.Peek(v, []string{id})
	o.must(err)
	return len(got)
}

func TestPrivateTeamsAreUnseen(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		outsider := o.member("bob@acme.test")
		team := o.team("SEC")
		i := o.issue(team, "A secret")
		_, err := o.t.UpdateTeam(ctx, o.p, "sec", CreateTeam{Private: opt.Some(true)})
		o.must(err)
		o.must(o.t.Read(ctx, outsider, func(v *View) error {
			if _, err := v.Issue(i.ID); !errors.Is(err, NotFound) {
				o.Errorf("an outsider got %v", err)
			}
			p, err := Issues.List(v, entity.Query{IncludeArchived: true})
			if len(p.Nodes) != 0 {
				o.Error("an outsider lists a private team's issues")
			}
			return err
		}))
		o.read(func(v *View) {
			if _, err := v.Issue("SEC-1"); err != nil {
				o.Error(err)
			}
		})
		// Links of which only the id is read show no more than rows.
		project, err := o.t.CreateProject(ctx, o.p, WriteProject{Name: opt.Some("P"), Teams: opt.Some([]string{team.ID})})
		o.must(err)
		cycle, err := o.t.CreateCycle(ctx, o.p, WriteCycle{Team: team.ID, Starts: opt.Some(o.clock.Micros()), Ends: opt.Some(o.clock.Micros() + 1e9)})
		o.must(err)
		label, err := o.t.CreateLabel(ctx, o.p, WriteLabel{Name: opt.Some("Bug"), Team: opt.Some(team.ID)})
		o.must(err)
		peeked := func(v *View) (n int) {
			for _, found := range []int{peek(o, Issues, v, i.ID), peek(o, Teams, v, team.ID), peek(o, States, v, i.State),
				peek(o, Projects, v, project.EntityID), peek(o, Cycles, v, cycle.EntityID), peek(o, Labels, v, label.EntityID)} {
				n += found
			}
			return n
		}
		for range 2 { // first from the database, then from the cache
			o.read(func(v *View) {
				if n := peeked(v); n != 6 {
					o.Errorf("the owner sees %d of 6", n)
				}
			})
			o.must(o.t.Read(ctx, outsider, func(v *View) error {
				if n := peeked(v); n != 0 {
					o.Errorf("an outsider sees %d ids of a private team", n)
				}
				return nil
			}))
		}
	})
}

// An imported issue that names only its completion does not start after it.
func TestImportedIssuesBeginBeforeTheyEnd(t *testing.T) {
	both(t, func(o *office) {
		team := o.team("ENG")
		created, completed := o.clock.Micros()-9e12, o.clock.Micros()-8e12
		i := o.issue(team, "Old", func(in *WriteIssue) {
			in.State, in.CreatedAt, in.CompletedAt = opt.Some(o.state(team, "completed").ID), opt.Some(created), opt.Some(completed)
		})
		if i.Created != created || i.Completed != completed || i.Started > completed || i.Started < created {
			o.Errorf("created %d, started %d, completed %d", i.Created, i.Started, i.Completed)
		}
	})
}
