package console_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"understudy/internal/app/apptest"
)

// TestADiffLeavesCopiesAsTheyWere compares an environment with copies that
// share a file with it or live in memory, and uses them afterwards.
func TestADiffLeavesCopiesAsTheyWere(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		for _, body := range []object{{}, {"ephemeral": true}, {"fixture": "demo"}} {
			status, made := p.Server.Call("POST", "/admin/v1/environments", p.Key, body)
			if body["ephemeral"] == true && status == 422 {
				continue // this build keeps environments on disk
			}
			if status != 201 {
				t.Fatalf("%v answers %d %v", body, status, made)
			}
			e := p.World(made)
			if got := p.Diff(e.ID, "", "inserts"); len(got) != 0 {
				t.Errorf("%v: a new environment has %q", body, got)
			}
			before := len(e.Texts())
			e.Post("one")
			snapshot := p.Call("POST", "/"+e.ID+"/snapshots", nil, 201)["id"].(string)
			if got := p.Diff(e.ID, "?from="+snapshot, "inserts"); len(got) != 0 {
				t.Errorf("%v: since the snapshot: %q", body, got)
			}
			e.Post("two")
			f := p.World(p.Call("POST", "/"+e.ID+"/fork", object{"snapshot": snapshot}, 201))
			if got := p.Diff(f.ID, "", "inserts"); len(got) != 0 {
				t.Errorf("%v: a new fork has %q", body, got)
			}
			for range 2 {
				for query, want := range map[string]int{"": 2, "?from=" + snapshot: 1, "?to=" + snapshot: 1} {
					if got := p.Diff(e.ID, query, "inserts"); len(got) != want {
						t.Errorf("%v%s: %q, want %d", body, query, got, want)
					}
				}
			}
			p.Call("POST", "/"+e.ID+"/restore", object{"snapshot": snapshot}, 200)
			if got := p.Diff(e.ID, "", "inserts"); len(got) != 1 {
				t.Errorf("%v: restored: %q", body, got)
			}
			p.Call("POST", "/"+e.ID+"/reset", nil, 200)
			if got := p.Diff(e.ID, "", "inserts"); len(got) != 0 || len(e.Texts()) != before {
				t.Errorf("%v: reset: %q", body, got)
			}
			if got := p.Diff(e.ID, "?from="+snapshot, "deletes"); len(got) != 1 {
				t.Errorf("%v: since the snapshot, after a reset: %q", body, got)
			}
			p.Call("DELETE", "/"+e.ID+"/snapshots/"+snapshot, nil, 204)
			p.Call("DELETE", "/"+e.ID, nil, 204)
			f.Post("three")
			if got := p.Diff(f.ID, "", "inserts"); len(got) != 1 {
				t.Errorf("%v: a fork that lost its parent: %q", body, got)
			}
		}
	})
}

// TestAPostHasOneCause: a post is caused by the request that posted it alone, and
// a reply thus grows with the number of posts, not with its square.
func TestAPostHasOneCause(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		e := p.Create(object{"rate_limits": "off"})
		for range 20 {
			e.Post("hello")
		}
		posts := p.Call("GET", "/"+e.ID+"/diff", nil, 200)["inserts"].([]any)
		if len(posts) != 20 {
			t.Fatalf("%d posts, want 20", len(posts))
		}
		seen := map[any]bool{}
		for _, post := range posts {
			cause := apptest.Get(post, "cause").([]any)
			if len(cause) != 1 || apptest.Get(post, "exact") != true || seen[apptest.Get(cause, 0, "seq")] {
				t.Fatalf("a post is caused by %v, exact %v", cause, apptest.Get(post, "exact"))
			}
			seen[apptest.Get(cause, 0, "seq")] = true
		}
	})
}

// TestDiffsAtOnce has several diffs read the same copies while writes go on:
// each sees whole posts, and none sees fewer than were there when it began.
func TestDiffsAtOnce(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		e := p.Create(object{"rate_limits": "off"})
		snapshot := p.Call("POST", "/"+e.ID+"/snapshots", nil, 201)["id"].(string)
		var posted atomic.Int64
		stop, written := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(written)
			for range 3000 { // a diff has at most 32 MiB
				select {
				case <-stop:
					return
				default:
				}
				if _, reply := p.Server.Call("POST", e.Base("messaging")+"/api/chat.postMessage", e.Credential("messaging", "bot_token"), object{"channel": "general", "text": "x"}); reply["ok"] != true {
					t.Errorf("a post beside a diff answers %v", reply)
					return
				}
				posted.Add(1)
			}
		}()
		var diffs sync.WaitGroup
		for i := range 6 {
			diffs.Go(func() {
				query := []string{"", "?from=" + snapshot, "?from=" + snapshot}[i%3]
				for range 4 {
					before := posted.Load()
					status, reply := p.Server.Call("GET", "/admin/v1/environments/"+e.ID+"/diff"+query, p.Key, nil)
					if status != 200 {
						t.Errorf("a diff beside others answers %d %v", status, reply)
						return
					}
					inserts, _ := reply["inserts"].([]any)
					if n := int64(len(inserts)); n < before || n > posted.Load()+1 {
						t.Errorf("a diff shows %d posts; %d were there when it began", n, before)
					}
				}
			})
		}
		diffs.Wait()
		close(stop)
		<-written
		p.Call("POST", "/"+e.ID+"/reset", nil, 200)
		if got := p.Diff(e.ID, "?from="+snapshot, "inserts"); len(got) != 0 {
			t.Errorf("after a reset: %q", got)
		}
	})
}
