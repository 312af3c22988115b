package app

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"understudy/internal/messaging"
	"understudy/internal/platform/config"
	"understudy/internal/platform/environment"
)

var fuzzedMethods = []string{"auth.test", "chat.postMessage", "chat.update", "chat.delete", "conversations.list", "conversations.create",
	"conversations.info", "conversations.history", "conversations.replies", "conversations.members", "conversations.join",
	"conversations.leave", "conversations.invite", "conversations.kick", "conversations.rename", "conversations.setTopic",
	"conversations.setPurpose", "conversations.open", "reactions.add", "reactions.remove", "users.list", "users.info",
	"users.profile.get", "users.profile.set", "users.setPresence", "search.messages", "files.upload"}

var fuzzedTypes = []string{"application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", ""}

// FuzzMethods sends arbitrary calls to a whole server. Every answer is an
// envelope with a code that upstream has, and never an internal error.
func FuzzMethods(f *testing.F) {
	a, err := New(context.Background(), config.Serve{Listen: "127.0.0.1:0", Data: f.TempDir(), RateLimits: "off"},
		slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(a.close)
	env, err := a.envs.Open(context.Background(), environment.Default)
	if err != nil {
		f.Fatal(err)
	}
	p, err := env.Service(messaging.Name).(*messagingInstance).service.Default(context.Background())
	if err != nil {
		f.Fatal(err)
	}
	for i := range fuzzedMethods {
		f.Add(i, 0, "", []byte(`{"channel":"general","text":"x","ts":1.5,"users":["U1"],"limit":-1,"cursor":"bmV4dF90czox","name":"+1","timestamp":"1.1","query":"in:#a \"b"}`))
		f.Add(i, 1, "limit=2&cursor=", []byte("channel=general&text=%ff%00&blocks=%5B%5D&attachments=[{}]&thread_ts=1&oldest=x&latest=9&profile={\"real_name\":\"\"}&query=*"))
		f.Add(i, 2, "token=x", []byte("--x\r\nContent-Disposition: form-data; name=\"channel\"\r\n\r\ngeneral\r\n--x--"))
	}
	f.Fuzz(func(t *testing.T, method, kind int, query string, body []byte) {
		name := fuzzedMethods[uint(method)%uint(len(fuzzedMethods))]
		r := httptest.NewRequest("POST", "/messaging/api/"+name, strings.NewReader(string(body)))
		r.URL.RawQuery = query
		if ct := fuzzedTypes[uint(kind)%uint(len(fuzzedTypes))]; ct != "" {
			r.Header.Set("Content-Type", ct)
		}
		r.Header.Set("Authorization", "Bearer "+p.Secrets.UserToken)
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		var reply struct {
			OK    *bool
			Error string
		}
		if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil || reply.OK == nil {
			t.Fatalf("%s answered %d %q: %v", name, w.Code, w.Body, err)
		}
		if w.Code != http.StatusOK && w.Code != http.StatusRequestEntityTooLarge || !*reply.OK && reply.Error == "" ||
			reply.Error == "internal_error" || reply.Error == "service_unavailable" {
			t.Fatalf("%s answered %d %s to %q", name, w.Code, w.Body, body)
		}
	})
}
