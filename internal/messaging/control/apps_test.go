package control_test

import (
	"slices"
	"strings"
	"testing"
)

func manifest(name string, bot, user []string) object {
	return object{"display_information": object{"name": name}, "oauth_config": object{"scopes": object{"bot": bot, "user": user}}}
}

func TestApps(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		create := func(token string, m any) reply { return s.call("POST", "/api/apps", token, object{"manifest": m}) }
		r := create(s.admin(), manifest("Helper", []string{"chat:write", "users:read"}, nil)).is(201)
		for member, prefix := range map[string]string{"app_id": "A", "bot_id": "B", "bot_user_id": "U", "bot_token": "xoxb-"} {
			if !strings.HasPrefix(r.at(member), prefix) {
				t.Errorf("%s: %q", member, r.at(member))
			}
		}
		if r.at("signing_secret") == "" || r.at("verification_token") == "" || r.at("name") != "Helper" || r.body["user_token"] != nil {
			t.Errorf("%s", r.raw)
		}
		scopes := r.body["scopes"].(object)
		if bot := scopes["bot"].([]any); !slices.Equal(bot, []any{"chat:write", "users:read"}) || len(scopes["user"].([]any)) != 0 {
			t.Errorf("%v", scopes)
		}
		if user, _, ok := s.works(r.at("bot_token")); !ok || user != r.at("bot_user_id") {
			t.Errorf("%s %v", user, ok)
		}
		if got := s.call("POST", "/api/conversations.list", r.at("bot_token"), nil); got.at("error") != "missing_scope" {
			t.Errorf("a scope that the manifest lacks: %s", got.raw)
		}

		// A member's app acts as that member where it asks for user scopes.
		p := s.member("ann@example.com")
		mine := create(p.token, manifest("Mine", []string{"incoming-webhook"}, []string{"chat:write"})).is(201)
		if user, _, ok := s.works(mine.at("user_token")); !ok || user != p.user {
			t.Errorf("%s %v: %s", user, ok, mine.raw)
		}

		list := s.call("GET", "/api/apps", p.token, nil).is(200)
		if len(list.list("apps")) != 3 || list.body["next_cursor"] != "" {
			t.Errorf("%s", list.raw)
		}
		for _, member := range []string{"bot_token", "user_token", "signing_secret", "verification_token"} {
			if strings.Contains(list.raw, member) || mine.at(member) != "" && strings.Contains(list.raw, mine.at(member)) {
				t.Errorf("a list with secrets: %s", list.raw)
			}
		}
		page := s.call("GET", "/api/apps?limit=2", p.token, nil).is(200)
		rest := s.call("GET", "/api/apps?limit=2&cursor="+page.at("next_cursor"), p.token, nil).is(200)
		if len(page.list("apps")) != 2 || len(rest.list("apps")) != 1 || rest.at("next_cursor") != "" {
			t.Errorf("%s %s", page.raw, rest.raw)
		}

		create("", manifest("x", nil, nil)).is(401)
		create(s.def.Secrets.BotToken, manifest("x", nil, nil)).is(403)
	})
}

func TestManifestsAreChecked(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		for name, m := range map[string]any{
			"none": nil, "text": "text", "list": []int{1}, "number": 1, "empty": object{},
			"no name":       object{"display_information": object{}},
			"long name":     manifest(strings.Repeat("x", 36), nil, nil),
			"name a number": object{"display_information": object{"name": 1}},
			"bad scope":     manifest("x", []string{"no:such:scope"}, nil),
			"blank scope":   manifest("x", []string{"chat write"}, nil),
			"scope list":    object{"display_information": object{"name": "x"}, "oauth_config": object{"scopes": object{"bot": "chat:write"}}},
			"colour":        object{"display_information": object{"name": "x", "background_color": "red"}},
			"request URL": object{"display_information": object{"name": "x"},
				"settings": object{"event_subscriptions": object{"request_url": "ftp://x"}}},
		} {
			r := s.call("POST", "/api/apps", s.admin(), object{"manifest": m})
			if r.is(400, "invalid_manifest"); strings.Contains(r.raw, "messaging.") || strings.Contains(r.raw, "json:") {
				t.Errorf("%s: the message speaks of the code: %s", name, r.raw)
			}
		}
		for _, scope := range []string{"chat:write", "users:read.email", "incoming-webhook", "commands", "app_mentions:read", "admin.users:read",
			"metadata.message:read", "identity.basic", "chat:write.public"} {
			s.call("POST", "/api/apps", s.admin(), object{"manifest": manifest("x", []string{scope}, nil)}).is(201)
		}
	})
}
