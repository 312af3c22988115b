package graph

import (
	"errors"
	"regexp"

	"understudy/internal/tracker"
	"understudy/internal/tracker/graph/engine"
)

func bindIssueMutations(b *engine.Builder) {
	type change = *tracker.Change[tracker.Issue]
	engine.Mutation(b, "issueCreate", func(c *engine.Call) (change, error) {
		return of(c).t.CreateIssue(c, of(c).p, issueInput(input(c.Args), false))
	})
	engine.Mutation(b, "issueUpdate", func(c *engine.Call) (change, error) {
		return of(c).t.UpdateIssue(c, of(c).p, c.Args.String("id"), issueInput(input(c.Args), true))
	})
	engine.Mutation(b, "issueArchive", func(c *engine.Call) (change, error) {
		return of(c).t.ArchiveIssue(c, of(c).p, c.Args.String("id"), c.Args.Bool("trash"))
	})
	engine.Mutation(b, "issueUnarchive", func(c *engine.Call) (change, error) {
		return of(c).t.UnarchiveIssue(c, of(c).p, c.Args.String("id"))
	})
	engine.Mutation(b, "issueDelete", func(c *engine.Call) (change, error) {
		return of(c).t.DeleteIssue(c, of(c).p, c.Args.String("id"), c.Args.Bool("permanentlyDelete"))
	})
	for field, on := range map[string]bool{"issueAddLabel": true, "issueRemoveLabel": false} {
		engine.Mutation(b, field, func(c *engine.Call) (change, error) {
			return of(c).t.LabelIssue(c, of(c).p, c.Args.String("id"), c.Args.String("labelId"), on)
		})
	}
	for field, on := range map[string]bool{"issueSubscribe": true, "issueUnsubscribe": false} {
		engine.Mutation(b, field, func(c *engine.Call) (change, error) {
			return of(c).t.SubscribeIssue(c, of(c).p, c.Args.String("id"), c.Args.String("userId"), c.Args.String("userEmail"), on)
		})
	}
	engine.Mutation(b, "issueBatchCreate", func(c *engine.Call) (*tracker.Batch, error) {
		var in []tracker.WriteIssue
		for _, one := range input(c.Args).Objects("issues") {
			in = append(in, issueInput(one, false))
		}
		return of(c).t.CreateIssues(c, of(c).p, in)
	})
	engine.Mutation(b, "issueBatchUpdate", func(c *engine.Call) (*tracker.Batch, error) {
		return of(c).t.UpdateIssues(c, of(c).p, c.Args.Strings("ids"), issueInput(input(c.Args), true))
	})
}

func bindBatch(b *engine.Builder) {
	t := engine.Object[tracker.Batch](b, "IssueBatchPayload")
	t.Const(true, "success").Field("lastSyncId", func(b *tracker.Batch) int64 { return b.LastSyncID })
	engine.Many(t, "issues", func(b *tracker.Batch) []*tracker.Issue { return b.Issues })
}

var identifierInBranch = regexp.MustCompile(`(?i)(?:^|[^a-z0-9])([a-z][a-z0-9]{0,6}-[1-9][0-9]*)(?:$|[^0-9])`)

// issueOfBranch returns the issue whose identifier a branch name contains, or
// nil.
func issueOfBranch(v *tracker.View, branch string) (*tracker.Issue, error) {
	for _, m := range identifierInBranch.FindAllStringSubmatch(branch, 20) {
		i, err := v.Issue(m[1])
		if err == nil || !errors.Is(err, tracker.NotFound) {
			return i, err
		}
	}
	return nil, nil
}

// payloads binds the payload types of a kind: that of writes, and that of
// archiving if there is one.
func payloads[T any](b *engine.Builder, field, write, archive string, of func(*tracker.Change[T]) *T) {
	for _, p := range []struct{ name, field string }{{write, field}, {archive, "entity"}} {
		if p.name == "" {
			continue
		}
		t := engine.Object[tracker.Change[T]](b, p.name)
		t.Const(true, "success").Field("lastSyncId", func(c *tracker.Change[T]) int64 { return c.LastSyncID })
		engine.One(t, p.field, of)
	}
}

func changedEntity[T any](c *tracker.Change[T]) *T { return c.Entity }

// deleted is the outcome of a deletion.
type deleted struct {
	id   string
	sync int64
}

func gone[T any](c *tracker.Change[T], err error) (*deleted, error) {
	if err != nil {
		return nil, err
	}
	return &deleted{c.EntityID, c.LastSyncID}, nil
}

func bindDeleted(b *engine.Builder) {
	t := engine.Object[deleted](b, "DeletePayload")
	t.Const(true, "success").Field("lastSyncId", func(d *deleted) int64 { return d.sync })
	t.Field("entityId", func(d *deleted) string { return d.id })
}
