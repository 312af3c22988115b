package control_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// receiver is an app that answers handshakes and keeps what it is sent.
type receiver struct {
	*httptest.Server
	form url.Values
}

func receive(t *testing.T) *receiver {
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		b, _ := io.ReadAll(req.Body)
		var in struct{ Challenge string }
		if json.Unmarshal(b, &in) == nil {
			_, _ = io.WriteString(w, in.Challenge)
			return
		}
		r.form, _ = url.ParseQuery(string(b))
	}))
	t.Cleanup(r.Close)
	return r
}

func TestEventSubscriptionsBelongToWhoMadeTheApp(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		to := receive(t)
		ann, bob := s.member("ann@example.com"), s.member("bob@example.com")
		subscribe := func(token, app string) reply {
			return s.call("POST", "/api/events/subscribe", token, object{"url": to.URL, "event_types": []string{"message"}, "app_id": app})
		}
		mine := s.call("POST", "/api/apps", ann.token, object{"manifest": manifest("Mine", []string{"channels:history"}, nil)}).is(201)

		subscribe(bob.token, mine.at("app_id")).is(403, "not_authorized")
		subscribe(bob.token, s.def.App.ID).is(403, "not_authorized")
		subscribe(bob.token, "").is(403, "not_authorized") // the first of the workspace is not his
		subscribe(bob.token, "A0NOTHING00").is(404, "app_not_found")
		ours := subscribe(ann.token, "").is(201)
		if ours.at("app_id") != mine.at("app_id") {
			t.Errorf("a member without app_id gets her own app: %s", ours.raw)
		}
		theirs := subscribe(s.admin(), "").is(201)
		if theirs.at("app_id") != s.def.App.ID {
			t.Errorf("the admin's: %s", theirs.raw)
		}
		subscribe(s.admin(), mine.at("app_id")).is(201) // admins manage all

		if r := s.call("GET", "/api/events/subscriptions", bob.token, nil).is(200); len(r.list("subscriptions")) != 0 {
			t.Errorf("what belongs to others is listed: %s", r.raw)
		}
		if r := s.call("GET", "/api/events/subscriptions", ann.token, nil).is(200); len(r.list("subscriptions")) != 2 || strings.Contains(r.raw, theirs.at("id")) {
			t.Errorf("hers and the admin's of her app: %s", r.raw)
		}
		if r := s.call("GET", "/api/events/subscriptions", s.admin(), nil).is(200); len(r.list("subscriptions")) != 3 {
			t.Errorf("the admin's list: %s", r.raw)
		}
		s.call("DELETE", "/api/events/subscriptions/"+theirs.at("id"), bob.token, nil).is(403, "not_authorized")
		s.call("DELETE", "/api/events/subscriptions/"+ours.at("id"), bob.token, nil).is(403, "not_authorized")
		s.call("DELETE", "/api/events/subscriptions/"+ours.at("id"), ann.token, nil).is(204)
		s.call("DELETE", "/api/events/subscriptions/"+ours.at("id"), ann.token, nil).is(404)
	})
}

