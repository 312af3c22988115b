package realtime

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/zishang520/socket.io/v3/pkg/types"

	"understudy/internal/platform/bus"
)

// A client that polls again at once is answered each time: nothing is left to be
// cleaned up when a reply is written, which could hit the next poll.
func TestEachPollIsAnswered(t *testing.T) {
	h := New(Rules{Service: "messaging",
		Admit: func(context.Context, string) (Client, error) { return Client{Subject: "s"}, nil },
		Rooms: func(context.Context, Client) ([]string, error) { return nil, nil },
	}, &bus.Bus{}, slog.New(slog.DiscardHandler))
	defer h.Close()
	ask := func(method, query, body, want string) string {
		t.Helper()
		ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
		defer stop()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, method, "/socket.io/?EIO=4&transport=polling"+query, strings.NewReader(body)))
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Fatalf("%s answers %d %q, want %q", method, w.Code, w.Body, want)
		}
		return w.Body.String()
	}
	h.once.Do(h.open)
	replies := 0
	_ = h.server.Engine().On("headers", func(args ...any) {
		if replies++; args[1].(*types.HttpContext).Cleanup != nil {
			t.Error("something is cleaned up behind a reply")
		}
	})
	_, rest, _ := strings.Cut(ask("GET", "", "", `"sid":"`), `"sid":"`)
	sid, _, _ := strings.Cut(rest, `"`)
	sid = "&sid=" + sid
	ask("POST", sid, "40", "ok")
	ask("GET", sid, "", "40{")
	for range 100 {
		h.Send("s", "tick", json.RawMessage("{}"), nil)
		ask("GET", sid, "", "tick")
	}
	if replies != 103 {
		t.Errorf("%d replies were looked at, want 103", replies)
	}
}
