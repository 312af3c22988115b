package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/internal/platform/store/storetest/throwaway"
	"understudy/test/server"
)

// writeKind is a kind of write whose outcome can be counted afterwards.
type writeKind struct {
	name, path string
	body       func(id string, n int) string
	done       string // what a reply holds that acknowledges it
	refusal    string // what a refusal in the service's dialect holds
	taken      int    // the status of a refusal since another write has the id; 0 where there is none
}

// writers write to a server until they are stopped, and note what became of it.
type writers struct {
	*testing.T
	s     *server.Server
	c     server.Credentials
	http  *http.Client
	team  string
	name  string // begins what they write
	kinds []writeKind

	mu           sync.Mutex
	acknowledged map[string]bool // kind and id
	refused      map[string]bool // with 503: perhaps written
	refusals     int

	stop chan struct{}
	wg   sync.WaitGroup
}

// writersOf returns writers of a server of which nobody has made a team yet, or
// whose team is named.
func writersOf(t *testing.T, s *server.Server, c server.Credentials, name, team string) *writers {
	w := &writers{T: t, s: s, c: c, name: name, team: team, http: &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
		acknowledged: map[string]bool{}, refused: map[string]bool{}}
	w.kinds = []writeKind{
		{"message", "/messaging/api/chat.postMessage", func(id string, _ int) string {
			return `{"channel":"general","text":"` + id + `"}`
		}, `"ok":true`, `"ok":false`, 0},
		{"contact", "/crm/api/crm/v3/objects/contacts", func(id string, _ int) string {
			return `{"properties":{"email":"` + id + `@example.com"}}`
		}, `"createdAt"`, `"category":"`, http.StatusConflict},
		{"issue", "/tracker/graphql", func(id string, _ int) string {
			return `{"query":"mutation($t: String!, $id: String!) { issueCreate(input: {teamId: $t, title: $id}) { success } }","variables":{"t":"` + w.team + `","id":"` + id + `"}}`
		}, `"success":true`, `"errors":[`, 0},
		{"event", "/ingest/api/v1/capture-event", func(id string, n int) string {
			return fmt.Sprintf(`{"event_id":"%08x-0000-4000-8000-%012x","session_id":"aaaaaaaa-0000-4000-8000-000000000001","primitive_name":%q,"primitive_type":"tool","args":"{}"}`, len(w.name), n, id)
		}, `{`, `"code":"`, 0},
	}
	if team == "" {
		var made struct {
			Data struct {
				TeamCreate struct{ Team struct{ ID string } }
			}
		}
		_, text, err := w.send("POST", "/tracker/graphql", `{"query":"mutation { teamCreate(input: {name: \"Writers\"}) { team { id } } }"}`)
		if err == nil {
			err = json.Unmarshal(text, &made)
		}
		if w.team = made.Data.TeamCreate.Team.ID; err != nil || w.team == "" {
			t.Fatalf("a team: %v: %s", err, text)
		}
	}
	return w
}

func (w *writers) send(method, path, body string) (*http.Response, []byte, error) {
	r, err := http.NewRequest(method, w.s.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	switch service, _, _ := strings.Cut(path[1:], "/"); service {
	case "messaging":
		r.Header.Set("Authorization", "Bearer "+w.c.Messaging.BotToken)
	case "crm":
		r.Header.Set("Authorization", "Bearer "+w.c.CRM.AccessToken)
	case "tracker":
		r.Header.Set("Authorization", w.c.Tracker.APIKey)
	case "ingest":
		r.Header.Set("X-Api-Key", w.c.Ingest.APIKey)
	}
	reply, err := w.http.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = reply.Body.Close() }()
	text, err := io.ReadAll(reply.Body)
	return reply, text, err
}

// start starts three writers of each kind, of which two write the same ids.
func (w *writers) start() {
	w.stop = make(chan struct{})
	for _, k := range w.kinds {
		for worker := range 3 {
			w.wg.Go(func() {
				for n := worker / 2 * 1_000_000; ; n++ {
					select {
					case <-w.stop:
						return
					case <-time.After(10 * time.Millisecond):
					}
					id := fmt.Sprintf("%s-%d", w.name, n)
					if k.taken == 0 { // nothing refuses it the second time
						n, id = n|worker<<40, fmt.Sprintf("%s-%d-%d", w.name, worker, n)
					}
					w.write(k, id, n)
				}
			})
		}
	}
}