func TestCommandsBelongToWhoMadeThem(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		to := receive(t)
		ann, bob := s.member("ann@example.com"), s.member("bob@example.com")
		create := func(token, name, app string) reply {
			return s.call("POST", "/api/commands", token, object{"command": name, "url": to.URL + "/" + name[1:], "app_id": app})
		}
		deploy := create(s.admin(), "/deploy", "").is(201)
		if deploy.at("signing_secret") != "" {
			t.Errorf("the app's secrets sign it: %s", deploy.raw)
		}
		create(bob.token, "/deploy", "").is(409, "command_taken")
		create(bob.token, "/other", s.def.App.ID).is(403, "not_authorized")
		s.call("DELETE", "/api/commands/"+deploy.at("id"), bob.token, nil).is(403, "not_authorized")

		// A member without an app makes one, of whose app he learns nothing.
		his := create(bob.token, "/his", "").is(201)
		if his.at("signing_secret") == "" || his.at("signing_secret") == s.def.Secrets.SigningSecret {
			t.Errorf("%s", his.raw)
		}
		s.call("POST", "/api/commands/execute", ann.token, object{"command": "/his", "channel": "general"}).is(200)
		if got := to.form.Get("token"); got != his.at("token") || got == s.def.Secrets.VerificationToken {
			t.Errorf("token %q", got)
		}
		s.call("POST", "/api/commands/execute", ann.token, object{"command": "/deploy", "channel": "general"}).is(200)
		if got := to.form.Get("token"); got != s.def.Secrets.VerificationToken {
			t.Errorf("token %q", got)
		}

		// Everybody may use all commands; where they go is for who manages them.
		list := s.call("GET", "/api/commands", ann.token, nil).is(200)
		if len(list.list("commands")) != 2 || strings.Contains(list.raw, to.URL) {
			t.Errorf("%s", list.raw)
		}
		if r := s.call("GET", "/api/commands", bob.token, nil).is(200); !strings.Contains(r.raw, to.URL+"/his") || strings.Contains(r.raw, to.URL+"/deploy") {
			t.Errorf("%s", r.raw)
		}
		s.call("DELETE", "/api/commands/"+his.at("id"), ann.token, nil).is(403, "not_authorized")
		s.call("DELETE", "/api/commands/"+his.at("id"), s.admin(), nil).is(204)
		s.call("DELETE", "/api/commands/"+his.at("id"), bob.token, nil).is(404)
	})
}

func TestWebhooksBelongToWhoMadeThem(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		ann, bob := s.member("ann@example.com"), s.member("bob@example.com")
		secret := s.call("POST", "/api/conversations.create", ann.token, object{"name": "secret", "is_private": true})
		channel := secret.at("channel.id")
		create := func(token, channel, app string) reply {
			return s.call("POST", "/api/webhooks/incoming", token, object{"channel": channel, "app_id": app})
		}
		create(bob.token, channel, "").is(404, "channel_not_found")
		create(bob.token, "general", s.def.App.ID).is(403, "not_authorized")
		hers := create(ann.token, channel, "").is(201)
		open := create(ann.token, "general", "").is(201)

		if r := s.call("GET", "/api/webhooks/incoming", bob.token, nil).is(200); len(r.list("webhooks")) != 0 {
			t.Errorf("hers are listed to him: %s", r.raw)
		}
		if r := s.call("GET", "/api/webhooks/incoming", ann.token, nil).is(200); !strings.Contains(r.raw, hers.at("url")) || len(r.list("webhooks")) != 2 {
			t.Errorf("%s", r.raw)
		}
		// An admin manages all, and has the secrets of those alone whose conversation is open to the admin.
		r := s.call("GET", "/api/webhooks/incoming", s.admin(), nil).is(200)
		if len(r.list("webhooks")) != 2 || strings.Contains(r.raw, hers.at("id")) || strings.Contains(r.raw, channel) || !strings.Contains(r.raw, open.at("id")) {
			t.Errorf("%s", r.raw)
		}
		s.call("DELETE", "/api/webhooks/incoming/"+hers.at("id"), bob.token, nil).is(403, "not_authorized")
		s.call("DELETE", "/api/webhooks/incoming/"+hers.at("ref"), bob.token, nil).is(403, "not_authorized")
		if got := s.send("POST", "/api/webhooks/incoming/"+hers.at("ref"), "", `{"text": "x"}`); got.status != 404 {
			t.Errorf("posted by the name that is no secret: %d", got.status)
		}
		s.call("DELETE", "/api/webhooks/incoming/"+hers.at("ref"), s.admin(), nil).is(204)
		s.call("DELETE", "/api/webhooks/incoming/"+open.at("id"), ann.token, nil).is(204)

		// Who has left the conversation has its secret no more.
		again := create(ann.token, channel, "").is(201)
		s.call("POST", "/api/conversations.invite", ann.token, object{"channel": channel, "users": bob.user})
		s.call("POST", "/api/conversations.leave", ann.token, object{"channel": channel})
		if r := s.call("GET", "/api/webhooks/incoming", ann.token, nil).is(200); strings.Contains(r.raw, again.at("id")) {
			t.Errorf("after she left: %s", r.raw)
		}

		out := s.call("POST", "/api/webhooks/outgoing", ann.token, object{"url": "http://127.0.0.1:9/x"}).is(201)
		if r := s.call("GET", "/api/webhooks/outgoing", bob.token, nil).is(200); len(r.list("webhooks")) != 0 {
			t.Errorf("%s", r.raw)
		}
		if r := s.call("GET", "/api/webhooks/outgoing", s.admin(), nil).is(200); len(r.list("webhooks")) != 1 {
			t.Errorf("%s", r.raw)
		}
		s.call("DELETE", "/api/webhooks/outgoing/"+out.at("id"), bob.token, nil).is(403, "not_authorized")
		s.call("DELETE", "/api/webhooks/outgoing/"+out.at("id"), ann.token, nil).is(204)
	})
}

