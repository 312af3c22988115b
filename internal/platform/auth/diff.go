package auth

import "understudy/internal/platform/diff"

// Entities declares the entities of auth for diffs: owners and purposes of
// credentials and accounts, never secrets.
func Entities() []diff.Entity {
	byID := func(r diff.Row) string { return r.Text("id") }
	service := diff.Used("names the owner")
	return []diff.Entity{
		{Name: "account", Table: "auth_account", Key: []string{"service", "id"}, KeyOf: byID, Columns: map[string]diff.Column{
			"service": service, "id": diff.As("id", diff.Text), "email": diff.As("email", diff.Text), "name": diff.As("name", diff.Text),
			"password": diff.Out("a secret"), "created": diff.As("created_at", diff.Time),
		}},
		{Name: "token", Table: "auth_token", Key: []string{"service", "hash"}, KeyOf: byID, Columns: map[string]diff.Column{
			"service": service, "hash": diff.Out("of a secret"), "id": diff.As("id", diff.Text), "kind": diff.As("kind", diff.Text),
			"tenant": diff.As("tenant", diff.Text), "subject": diff.As("subject", diff.Ref), "app": diff.As("app", diff.Ref),
			"scopes": diff.As("scopes", diff.List(",")), "label": diff.As("name", diff.Text), "tier": diff.As("tier", diff.Ref),
			"created": diff.As("created_at", diff.Time), "expires": diff.As("expires_at", diff.Time), "revoked": diff.Used("marks what is gone"),
		}, Gone: func(r diff.Row) bool { return r.Int("revoked") != 0 }},
	}
}
