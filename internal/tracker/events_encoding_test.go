package tracker

import (
	"bytes"
	"encoding/json"
	"testing"
)

// Events are encoded by the tags of Event.
func TestEventsAreEncodedByTheirTags(t *testing.T) {
	data := map[string]any{"title": "a <b> \"c\"", "priority": 2.0, "sortOrder": -12.5, "labelIds": []string{}, "archivedAt": nil, "state": map[string]any{"name": "Backlog", "id": "x"}}
	for _, e := range []Event{
		{},
		{Action: "create", Type: "Issue", Actor: map[string]any{"id": "u", "type": "user"}, CreatedAt: "2026-01-01T00:00:00.000Z", Data: data, URL: "http://localhost/x", OrganizationID: "o", LastSyncID: 7},
		{Action: "update", Type: "Issue", Data: data, UpdatedFrom: map[string]any{"title": "old", "dueDate": nil}},
		{Action: "remove", Type: "Comment", UpdatedFrom: map[string]any{}},
	} {
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(e); err != nil {
			t.Fatal(err)
		}
		got, err := e.appended()
		if err != nil || string(got)+"\n" != want.String() {
			t.Errorf("%s, %v, want %s", got, err, want.String())
		}
	}
}
