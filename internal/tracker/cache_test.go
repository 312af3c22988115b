package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"understudy/internal/platform/opt"
	"understudy/internal/tracker/entity"
)

// everythingSeen returns everything that a caller may see, as JSON.
func everythingSeen(o *office, t *Tracker) string {
	o.Helper()
	out := map[string]any{}
	o.must(t.Read(context.Background(), o.p, func(v *View) error {
		org, err := v.Organization()
		out["organization"], out["viewer"] = org, v.Viewer()
		return errors.Join(err, seen(v, out, Users), seen(v, out, Teams), seen(v, out, States), seen(v, out, Labels), seen(v, out, Issues),
			seen(v, out, Comments), seen(v, out, Projects), seen(v, out, Cycles), seen(v, out, Webhooks))
	}))
	raw, err := json.Marshal(out)
	o.must(err)
	return string(raw)
}

// seen adds the entities of a kind, listed and by id.
func seen[T any](v *View, out map[string]any, k *Kind[T]) error {
	p, err := k.List(v, entity.Query{IncludeArchived: true, Disabled: true})
	if err != nil {
		return err
	}
	var ids []string
	for _, t := range p.Nodes {
		ids = append(ids, k.Header(t).ID)
	}
	byID, err := k.ByID(v, append(ids, "5c1f1b3a-9d1c-4e6b-8f2a-1234567890ab"))
	out[k.Name], out[k.Name+" by id"] = p.Nodes, byID
	return err
}

// TestReadersSeeEveryWrite compares, after each write, the reads of a process with filled
// caches with those of a process with empty caches.
func TestReadersSeeEveryWrite(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		eng, ops := o.team("ENG"), o.team("OPS")
		label, err := o.t.CreateLabel(ctx, o.p, WriteLabel{Name: opt.Some("Bug"), Team: opt.Some(eng.ID)})
		o.must(err)
		a := o.issue(eng, "A", func(in *WriteIssue) { in.Labels = opt.Some([]string{label.EntityID}) })
		b := o.issue(eng, "B", func(in *WriteIssue) { in.Parent = opt.Some(a.ID) })
		project, err := o.t.CreateProject(ctx, o.p, WriteProject{Name: opt.Some("P"), Teams: opt.Some([]string{eng.ID})})
		o.must(err)
		now := o.clock.Now().UnixMicro()
		cycle, err := o.t.CreateCycle(ctx, o.p, WriteCycle{Team: eng.ID, Starts: opt.Some(now), Ends: opt.Some(now + int64(time.Hour/time.Microsecond))})
		o.must(err)
		comment, err := o.t.CreateComment(ctx, o.p, CreateComment{Issue: a.ID, Body: "x"})
		o.must(err)
		hook, err := o.t.CreateWebhook(ctx, o.p, WriteWebhook{URL: opt.Some("http://x/")})
		o.must(err)
		var types []string
		for _, write := range []func() error{
			func() error {
				_, err := o.t.UpdateIssue(ctx, o.p, a.ID, WriteIssue{Project: opt.Some(project.EntityID), Cycle: opt.Some(cycle.EntityID)})
				return err
			},
			func() error {
				_, err := o.t.UpdateTeam(ctx, o.p, eng.ID, CreateTeam{Key: opt.Some("NEW"), Settings: map[string]any{"cycleDuration": 3.0}})
				return err
			},
			func() error {
				_, err := o.t.CreateLabel(ctx, o.p, WriteLabel{Name: opt.Some("Bug"), Replace: true})
				return err
			},
			func() error { _, err := o.t.DeleteLabel(ctx, o.p, labelNamed(o, "Bug")); return err },
			func() error {
				_, err := o.t.UpdateComment(ctx, o.p, comment.EntityID, UpdateComment{Body: opt.Some("y")})
				return err
			},
			func() error {
				_, err := o.t.UpdateProject(ctx, o.p, project.EntityID, WriteProject{Lead: opt.Some(o.p.Subject)})
				return err
			},
			func() error {
				_, err := o.t.UpdateCycle(ctx, o.p, cycle.EntityID, WriteCycle{Completed: opt.Some(now + 1)})
				return err
			},
			func() error { _, err := o.t.ArchiveCycle(ctx, o.p, cycle.EntityID); return err },
			func() error {
				_, err := o.t.UpdateIssue(ctx, o.p, b.ID, WriteIssue{Team: opt.Some(ops.ID)})
				return err
			},
			func() error { _, err := o.t.DeleteIssue(ctx, o.p, a.ID, true); return err },
			func() error {
				_, err := o.t.CreateIssue(ctx, o.p, WriteIssue{ID: a.ID, Team: opt.Some(ops.ID), Title: opt.Some("The same id")})
				return err
			},
			func() error {
				_, err := o.t.UpdateUser(ctx, o.p, "me", UpdateUser{Name: opt.Some("Ann B")})
				return err
			},
			func() error { _, err := o.t.RotateWebhookSecret(ctx, o.p, hook.EntityID); return err },
			func() error {
				_, err := o.t.UpdateOrganization(ctx, o.p, UpdateOrganization{URLKey: opt.Some("other")})
				return err
			},
			func() error { _, err := o.t.ArchiveProject(ctx, o.p, project.EntityID, true); return err },
			func() error { _, err := o.t.DeleteTeam(ctx, o.p, eng.ID); return err },
			func() error { _, err := o.t.UnarchiveTeam(ctx, o.p, eng.ID); return err },
		} {
			everythingSeen(o, o.t)
			o.must(write())
			types = append(types, o.events(1)[0].Type)
			if kept, fresh := everythingSeen(o, o.t), everythingSeen(o, New(o.world, o.t.Deps)); kept != fresh {
				o.Fatalf("after %s:\nkept  %s\nfresh %s", types[len(types)-1], kept, fresh)
			}
		}
		want := []string{"issue.updated", "team.updated", "issueLabel.created", "issueLabel.deleted", "comment.updated", "project.updated", "cycle.updated",
			"cycle.deleted", "issue.updated", "issue.deleted", "issue.created", "user.updated", "user.updated", "organization.updated",
			"project.deleted", "team.deleted", "team.updated"}
		if !slices.Equal(types, want) {
			o.Errorf("events %v, want %v", types, want)
		}
	})
}

func labelNamed(o *office, name string) (id string) {
	o.Helper()
	o.read(func(v *View) {
		p, err := Labels.List(v, entity.Query{Filter: f("name", f("eq", name))})
		o.must(err)
		id = p.Nodes[0].ID
	})
	return id
}