func TestAUserTokenNeedsTheScopeAdminForTheControlPlane(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		app := func(scopes ...string) string {
			return s.call("POST", "/api/apps", s.admin(), object{"manifest": manifest("App", []string{"chat:write"}, scopes)}).is(201).at("user_token")
		}
		narrow, wide := app("users:read", "chat:write"), app("users:read", "admin")
		for _, call := range []struct{ method, path string }{
			{"POST", "/api/apps"}, {"GET", "/api/apps"}, {"POST", "/api/admin/provision"}, {"GET", "/api/auth/me"}, {"GET", "/api/workspaces"},
			{"POST", "/api/workspaces"}, {"GET", "/api/workspaces/" + s.def.Workspace.ID}, {"PUT", "/api/workspaces/" + s.def.Workspace.ID},
			{"DELETE", "/api/workspaces/" + s.def.Workspace.ID}, {"POST", "/api/workspaces/" + s.def.Workspace.ID + "/join"},
			{"POST", "/api/workspaces/" + s.def.Workspace.ID + "/invitations"}, {"GET", "/api/workspaces/" + s.def.Workspace.ID + "/invitations"},
			{"POST", "/api/events/subscribe"}, {"GET", "/api/events/subscriptions"}, {"DELETE", "/api/events/subscriptions/ES1"},
			{"POST", "/api/webhooks/incoming"}, {"GET", "/api/webhooks/incoming"}, {"DELETE", "/api/webhooks/incoming/x"},
			{"POST", "/api/webhooks/outgoing"}, {"GET", "/api/webhooks/outgoing"}, {"DELETE", "/api/webhooks/outgoing/x"},
			{"POST", "/api/commands"}, {"GET", "/api/commands"}, {"DELETE", "/api/commands/x"}, {"POST", "/api/commands/execute"}, {"POST", "/api/interactions"},
		} {
			s.call(call.method, call.path, narrow, object{"workspace_name": "x", "name": "x"}).is(403, "missing_scope")
		}
		s.call("GET", "/api/apps", wide, nil).is(200)
		s.call("GET", "/api/apps", s.admin(), nil).is(200)
		if user, _, ok := s.works(narrow); !ok || user != s.def.Admin.ID {
			t.Error("the data plane has its own scopes")
		}
	})
}

