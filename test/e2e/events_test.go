package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"understudy/test/server"
)

// listener is a receiver of events that can be away.
type listener struct {
	addr string
	stop func()

	mu   sync.Mutex
	seen map[string][]string // channel: texts in order of their first arrival
	ids  map[string]bool
	more int // deliveries of an event that had come before
}

// up listens at the address, the first time at a free one.
func (l *listener) up(t *testing.T) {
	t.Helper()
	if l.addr == "" {
		var err error
		if l.addr, err = server.FreeAddress(); err != nil {
			t.Fatal(err)
		}
	}
	n, err := net.Listen("tcp", l.addr)
	if err != nil {
		t.Fatal(err)
	}
	l.addr = n.Addr().String()
	s := &http.Server{Handler: http.HandlerFunc(l.take)}
	go func() {
		if err := s.Serve(n); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	l.stop = func() { _ = s.Close() }
}

func (l *listener) take(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Challenge string
		EventID   string `json:"event_id"`
		Event     struct{ Type, Channel, Text string }
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if body.Challenge != "" {
		_, _ = io.WriteString(w, body.Challenge)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ids[body.EventID] {
		l.more++
		return
	}
	l.ids[body.EventID] = true
	if len(body.Event.Text) == 6 { // one of ours, not a join
		l.seen[body.Event.Channel] = append(l.seen[body.Event.Channel], body.Event.Text)
	}
}

func (l *listener) count() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, texts := range l.seen {
		n += len(texts)
	}
	return n
}

// The receiver is down, the server is killed, both come back: every event of an
// acknowledged post arrives once or more, in order in each channel.
func TestEventsSurviveReceiverAndServer(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		eventsSurvive(t)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		eventsSurvive(t, "--database", server.Postgres(t))
	})
}

func eventsSurvive(t *testing.T, flags ...string) {
	o := server.Options{Dir: t.TempDir(), Args: append(flags, "--rate-limits", "off")}
	start := func() (*server.Server, server.Messaging) {
		s, err := server.Start(o)
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.Credentials()
		if err != nil {
			t.Fatal(err)
		}
		return s, c.Messaging
	}
	s, m := start()
	l := &listener{seen: map[string][]string{}, ids: map[string]bool{}}
	l.up(t)
	subscribeTo(t, m, "http://"+l.addr+"/")
	const channels = 4
	var ids [channels]string
	for i := range ids {
		var made struct{ Channel struct{ ID string } }
		if err := call(client, m.BaseURL, m.BotToken, "conversations.create", url.Values{"name": {fmt.Sprint("c", i)}}, &made); err != nil {
			t.Fatal(err)
		}
		ids[i] = made.Channel.ID
	}

	posted := 0
	texts := map[string][]string{}
	post := func(n int) {
		t.Helper()
		for range n {
			ch, text := ids[posted%channels], fmt.Sprintf("t%05d", posted)
			if err := call(client, m.BaseURL, m.BotToken, "chat.postMessage", url.Values{"channel": {ch}, "text": {text}}, nil); err != nil {
				t.Fatal(err)
			}
			texts[ch] = append(texts[ch], text)
			posted++
		}
	}
	arrive := func(what string) {
		t.Helper()
		for began := time.Now(); l.count() < posted; time.Sleep(10 * time.Millisecond) {
			if time.Since(began) > time.Minute {
				t.Fatalf("%s: %d of %d events arrived\n%s", what, l.count(), posted, s.Output())
			}
		}
	}

	post(40)
	arrive("both up")
	l.stop() // the receiver goes
	post(60)
	s.Kill() // and the server
	s, m = start()
	post(20)
	l.up(t)
	post(20)
	arrive("both back")
	for range 3 { // the server alone, in the middle of delivering
		post(80)
		s.Kill()
		s, m = start()
	}
	arrive("killed while it delivered")
	t.Cleanup(func() {
		l.stop()
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, ch := range ids {
		if got, want := fmt.Sprint(l.seen[ch]), fmt.Sprint(texts[ch]); got != want {
			t.Errorf("in %s arrived\n%s, want\n%s", ch, got, want)
		}
	}
	t.Logf("%d events, %d of them delivered again", posted, l.more)
}

func subscribeTo(t *testing.T, m server.Messaging, to string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"url": to, "event_types": []string{"message"}})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, m.BaseURL+"/api/events/subscribe", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+m.UserToken)
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		reply, _ := io.ReadAll(resp.Body)
		t.Fatalf("status %d: %s", resp.StatusCode, reply)
	}
}
