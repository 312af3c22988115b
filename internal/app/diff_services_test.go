package app_test

import (
	"regexp"
	"testing"
)

// secretText is what must never stand in a diff, whatever was done.
var secretText = regexp.MustCompile(`xox[bp]-|pat-na1-|trk_api_|sk_[A-Za-z0-9]{8}|\$argon2|[0-9a-f]{64}`)

func TestADiffHoldsNoSecrets(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.world(p.Call("POST", "", nil, 201))
		user := w.Credential("messaging", "user_token")
		w.Do("messaging", "POST", "/api/apps", user, map[string]any{"manifest": map[string]any{"display_information": map[string]any{"name": "Second"},
			"oauth_config": map[string]any{"scopes": map[string]any{"bot": []string{"chat:write"}}}, "features": map[string]any{"bot_user": map[string]any{"display_name": "second"}}}}, 201)
		w.Do("messaging", "POST", "/api/auth/signup", "", map[string]any{"email": "new@example.com", "password": "long enough", "name": "New", "workspace_name": "Second"}, 201)
		w.Do("messaging", "POST", "/api/webhooks/incoming", user, map[string]any{"channel": "general"}, 201)
		w.Do("messaging", "POST", "/api/admin/provision", user, map[string]any{"rotate": true}, 200)
		login := w.Do("crm", "POST", "/api/auth/login", "", map[string]any{"email": w.Credential("crm", "user_email"), "password": w.Credential("crm", "user_password")}, 200)
		w.Do("crm", "POST", "/api/account-info/v3/api-keys", login["accessToken"].(string), map[string]any{"name": "second"}, 201)
		w.Do("ingest", "POST", "/api/v1/api-keys", p.Key, map[string]any{"name": "second"}, 201)
		for _, list := range []string{"inserts", "updates", "deletes"} {
			lines := p.Diff(w.ID, "", list)
			for _, l := range lines {
				if found := secretText.FindString(l); found != "" {
					t.Errorf("%s of a diff hold %q: %s", list, found, l)
				}
			}
			if list == "inserts" && len(lines) < 10 {
				t.Errorf("only %d inserts", len(lines))
			}
		}
	})
}
