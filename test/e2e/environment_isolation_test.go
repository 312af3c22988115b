package e2e

import (
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy/test/server"
)

// Many environments are used at once through all four services while some of
// them are forked, put back and removed. Nobody sees what is another's, and
// nothing answers that the server failed.
func TestEnvironmentsUnderLoadStayApart(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		staysApart(t, 20, 4*time.Second)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		staysApart(t, 6, 3*time.Second, "--database", server.Postgres(t))
	})
}

func staysApart(t *testing.T, worlds int, long time.Duration, flags ...string) {
	_, c := server.New(t, append(flags, "--rate-limits", "off")...)
	a := adminOf(c)
	all := make([]*tagged, worlds)
	for i := range all {
		w, err := a.create(map[string]any{"rate_limits": "off"})
		if err != nil {
			t.Fatal(err)
		}
		all[i] = &tagged{world: w, tag: fmt.Sprintf("tag%02d", i)}
		if err := all[i].prepare(); err != nil {
			t.Fatal(err)
		}
	}
	for i, w := range all {
		other := all[(i+1)%len(all)]
		stranger := w.world
		stranger.Messaging.BaseURL, stranger.CRM.BaseURL = other.Messaging.BaseURL, other.CRM.BaseURL
		stranger.Tracker.BaseURL, stranger.Ingest.BaseURL = other.Tracker.BaseURL, other.Ingest.BaseURL
		stranger.refused(t)
	}
	var (
		stop     atomic.Bool
		answered atomic.Int64
		wg       sync.WaitGroup
	)
	for i, w := range all {
		moved := i%3 == 0 // it is put back and forked meanwhile
		wg.Go(func() {
			for n := 0; !stop.Load() && !t.Failed(); n++ {
				if err := w.use(n, !moved); err != nil {
					t.Errorf("%s: %v", w.ID, err)
				}
				answered.Add(1)
			}
		})
		if moved {
			wg.Go(func() {
				for n := 0; !stop.Load() && !t.Failed(); n++ {
					if err := w.move(a, n); err != nil {
						t.Errorf("%s is moved: %v", w.ID, err)
					}
				}
			})
		}
	}
	time.Sleep(long)
	stop.Store(true)
	wg.Wait()
	if n := int(answered.Load()); n < worlds {
		t.Errorf("only %d rounds: the load was none", n)
	}
}

// tagged is an environment all data of which carries its tag.
type tagged struct {
	world
	tag  string
	team string
}

func (w *tagged) prepare() error {
	var reply struct {
		Data struct {
			Teams struct{ Nodes []struct{ ID string } }
		}
	}
	err := w.graphql(`{ teams { nodes { id } } }`, &reply)
	if err == nil && len(reply.Data.Teams.Nodes) == 0 {
		err = w.graphql(`mutation { teamCreate(input: { name: "Team", key: "TEAM" }) { success } }`, nil)
		if err == nil {
			err = w.graphql(`{ teams { nodes { id } } }`, &reply)
		}
	}
	if err == nil && len(reply.Data.Teams.Nodes) == 0 {
		err = errors.New("it has no team")
	}
	if err == nil {
		w.team = reply.Data.Teams.Nodes[0].ID
	}
	return err
}

// use writes to each service and reads everything back. In an environment that
// stays, what was just written must be there.
func (w *tagged) use(n int, stays bool) error {
	mine := fmt.Sprintf("%s-%d", w.tag, n)
	if err := w.post(mine); err != nil {
		return err
	}
	if err := do("POST", w.CRM.BaseURL+"/api/crm/v3/objects/contacts", w.CRM.AccessToken,
		map[string]any{"properties": map[string]string{"email": mine + "@example.com"}}, nil, http.StatusCreated); err != nil && !taken(err) {
		return err
	}
	if stays { // the team may be gone from one that is put back
		if err := w.graphql(fmt.Sprintf(`mutation { issueCreate(input: { teamId: %q, title: %q }) { success } }`, w.team, mine), nil); err != nil {
			return err
		}
	}
	if err := do("POST", w.Ingest.BaseURL+"/api/v1/capture-event", w.Ingest.APIKey, map[string]any{
		"event_id": fmt.Sprintf("%08x-0000-4000-8000-%012x", hash(w.ID), n), "primitive_name": mine, "primitive_type": "tool",
		"session_id": "aaaaaaaa-0000-4000-8000-000000000001", "args": "{}", "latency": 1}, nil, http.StatusOK); err != nil {
		return err
	}
	texts := func() ([]string, error) {
		text, err := w.texts()
		return strings.Fields(text), err
	}
	for what, read := range map[string]func() ([]string, error){"texts": texts, "contacts": w.contacts, "issues": w.issues, "events": w.events} {
		found, err := read()
		if err != nil {
			return err
		}
		have := false
		for _, text := range found {
			if !strings.HasPrefix(text, w.tag) {
				return fmt.Errorf("its %s hold %q", what, text)
			}
			have = have || strings.HasPrefix(text, mine)
		}
		if stays && !have && n < 90 { // the lists that are read are one page
			return fmt.Errorf("its %s lack %q", what, mine)
		}
	}
	return nil
}

// hash makes the ids of events differ between environments.
func hash(text string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text))
	return h.Sum32()
}

func taken(err error) bool {
	var se server.StatusError
	return errors.As(err, &se) && se.Status == http.StatusConflict
}

// move forks, snapshots and puts back, and looks into the fork before it goes.
func (w *tagged) move(a admin, n int) error {
	fork, err := a.fork(w.ID)
	if err != nil {
		return err
	}
	if fork.Messaging.BotToken != w.Messaging.BotToken {
		return errors.New("a fork has another token than its parent")
	}
	f := &tagged{world: fork, tag: w.tag, team: w.team}
	if err := f.use(1000+n, false); err != nil {
		return fmt.Errorf("fork: %w", err)
	}
	snapshot, err := a.snapshot(w.ID)
	if err != nil {
		return err
	}
	if err := a.restore(w.ID, snapshot); err != nil {
		return err
	}
	if n%2 == 1 {
		if _, err := a.reset(w.ID); err != nil {
			return err
		}
	}
	if err := a.do("DELETE", "/"+w.ID+"/snapshots/"+snapshot, nil, nil, http.StatusNoContent); err != nil {
		return err
	}
	return a.do("DELETE", "/"+f.ID, nil, nil, http.StatusNoContent)
}

// refused sees to it that credentials are worth nothing at another environment's address.
func (w world) refused(t *testing.T) {
	t.Helper()
	if texts, err := w.texts(); err == nil {
		t.Errorf("messaging of another environment shows %q", texts)
	}
	for what, read := range map[string]func() ([]string, error){"contacts": w.contacts, "events": w.events} {
		var se server.StatusError
		if _, err := read(); !errors.As(err, &se) || se.Status != http.StatusUnauthorized {
			t.Errorf("%s of another environment: %v, want 401", what, err)
		}
	}
	if found, err := w.issues(); err == nil && len(found) > 0 {
		t.Errorf("issues of another environment: %v", found)
	}
}
