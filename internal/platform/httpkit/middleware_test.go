package httpkit

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/record"
)

type plainDialect struct{}

func (plainDialect) WriteError(w http.ResponseWriter, _ *http.Request, err error) {
	f, _ := fault.As(err)
	WriteJSON(w, Status(f.Kind), map[string]string{"error": string(f.Reason)})
}

// A reply that is too long is refused in the service's dialect.
func TestAReplyThatIsTooLongIsRefused(t *testing.T) {
	around := Around{Service: "test", Dialect: plainDialect{}, Log: slog.New(slog.DiscardHandler), Recorder: record.New(clock.System()),
		NewID: func() string { return "id" }, Observe: func(string, int, time.Duration) {}}
	for name, reply := range map[string]func(w http.ResponseWriter, n int){
		"JSON": func(w http.ResponseWriter, n int) { WriteJSON(w, 200, strings.Repeat("x", n-3)) }, // quotes and a line break
		"raw":  func(w http.ResponseWriter, n int) { WriteRaw(w, 200, make([]byte, n)) },
	} {
		for n, want := range map[int]int{budget.MaxReply: 200, budget.MaxReply + 1: 422} {
			w := httptest.NewRecorder()
			around.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { reply(w, n) })).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
			if w.Code != want || w.Body.Len() > budget.MaxReply || want == 422 && !strings.Contains(w.Body.String(), "reply_too_large") {
				t.Errorf("%s of %d bytes: %d, %d bytes", name, n, w.Code, w.Body.Len())
			}
		}
	}
}
