package tracker

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"understudy/internal/platform/opt"
	"understudy/internal/platform/store"
)

// Right after a write a search finds its new words, and no longer its old ones.
func TestSearchFollowsWrites(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		team, other := o.team("ENG"), o.team("OPS")
		finds := func(term, want string) {
			o.Helper()
			got, _ := o.found(o.p, Search{Term: term, Comments: true}, 50, false)
			o.is(term, strings.Join(got, ","), want)
		}
		a, b := o.issue(team, "alpha one"), o.issue(team, "alpha two")
		finds("alpha", "alpha two,alpha one")
		a = o.update(a, WriteIssue{Title: opt.Some("beta one")})
		finds("alpha", "alpha two")
		finds("beta", "beta one")
		c, err := o.t.CreateComment(ctx, o.p, CreateComment{Issue: b.ID, Body: "gamma"})
		o.must(err)
		finds("gamma", "alpha two")
		_, err = o.t.UpdateComment(ctx, o.p, c.EntityID, UpdateComment{Body: opt.Some("delta")})
		o.must(err)
		finds("gamma", "")
		finds("delta", "alpha two")
		_, err = o.t.DeleteComment(ctx, o.p, c.EntityID)
		o.must(err)
		finds("delta", "")
		a = o.update(a, WriteIssue{Team: opt.Some(other.ID)})
		finds("OPS-1", "beta one")
		finds("ENG-1", "beta one")
		_, err = o.t.UpdateTeam(ctx, o.p, other.ID, CreateTeam{Key: opt.Some("SRE")})
		o.must(err)
		finds("SRE-1", "beta one")
		_, err = o.t.DeleteIssue(ctx, o.p, b.ID, true)
		o.must(err)
		finds("alpha", "")
		_, err = o.t.ArchiveIssue(ctx, o.p, a.ID, true)
		o.must(err)
		finds("beta", "")
		_, err = o.t.UnarchiveIssue(ctx, o.p, a.ID)
		o.must(err)
		finds("beta", "beta one")
	})
}

// The writes of an import without pauses do a part of the indexing, so that no later
// search waits for all of it.
func TestAnImportTakesTheIndexAlong(t *testing.T) {
	const batches, most = 60, 600 // batches of maxBatch issues; most is the greatest number of issues that are not indexed
	both(t, func(o *office) {
		o.t.search.Follower.MostBehind = most
		team := o.team("ENG")
		in := make([]WriteIssue, maxBatch)
		for i := range in {
			in[i] = WriteIssue{Team: opt.Some(team.ID), Title: opt.Some(fmt.Sprint("imported ", i))}
		}
		for range batches {
			_, err := o.t.CreateIssues(context.Background(), o.p, in)
			o.must(err)
		}
		var behind int64
		o.must(o.world.Read(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Get("SELECT COUNT(*) FROM tracker_search_change", nil, &behind)
			return err
		}))
		bound := int64(most)
		if strings.HasSuffix(o.Name(), "postgres") { // others go on while one indexes
			bound = 2*most + maxBatch
		}
		if behind > bound {
			t.Errorf("%d of %d issues are not indexed", behind, batches*maxBatch)
		}
	})
}

// A search finds what its caller has just written, while others write and the index is
// filled beside them.
func TestSearchFollowsWritesBesideOthers(t *testing.T) {
	const writers, issues = 4, 30
	both(t, func(o *office) {
		ctx := context.Background()
		team := o.team("ENG")
		var all sync.WaitGroup
		for n := range writers {
			all.Go(func() {
				for i := range issues {
					word := fmt.Sprintf("w%dx%d", n, i)
					c, err := o.t.CreateIssue(ctx, o.p, WriteIssue{Team: opt.Some(team.ID), Title: opt.Some(word + " before")})
					if err == nil && i%2 == 1 {
						_, err = o.t.UpdateIssue(ctx, o.p, c.EntityID, WriteIssue{Title: opt.Some(word + " after")})
					}
					if err == nil {
						err = o.t.IndexIssues(ctx)
					}
					var page *Found
					if err == nil {
						term := word + " " + []string{"before", "after"}[i%2]
						err = o.t.Read(ctx, o.p, func(v *View) (err error) {
							page, err = v.SearchIssues(Search{Term: term})
							return err
						})
					}
					if err != nil || len(page.Nodes) != 1 {
						t.Errorf("%s: %+v: %v", word, page, err)
						return
					}
				}
			})
		}
		all.Wait()
	})
}