func (w *writers) write(k writeKind, id string, n int) {
	reply, text, err := w.send("POST", k.path, k.body(id, n))
	if err != nil {
		w.Errorf("%s: %v", k.name, err)
		return
	}
	key := k.name + " " + id
	w.mu.Lock()
	defer w.mu.Unlock()
	switch status := reply.StatusCode; {
	case status < 300 && bytes.Contains(text, []byte(k.done)):
		if w.acknowledged[key] && k.taken != 0 {
			w.Errorf("%s is acknowledged twice", key)
		}
		w.acknowledged[key] = true
	case status == k.taken && bytes.Contains(text, []byte(k.refusal)):
	case status == http.StatusServiceUnavailable && reply.Header.Get("Retry-After") != "" && bytes.Contains(text, []byte(k.refusal)):
		w.refused[key] = true
		w.refusals++
	default:
		w.Errorf("%s: status %d, Retry-After %q: %.300s", key, status, reply.Header.Get("Retry-After"), text)
	}
}

// written returns how many writes are acknowledged.
func (w *writers) written() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.acknowledged)
}

// await waits until so many more writes are acknowledged.
func (w *writers) await(more int) {
	w.Helper()
	want := w.written() + more
	for end := time.Now().Add(30 * time.Second); w.written() < want; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			w.Fatalf("%d of %d writes are acknowledged", w.written(), want)
		}
	}
}

func (w *writers) end() {
	close(w.stop)
	w.wg.Wait()
}

// found returns how often each write is there, read through a server's API.
func (w *writers) found() map[string]int {
	found := map[string]int{}
	page := func(method, path, body string, into any) {
		w.Helper()
		reply, text, err := w.send(method, path, body)
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil || reply.StatusCode != http.StatusOK {
			w.Fatalf("%s: %v: %.300s", path, err, text)
		}
	}
	var channels struct{ Channels []struct{ ID, Name string } }
	page("POST", "/messaging/api/conversations.list", "{}", &channels)
	for _, ch := range channels.Channels {
		for cursor := ""; ch.Name == "general"; {
			var list struct {
				Messages []struct{ Text string }
				Metadata struct {
					Next string `json:"next_cursor"`
				} `json:"response_metadata"`
			}
			page("POST", "/messaging/api/conversations.history", fmt.Sprintf(`{"channel":%q,"limit":900,"cursor":%q}`, ch.ID, cursor), &list)
			for _, m := range list.Messages {
				found["message "+m.Text]++
			}
			if cursor = list.Metadata.Next; cursor == "" {
				break
			}
		}
	}
	for after := "0"; after != ""; {
		var list struct {
			Results []struct{ Properties struct{ Email string } }
			Paging  struct{ Next struct{ After string } }
		}
		page("GET", "/crm/api/crm/v3/objects/contacts?limit=100&properties=email&after="+after, "", &list)
		for _, r := range list.Results {
			found["contact "+strings.TrimSuffix(r.Properties.Email, "@example.com")]++
		}
		after = list.Paging.Next.After
	}
	for after := ""; ; {
		var list struct {
			Data struct {
				Issues struct {
					Nodes    []struct{ Title string }
					PageInfo struct {
						HasNextPage bool
						EndCursor   string
					}
				}
			}
		}
		from := ""
		if after != "" {
			from = fmt.Sprintf(`, after: \"%s\"`, after)
		}
		page("POST", "/tracker/graphql", `{"query":"{ issues(first: 100`+from+`) { nodes { title } pageInfo { hasNextPage endCursor } } }"}`, &list)
		for _, n := range list.Data.Issues.Nodes {
			found["issue "+n.Title]++
		}
		if after = list.Data.Issues.PageInfo.EndCursor; !list.Data.Issues.PageInfo.HasNextPage {
			break
		}
	}
	for cursor := ""; ; {
		var list struct {
			Events []struct {
				Name string `json:"primitive_name"`
			}
			Next string `json:"next_cursor"`
		}
		page("GET", "/ingest/api/v1/events?limit=1000&cursor="+url.QueryEscape(cursor), "", &list)
		for _, e := range list.Events {
			found["event "+e.Name]++
		}
		if cursor = list.Next; cursor == "" {
			break
		}
	}
	return found
}