func TestAClosedWorkspaceIsJoinedByInvitation(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		path := "/api/workspaces/" + s.def.Workspace.ID
		if r := s.call("GET", path, s.admin(), nil).is(200); r.body["workspace"].(object)["open"] != true {
			t.Errorf("on loopback a new workspace is open: %s", r.raw)
		}
		ann := s.member("ann@example.com")
		if r := s.call("PUT", path, s.admin(), object{"open": false}).is(200); r.body["workspace"].(object)["open"] != false {
			t.Errorf("%s", r.raw)
		}
		s.call("POST", path+"/join", ann.token, nil).is(200) // who is in stays in
		bob, eve := s.signUp("bob@example.com"), s.signUp("eve@example.com")
		s.call("POST", path+"/join", bob.token, nil).is(403, "not_authorized")

		invite := func(token, email string) reply {
			return s.call("POST", path+"/invitations", token, object{"email": email})
		}
		invite(ann.token, "bob@example.com").is(403, "not_admin")
		invite(bob.token, "bob@example.com").is(404, "workspace_not_found")
		invite(s.admin(), "nonsense").is(400, "invalid_email")
		made := invite(s.admin(), "Bob@Example.com").is(201)
		link := strings.TrimPrefix(made.at("invitation.url"), "http://site/messaging")
		if made.at("invitation.email") != "bob@example.com" || made.at("invitation.id") == "" || made.at("invitation.expires_at") != "2026-03-31T12:00:00Z" {
			t.Errorf("%s", made.raw)
		}
		if r := s.call("GET", link, "", nil).is(200); r.at("workspace.name") != "Understudy" || r.at("invitation.email") != "bob@example.com" {
			t.Errorf("%s", r.raw)
		}
		s.call("POST", link, eve.token, nil).is(404, "invitation_not_found") // it is not hers
		s.call("POST", path+"/join", eve.token, object{"invitation": link[strings.LastIndex(link, "/")+1:]}).is(404, "invitation_not_found")
		s.call("POST", path+"/join", eve.token, nil).is(403, "not_authorized")
		joined := s.call("POST", link, bob.token, nil).is(200)
		if user, team, ok := s.works(joined.at("access_token")); !ok || team != s.def.Workspace.ID || user != joined.at("user.id") {
			t.Errorf("%s", joined.raw)
		}
		s.call("GET", link, "", nil).is(404) // it is used up

		// By her address alone, as it is hers already.
		invite(s.admin(), "eve@example.com").is(201)
		list := s.call("GET", path+"/invitations", s.admin(), nil).is(200)
		if len(list.list("invitations")) != 1 || !strings.Contains(list.raw, "eve@example.com") {
			t.Errorf("%s", list.raw)
		}
		s.call("GET", path+"/invitations", ann.token, nil).is(403, "not_admin")
		s.call("POST", path+"/join", eve.token, nil).is(200)

		// Taken back, expired.
		for _, end := range []func(id string){
			func(id string) { s.call("DELETE", path+"/invitations/"+id, s.admin(), nil).is(204) },
			func(string) { s.clock.Advance(31 * 24 * 3600e9) },
		} {
			mal := invite(s.admin(), "mal@example.com").is(201)
			end(mal.at("invitation.id"))
			s.call("GET", strings.TrimPrefix(mal.at("invitation.url"), "http://site/messaging"), "", nil).is(404)
		}
		s.call("DELETE", path+"/invitations/I0NOTHING00", s.def.Secrets.UserToken, nil).is(404, "invitation_not_found")
	})
}

// Beyond loopback only people whom an admin has invited can join: new
// workspaces are closed, and an address that was claimed after the invitation
// proves nothing.
func TestBeyondLoopbackWorkspacesBeginClosed(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		s.service.Exposed = true
		ann, bob := s.signUp("ann@example.com"), s.signUp("bob@example.com")
		own := s.call("POST", "/api/workspaces", ann.token, object{"name": "Own"}).is(201)
		path := "/api/workspaces/" + own.at("workspace.id")
		if own.body["workspace"].(object)["open"] != false {
			t.Errorf("%s", own.raw)
		}
		s.call("POST", path+"/join", bob.token, nil).is(403, "not_authorized")
		open := s.call("POST", "/api/workspaces", ann.token, object{"name": "Open", "open": true}).is(201)
		s.call("POST", "/api/workspaces/"+open.at("workspace.id")+"/join", bob.token, nil).is(200)

		made := s.call("POST", path+"/invitations", own.at("access_token"), object{"email": "late@example.com"}).is(201)
		s.clock.Advance(1e9)
		late := s.signUp("late@example.com")
		s.call("POST", path+"/join", late.token, nil).is(403, "not_authorized")
		s.call("POST", strings.TrimPrefix(made.at("invitation.url"), "http://site/messaging"), late.token, nil).is(200)
	})
}
