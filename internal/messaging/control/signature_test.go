package control_test

import (
	"encoding/json"
	"testing"

	"understudy/internal/app/apptest"
	"understudy/internal/messaging/webapi/callback"
)

// The first event after a rotation is signed with the new secret, and contains
// the new token.
func TestEventsAfterARotation(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		server := newAppServer(t)
		server.answers(func(r appRequest) (int, string) {
			var in struct{ Challenge string }
			_ = json.Unmarshal([]byte(r.body), &in)
			return 200, in.Challenge
		})
		e := p.Create(nil)
		call := func(path, token string, body map[string]any) map[string]any {
			t.Helper()
			status, reply := p.Server.Call("POST", e.Base("messaging")+path, token, body)
			if status > 201 || reply["ok"] == false {
				t.Fatal(path, status, reply)
			}
			return reply
		}
		call("/api/events/subscribe", e.Credential("messaging", "user_token"), map[string]any{"url": server.URL + "/events", "event_types": []string{"message"}})
		secret, token, bot := e.Credential("messaging", "signing_secret"), e.Credential("messaging", "verification_token"), e.Credential("messaging", "bot_token")
		for n, text := range []string{"before", "after"} {
			call("/api/chat.postMessage", bot, map[string]any{"channel": "general", "text": text})
			got := server.sent(t, "/events", n+2)[n+1] // after the handshake
			if o := got.payload(t); apptest.Get(o, "event", "text") != text || o["token"] != token {
				t.Errorf("%s: %v, want the token %s", text, o, token)
			}
			if got.header.Get("X-Slack-Signature") != callback.Sign(secret, got.header.Get("X-Slack-Request-Timestamp"), []byte(got.body)) {
				t.Errorf("%s: signed with another secret than %s", text, secret)
			}
			r := call("/api/admin/provision", p.Key, map[string]any{"rotate": true})
			secret, token, bot = r["signing_secret"].(string), r["verification_token"].(string), r["bot_token"].(string)
		}
	})
}