// check compares what is there with what was acknowledged: each once, and nothing
// that was refused twice.
func (w *writers) check(found map[string]int) {
	w.Helper()
	w.Logf("%s: %d acknowledged, %d refused", w.name, len(w.acknowledged), w.refusals)
	wrong := 0
	for key := range w.acknowledged {
		if found[key] != 1 {
			if wrong++; wrong < 10 {
				w.Errorf("acknowledged, and there %d times: %s", found[key], key)
			}
		}
	}
	for key := range w.refused {
		if found[key] > 1 {
			if wrong++; wrong < 10 {
				w.Errorf("refused, and there %d times: %s", found[key], key)
			}
		}
	}
	for key := range found {
		_, id, _ := strings.Cut(key, " ")
		if strings.HasPrefix(id, w.name+"-") && !w.acknowledged[key] && !w.refused[key] {
			if wrong++; wrong < 10 {
				w.Errorf("never asked for, and there: %s", key)
			}
		}
	}
}

// busy reports whether a connection does something for a client at the moment.
func busy(title string) bool { return !strings.HasSuffix(title, " idle") }

// Connections that end in the middle of what the writers of a world share, and a
// database that hangs for ten seconds, lose nothing that was acknowledged and leave
// nothing twice. What is refused is refused in the dialect of its service.
func TestWritersWhileTheDatabaseFails(t *testing.T) {
	t.Parallel()
	postgres := server.OwnPostgres(t)
	s, c := server.New(t, "--database", postgres.URL, "--rate-limits", "off")
	w := writersOf(t, s, c, "w", "")
	w.start()
	w.await(100)
	ended := endSome(t, postgres, 25, busy)
	w.await(100)
	all := endSome(t, postgres, 1, func(string) bool { return true }) // the one that holds the claim too
	w.await(100)
	if err := postgres.Pause(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * time.Second)
	if err := postgres.Resume(); err != nil {
		t.Fatal(err)
	}
	w.await(200)
	w.end()
	t.Logf("%d connections were ended while they were in use, %d at once", ended, all)
	w.check(w.found())
	if w.refusals == 0 {
		t.Error("nothing was refused while the database did not answer")
	}
}

// endSome ends connections that pick accepts, one at a time where it is asked for several times.
func endSome(t *testing.T, postgres *throwaway.Server, times int, pick func(title string) bool) (ended int) {
	t.Helper()
	for range times {
		left := 1
		if times == 1 {
			left = 1000
		}
		n, err := postgres.EndConnections(func(title string) bool {
			if left > 0 && pick(title) {
				left--
				return true
			}
			return false
		})
		if err != nil {
			t.Fatal(err)
		}
		ended += n
		time.Sleep(time.Duration(20+rand.IntN(60)) * time.Millisecond)
	}
	return ended
}

// A process whose lock on the database goes to another one acknowledges nothing
// that the other one does not see, and refuses what comes then.
func TestTheDatabaseGoesToAnotherProcess(t *testing.T) {
	t.Parallel()
	postgres := server.OwnPostgres(t)
	key := t.TempDir() + "/key"
	_ = key
	first, c := server.New(t, "--database", postgres.URL, "--rate-limits", "off")
	a := writersOf(t, first, c, "first", "")
	a.start()
	a.await(100)
	var second *server.Server
	ready := make(chan error, 1)
	for end := time.Now().Add(60 * time.Second); second == nil; {
		if time.Now().After(end) {
			t.Fatal("the second process does not get the database")
		}
		go func() {
			s, err := server.Start(server.Options{Dir: first.Dir, Args: []string{"--database", postgres.URL, "--rate-limits", "off"}})
			second = s
			ready <- err
		}()
		for waiting := true; waiting; {
			select {
			case <-ready:
				waiting = false
			case <-time.After(20 * time.Millisecond): // the second one asks again and again
				endSome(t, postgres, 1, func(title string) bool { return !busy(title) })
			}
		}
	}
	t.Cleanup(func() { _ = second.Stop() })
	b := writersOf(t, second, c, "second", a.team)
	b.start()
	b.await(200)
	before := a.written()
	b.await(100)
	if more := a.written() - before; more > 0 {
		t.Errorf("the first process acknowledged %d writes after the second one had the database", more)
	}
	a.end()
	b.end()
	found := b.found()
	a.check(found)
	b.check(found)
	if a.refusals == 0 {
		t.Error("the first process refused nothing")
	}
}
