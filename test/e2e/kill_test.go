package e2e

import (
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"understudy/test/server"
)

// What was acknowledged before the process was killed is there when it runs again.
func TestKilledUnderWritesLosesNothingAcknowledged(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		killUnderWrites(t)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		killUnderWrites(t, "--database", server.Postgres(t))
	})
}

func killUnderWrites(t *testing.T, flags ...string) {
	o := server.Options{Dir: t.TempDir(), Args: append(flags, "--rate-limits", "off")}
	const rounds, writers = 3, 16
	acknowledged := map[string]string{} // ts: text
	var channel, first string           // first is the text that was acknowledged first
	for round := range rounds {
		s, err := server.Start(o)
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.Credentials()
		if err != nil {
			t.Fatal(err)
		}
		base, token := c.Messaging.BaseURL, c.Messaging.UserToken
		if channel == "" {
			channel = makeChannel(t, base, token, "killed")
		}
		var (
			mu   sync.Mutex
			wg   sync.WaitGroup
			dead atomic.Bool
		)
		for writer := range writers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for n := 0; !dead.Load(); n++ {
					text := fmt.Sprintf("round %d writer %d message %d", round, writer, n)
					var reply struct{ TS string }
					if err := call(client, base, token, "chat.postMessage", url.Values{"channel": {channel}, "text": {text}}, &reply); err != nil {
						return // killed meanwhile: not acknowledged
					}
					mu.Lock()
					if first == "" {
						first = text
					}
					acknowledged[reply.TS] = text
					mu.Unlock()
				}
			}()
		}
		time.Sleep(time.Duration(300+150*round) * time.Millisecond)
		for began := time.Now(); time.Since(began) < 20*time.Second; time.Sleep(5 * time.Millisecond) {
			mu.Lock()
			enough := len(acknowledged) >= 40*(round+1) // a busy machine takes longer
			mu.Unlock()
			if enough {
				break
			}
		}
		s.Kill()
		dead.Store(true)
		wg.Wait()
	}
	if len(acknowledged) < 100 {
		t.Fatalf("only %d writes were acknowledged: the load was none", len(acknowledged))
	}
	_, c := server.Open(t, o)
	found := readAll(t, c.Messaging.BaseURL, c.Messaging.UserToken, channel)
	lost := 0
	for ts, text := range acknowledged {
		if found[ts] != text {
			lost++
			if lost <= 3 {
				t.Errorf("acknowledged %s %q, found %q", ts, text, found[ts])
			}
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d acknowledged messages are lost", lost, len(acknowledged))
	}
	var search struct{ Messages struct{ Total int } }
	if err := call(client, c.Messaging.BaseURL, c.Messaging.UserToken, "search.messages", url.Values{"query": {`"` + first + `"`}}, &search); err != nil {
		t.Fatal(err)
	}
	if search.Messages.Total != 1 {
		t.Errorf("a search finds %d of %q, acknowledged before the kill, want 1", search.Messages.Total, first)
	}
}

func TestTermFinishesWhatIsInFlight(t *testing.T) {
	t.Parallel()
	s, c := server.New(t, "--rate-limits", "off")
	base, token := c.Messaging.BaseURL, c.Messaging.UserToken
	channel := makeChannel(t, base, token, "stopped")
	// Requests run while the signal comes: each is answered in full or refused
	// by a closed port, none is cut in the middle.
	var (
		wg       sync.WaitGroup
		answered atomic.Int64
		stop     atomic.Bool
		cut      = make(chan error, 64)
	)
	for writer := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 0; !stop.Load(); n++ {
				err := call(client, base, token, "chat.postMessage", url.Values{"channel": {channel}, "text": {fmt.Sprint(writer, n)}}, nil)
				switch {
				case err == nil:
					answered.Add(1)
				case isRefused(err):
					return
				default:
					cut <- err
					return
				}
			}
		}()
	}
	time.Sleep(300 * time.Millisecond)
	if err := s.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	status, err := s.Wait(12 * time.Second)
	stop.Store(true)
	wg.Wait()
	close(cut)
	if err != nil || status != 0 {
		t.Fatalf("exit status %d, %v; want 0\n%s", status, err, s.Output())
	}
	for err := range cut {
		t.Errorf("a request was cut: %v", err)
	}
	_, again := server.Open(t, server.Options{Dir: s.Dir, Args: []string{"--rate-limits", "off"}})
	if got := int64(len(readAll(t, again.Messaging.BaseURL, again.Messaging.UserToken, channel))) - 1; got != answered.Load() {
		t.Errorf("%d messages are there, %d were acknowledged", got, answered.Load())
	}
}
