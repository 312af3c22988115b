package app_test

import (
	"fmt"
	"strings"
	"testing"

	"understudy/internal/platform/ids"
)

// The credentials that events hide are not in the recordings of the requests that
// brought them either.
func TestRecordingsHideTheCredentialsOfEvents(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.world(p.Call("POST", "", object{"rate_limits": "off"}, 201))
		base, key, id := w.Credential("ingest", "base_url"), w.Credential("ingest", "api_key"), func() string { return ids.Random().UUID() }
		session := id()
		event := func() object {
			return object{"event_id": id(), "session_id": session, "primitive_name": "shown", "metadata": object{"headers": object{"cookie": "hunter22-a", "x-auth-token": "hunter22-b"},
				"password": object{"old": "hunter22-c", "more": []string{"hünter22-\"d"}}, "input_tokens": 12}}
		}
		attribute := func(name, value string) object { return object{"key": name, "value": object{"stringValue": value}} }
		span := object{"traceId": strings.Repeat("a", 32), "spanId": strings.Repeat("b", 16), "name": "shown", "startTimeUnixNano": "1795000000000000000",
			"attributes": []object{attribute("http.request.header.authorization", "hunter22-e"), attribute("client.secret", "hunter22-f")},
			"events":     []object{{"name": "e", "attributes": []object{attribute("api_key", "hunter22-g")}}}}
		for path, body := range map[string]any{
			"/api/v1/capture-session": object{"session_id": session, "user_data": object{"user_id": "shown", "session_token": "hunter22-h"}, "metadata": object{"api_token": "hunter22-i"}, "secret": "hunter22-j"},
			"/api/v1/capture-event":   event(),
			"/api/v1/capture-events":  object{"events": []object{event(), event()}},
			"/v1/traces":              object{"resourceSpans": []object{{"resource": object{"attributes": []object{attribute("my.token", "hunter22-k")}}, "scopeSpans": []object{{"spans": []object{span}}}}}},
		} {
			if a := p.send("POST", base+path, key, body); a.status > 202 {
				t.Fatalf("%s: %d %v", path, a.status, a.body)
			}
		}
		list := p.requests(w.ID, "?service=ingest")
		if len(list) != 4 {
			t.Errorf("%d requests are recorded", len(list))
		}
		for _, r := range list {
			if body := fmt.Sprint(at(r, "request_body")); !strings.Contains(body, "shown") || strings.Contains(body, "nter22") {
				t.Errorf("recorded: %s", body)
			}
		}
	})
}
