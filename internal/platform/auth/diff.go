package auth

import (
	"encoding/json"

	"understudy/internal/platform/diff"
)

// Entities declares the entities of auth for diffs: owners and purposes of
// credentials and accounts, never secrets.
func Entities() []diff.Entity {
	byID := func(r diff.Row) string { return r.Text("id") }
	service := diff.Used("names the owner")
	return []diff.Entity{
		{Name: "account", Table: "auth_account", Key: []string{"service", "id"}, KeyOf: byID, KeyForm: "id", Columns: map[string]diff.Column{
			"service": service, "id": diff.As("id", diff.Text), "email": diff.As("email", diff.Text), "name": diff.As("name", diff.Text),
			"password": diff.Out("a secret"), "created": diff.As("created_at", diff.Time),
		}, Consequences: []diff.Consequence{{Of: "user", When: "its user is new", Holds: ofUser}}},
		{Name: "token", Table: "auth_token", Key: []string{"service", "hash"}, KeyOf: byID, KeyForm: "id", Columns: map[string]diff.Column{
			"service": service, "hash": diff.Out("of a secret"), "id": diff.As("id", diff.Text), "kind": diff.As("kind", diff.Text),
			"tenant": diff.As("tenant", diff.Text), "subject": diff.As("subject", diff.Ref), "app": diff.As("app", diff.Ref),
			"scopes": diff.As("scopes", diff.List(",")), "label": diff.As("name", diff.Text), "tier": diff.As("tier", diff.Ref),
			"created": diff.As("created_at", diff.Time), "expires": diff.As("expires_at", diff.Time), "revoked": diff.Used("marks what is gone"),
		}, Gone: func(r diff.Row) bool { return r.Int("revoked") != 0 }, Consequences: []diff.Consequence{
			{Of: "app", When: "the app was created, changed or removed", Holds: ofApp},
			{Of: "workspace", When: "the workspace was deleted", Holds: ofDeleted},
			{Of: "token", When: "another one of the same app, kind and person replaced it", Holds: replacedBy}}},
	}
}

// ofUser reports whether an account was created with a user, whose address
// services name differently.
func ofUser(it, of *diff.Change) bool {
	if !it.Inserted() || !of.Inserted() {
		return false
	}
	email := asJSON(it.After["email"])
	return email == asJSON(of.After["email"]) || email == asJSON(of.After["profile.email"])
}

// asJSON returns a value as JSON, which a field of an object is already.
func asJSON(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// ofApp reports whether a token is that of an app.
func ofApp(it, of *diff.Change) bool {
	app := fields(it)["app"]
	return app != nil && app == fields(of)["app_id"]
}

// ofDeleted reports whether a token ended with its tenant.
func ofDeleted(it, of *diff.Change) bool {
	return it.Deleted() && of.Deleted() && it.Before["tenant"] == of.Before["id"]
}

// replacedBy reports whether a token was revoked for a new one.
func replacedBy(it, of *diff.Change) bool {
	if !it.Deleted() || !of.Inserted() {
		return false
	}
	for _, name := range []string{"tenant", "app", "kind", "subject"} {
		if it.Before[name] != of.After[name] {
			return false
		}
	}
	return true
}

// fields returns what is known of a thing after a change, or before it if the
// thing was deleted.
func fields(ch *diff.Change) map[string]any {
	if ch.Deleted() {
		return ch.Before
	}
	return ch.After
}
