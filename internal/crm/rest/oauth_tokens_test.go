package rest_test

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// form posts fields, as OAuth's clients do.
func (w *world) form(status int, path, fields string) string {
	w.t.Helper()
	r := httptest.NewRequest("POST", "http://crm.test/api"+path, strings.NewReader(fields))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	if rec.Code != status {
		w.t.Fatalf("%s %s: %d %s", path, fields, rec.Code, rec.Body)
	}
	return rec.Body.String()
}

const client = "client_id=client&client_secret=secret"

// A client can read the metadata of its own valid tokens, and of no others.
func TestIntrospection(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		tokens := w.do(200, "POST", "/oauth/v3/token", `{"grant_type":"authorization_code","client_id":"client","client_secret":"secret","redirect_uri":"http://127.0.0.1/","code":"`+w.code()+`"}`)
		access, refresh := tokens["access_token"].(string), tokens["refresh_token"].(string)
		got := w.form(200, "/oauth/v3/token/introspect", client+"&token="+access)
		for _, part := range []string{`"active":true`, `"app_id":7`, `"client_id":"client"`, `"expires_in":1800`, `"hub_id":1`, `"token_use":"access_token"`, `"token":"` + access + `"`, `"scopes":["oauth"]`, `"user":"first@example.com"`} {
			if !strings.Contains(got, part) {
				t.Errorf("no %s in %s", part, got)
			}
		}
		if got := w.form(200, "/oauth/2026-09/token/introspect", client+"&token="+refresh); !strings.Contains(got, `"token_use":"refresh_token"`) || strings.Contains(got, "expires_in") {
			t.Errorf("refresh: %s", got)
		}
		for _, token := range []string{"", "oat-na1-unknown", w.token, "ort-na1-unknown"} {
			if got := w.form(200, "/oauth/v3/token/introspect", client+"&token="+token); got != `{"active":false}`+"\n" && got != `{"active":false}` {
				t.Errorf("%q: %s", token, got)
			}
		}
		w.form(400, "/oauth/v3/token/introspect", "client_id=client&client_secret=wrong&token="+access)
		w.form(400, "/oauth/v3/token/introspect?"+client, "token="+access) // secrets stand in the body alone
		w.form(400, "/oauth/v3/token?"+client, "grant_type=client_credentials")
		w.form(200, "/oauth/v1/token?"+client, "grant_type=client_credentials")
		w.clock.Advance(31 * 60 * 1e9)
		if got := w.form(200, "/oauth/v3/token/introspect", client+"&token="+access); !strings.Contains(got, `"active":false`) {
			t.Errorf("expired: %s", got)
		}
	})
}

// A revoked refresh token ends the access tokens that were made of it, and no others.
func TestRevocation(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		grant := func() (access, refresh string) {
			tokens := w.do(200, "POST", "/oauth/2026-03/token", `{"grant_type":"authorization_code","client_id":"client","client_secret":"secret","redirect_uri":"http://127.0.0.1/","code":"`+w.code()+`"}`)
			return tokens["access_token"].(string), tokens["refresh_token"].(string)
		}
		works := func(token string) bool {
			status, _, _ := w.send(token, "GET", "/account-info/v3/details", "")
			return status == 200
		}
		one, first := grant()
		other, _ := grant()
		again := w.do(200, "POST", "/oauth/v3/token", `{"grant_type":"refresh_token","client_id":"client","client_secret":"secret","refresh_token":"`+first+`"}`)["access_token"].(string)
		w.form(200, "/oauth/v3/token/revoke", client+"&token="+one)
		if works(one) || !works(again) || !works(other) {
			t.Error("one access token was to end")
		}
		if got := w.form(200, "/oauth/v3/token/revoke", client+"&token="+first); got != "" {
			t.Errorf("body %q", got)
		}
		if works(again) || !works(other) {
			t.Error("the tokens of one refresh token were to end")
		}
		w.form(400, "/oauth/v3/token", client+"&grant_type=refresh_token&refresh_token="+first)
		w.form(200, "/oauth/v3/token/revoke", client+"&token="+first) // unknown by now
		w.form(400, "/oauth/v3/token/revoke", "token="+other)
		w.form(200, "/oauth/v3/token/revoke", client+"&token="+w.token) // not the client's
		if !works(w.token) || !works(other) {
			t.Error("others were to stay")
		}
	})
}

// A private app learns about its own token.
func TestPrivateAppTokenInfo(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		path := "/oauth/v2/private-apps/get/access-token-info"
		got := w.as("", 200, "POST", path, `{"tokenKey":"`+w.token+`"}`)
		if num(got["hubId"]) != 1 || num(got["appId"]) != 1 || num(got["userId"]) == 0 || len(got["scopes"].([]any)) == 0 {
			t.Errorf("%v", got)
		}
		if got := w.as("", 404, "POST", path, `{"tokenKey":"pat-na1-unknown"}`); got["status"] != "error" {
			t.Errorf("%v", got)
		}
		w.as("", 400, "POST", path, `{}`)
	})
}
