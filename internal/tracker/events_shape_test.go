package tracker

import (
	"context"
	"encoding/json"
	"testing"

	"understudy/internal/platform/opt"
)

// The payloads of events contain the properties that the client's types declare as
// never missing.
func TestPayloadsAreComplete(t *testing.T) {
	required := map[string][]string{
		"Issue": {"createdAt", "id", "identifier", "labelIds", "labels", "number", "previousIdentifiers", "priority", "priorityLabel", "prioritySortOrder",
			"reactionData", "releases", "sortOrder", "state", "stateId", "subscriberIds", "team", "teamId", "title", "updatedAt", "url"},
		"User": {"active", "admin", "app", "createdAt", "displayName", "email", "guest", "id", "name", "owner", "updatedAt", "url"},
	}
	both(t, func(o *office) {
		o.issue(o.team("ENG"), "x")
		name := opt.Some("Anna")
		if _, err := o.t.UpdateUser(context.Background(), o.p, "me", UpdateUser{Name: name}); err != nil {
			o.Fatal(err)
		}
		seen := map[string]bool{}
		for _, e := range o.events(10) {
			var sent Event
			o.must(json.Unmarshal(e.Payload, &sent))
			for _, p := range required[sent.Type] {
				seen[sent.Type] = true
				if v, ok := sent.Data[p]; !ok || v == nil {
					o.Errorf("%s has no %s", e.Type, p)
				}
			}
		}
		if len(seen) != len(required) {
			o.Errorf("seen: %v", seen)
		}
	})
}
