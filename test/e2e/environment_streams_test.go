package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"understudy/test/server"
)

// Putting an environment back, or removing it, ends what is connected to it
// and what is on its way from it, soon and without an error of the server.
func TestPuttingBackEndsStreamsAndDeliveries(t *testing.T) {
	t.Parallel()
	arrived, ended := make(chan bool, 10), make(chan bool, 10)
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		arrived <- true
		<-r.Context().Done() // it never answers
		ended <- true
	}))
	t.Cleanup(slow.Close)
	_, c := server.New(t, "--rate-limits", "off")
	a := adminOf(c)
	for name, act := range map[string]func(w world, snapshot string) error{
		"reset":   func(w world, _ string) error { _, err := a.reset(w.ID); return err },
		"restore": func(w world, snapshot string) error { return a.restore(w.ID, snapshot) },
		"delete":  func(w world, _ string) error { return a.do("DELETE", "/"+w.ID, nil, nil, http.StatusNoContent) },
	} {
		t.Run(name, func(t *testing.T) {
			w, err := a.create(map[string]any{"rate_limits": "off"})
			if err != nil {
				t.Fatal(err)
			}
			if err := do("POST", w.Messaging.BaseURL+"/api/webhooks/outgoing", w.Messaging.UserToken, map[string]any{"url": slow.URL}, nil, http.StatusCreated); err != nil {
				t.Fatal(err)
			}
			snapshot, err := a.snapshot(w.ID)
			if err != nil {
				t.Fatal(err)
			}
			polled := poll(t, w)
			if err := w.post("to someone who does not answer"); err != nil {
				t.Fatal(err)
			}
			expect(t, arrived, "the delivery")
			if reply := <-polled; !strings.Contains(reply, "does not answer") {
				t.Fatalf("the client was told %q", reply)
			}
			polled = poll(t, w)
			began := time.Now()
			if err := act(w, snapshot); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("it took %s", took)
			}
			expect(t, ended, "the end of the delivery")
			select {
			case reply := <-polled:
				if strings.HasPrefix(reply, "5") {
					t.Errorf("the client was told %q", reply)
				}
			case <-time.After(time.Minute):
				t.Error("the client is still connected")
			}
		})
	}
}

func expect(t *testing.T, c <-chan bool, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(time.Minute):
		t.Fatalf("%s did not come", what)
	}
}

// poll connects a Socket.IO client by long polling and waits for what it is
// told next: status and text.
func poll(t *testing.T, w world) <-chan string {
	t.Helper()
	base := w.Messaging.BaseURL + "/socket.io/?EIO=4&transport=polling"
	ask := func(method, address, body string) (string, error) {
		r, err := http.NewRequest(method, address, strings.NewReader(body))
		if err != nil {
			return "", err
		}
		reply, err := (&http.Client{Timeout: time.Minute}).Do(r)
		if err != nil {
			return "", err
		}
		defer func() { _ = reply.Body.Close() }()
		text, err := io.ReadAll(reply.Body)
		return reply.Status + " " + string(text), err
	}
	opened, err := ask("GET", base, "")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(opened, `"sid":"`)
	sid, _, ok := strings.Cut(rest, `"`)
	if !ok {
		t.Fatalf("the handshake answers %s", opened)
	}
	base += "&sid=" + sid
	if reply, err := ask("POST", base, `40{"token":"`+w.Messaging.UserToken+`"}`); err != nil || !strings.Contains(reply, "ok") {
		t.Fatal(reply, err)
	}
	if reply, err := ask("GET", base, ""); err != nil || !strings.Contains(reply, "40{") {
		t.Fatal(reply, err)
	}
	told := make(chan string, 1)
	go func() {
		reply, err := ask("GET", base, "")
		if err != nil {
			reply = err.Error()
		}
		told <- reply
	}()
	return told
}
