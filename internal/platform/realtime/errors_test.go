package realtime

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"understudy/internal/platform/bus"
)

// The numbers of errors are those of Engine.IO's own server, which its clients know.
func TestRefusalsHaveTheNumbersOfEngineIO(t *testing.T) {
	h := New(Rules{Service: "messaging",
		Admit: func(context.Context, string) (Client, error) { return Client{Subject: "s"}, nil },
		Rooms: func(context.Context, Client) ([]string, error) { return nil, nil },
	}, &bus.Bus{}, slog.New(slog.DiscardHandler))
	defer h.Close()
	s := httptest.NewServer(h)
	defer s.Close()
	for request, want := range map[string]string{
		"GET EIO=4&transport=nope":             `{"code":0,"message":"Transport unknown"}`,
		"GET EIO=4&transport=polling&sid=nope": `{"code":1,"message":"Session ID unknown"}`,
		"POST EIO=4&transport=polling":         `{"code":2,"message":"Bad handshake method"}`,
		"GET EIO=4&transport=websocket":        `{"code":3,"message":"Bad request"}`,
		"GET EIO=3&transport=polling":          `{"code":5,"message":"Unsupported protocol version"}`,
		"GET transport=polling":                `{"code":5,"message":"Unsupported protocol version"}`,

		"WS EIO=4&transport=nope":               `{"code":0,"message":"Transport unknown"}`,
		"WS EIO=4&transport=websocket&sid=nope": `{"code":1,"message":"Session ID unknown"}`,
		"WS EIO=4&transport=polling&sid=nope":   `{"code":1,"message":"Session ID unknown"}`,
	} {
		method, query, _ := strings.Cut(request, " ")
		upgrade := method == "WS"
		if upgrade {
			method = http.MethodGet
		}
		r, err := http.NewRequest(method, s.URL+"/socket.io/?"+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		if upgrade {
			r.Header = http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="}}
		}
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(reply.Body)
		_ = reply.Body.Close()
		if got := strings.TrimSpace(string(body)); err != nil || reply.StatusCode != http.StatusBadRequest || got != want || !strings.HasPrefix(reply.Header.Get("Content-Type"), "application/json") {
			t.Errorf("%s: %d %s %v, want %s", request, reply.StatusCode, got, err, want)
		}
	}
}
