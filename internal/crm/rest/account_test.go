package rest_test

import (
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestPrivateTokensAreListedAndRevoked(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		const keys = "/account-info/v3/api-keys"
		wide := w.do(201, "POST", keys, `{"name":"wide"}`)
		narrow := w.do(201, "POST", keys, `{"name":"narrow","scopes":["crm.objects.contacts.read"],"tier":"free"}`)
		oauth := w.as("", 200, "POST", "/oauth/v1/token", `{"grant_type":"client_credentials","client_id":"client","client_secret":"secret"}`)
		reply := w.do(200, "GET", keys, "")
		text, _ := json.Marshal(reply)
		for _, secret := range []string{w.token, wide["token"].(string), narrow["token"].(string), oauth["access_token"].(string)} {
			if strings.Contains(string(text), secret) {
				t.Errorf("a list with secrets: %s", text)
			}
		}
		list := reply["results"].([]any)
		if len(list) != 3 {
			t.Fatalf("%s", text)
		}
		if last := list[2].(map[string]any); last["id"] != narrow["id"] || last["name"] != "narrow" || last["tier"] != "free" || len(last["scopes"].([]any)) != 1 || last["createdAt"] == "" {
			t.Errorf("%v", last)
		}

		// A misspelt member must not make a token that may do everything.
		for _, rest := range []string{"", `"name":"k",`} { // also beside one that is given twice, which is accepted
			if misspelt := w.do(400, "POST", keys, `{"name":"k",`+rest+`"scope":["crm.objects.contacts.read"]}`); !strings.Contains(misspelt["message"].(string), `"scope" is not a member`) {
				t.Errorf("%v", misspelt)
			}
		}

		// From the other side: who may not administer the portal.
		path := keys + "/" + wide["id"].(string)
		for _, token := range []string{narrow["token"].(string), oauth["access_token"].(string)} {
			w.as(token, 403, "GET", keys, "")
			w.as(token, 403, "DELETE", path, "")
			w.as(token, 403, "PUT", "/account-info/v3/redirect-uris", `{"redirectUris":[]}`)
			w.as(token, 403, "GET", "/account-info/v3/redirect-uris", "")
		}
		w.as(w.token, 403, "POST", "/auth/password", `{"current_password":"a","new_password":"correct horse"}`)
		w.as("", 401, "DELETE", path, "")
		w.as(w.other, 404, "DELETE", path, "")
		w.do(404, "DELETE", keys+"/nothing", "")

		w.as(wide["token"].(string), 200, "GET", keys, "")
		w.do(204, "DELETE", path, "")
		w.as(wide["token"].(string), 401, "GET", keys, "")
		w.do(404, "DELETE", path, "")
		if n := len(w.do(200, "GET", keys, "")["results"].([]any)); n != 2 {
			t.Errorf("%d tokens are left", n)
		}
	})
}

func TestCodesGoToLoopbackAndToRegisteredAddressesAlone(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		authorize := func(to string) int {
			r := httptest.NewRequest("GET", "/oauth/authorize?"+url.Values{"client_id": {"client"}, "redirect_uri": {to}}.Encode(), nil)
			rec := httptest.NewRecorder()
			w.handler.ServeHTTP(rec, r)
			return rec.Code
		}
		allowed := func(addresses map[string]bool) {
			t.Helper()
			for to, ok := range addresses {
				if got := authorize(to); (got == 200) != ok || got != 200 && got != 400 {
					t.Errorf("%q: %d", to, got)
				}
			}
		}
		local := map[string]bool{"http://localhost/back": true, "http://localhost:3000/a?b=c": true, "http://127.0.0.1:9/": true, "https://127.8.8.8/x": true, "http://[::1]:1/x": true}
		evil := map[string]bool{"https://evil.test/": false, "http://localhost.evil.test/": false, "http://127.0.0.1.evil.test/": false, "http://evil.test/?http://localhost": false,
			"http://localhost@evil.test/": false, "http://evil.test#@localhost": false, "javascript:alert(1)": false, "//evil.test": false, "": false, "http://10.0.0.1/": false, "http://[::ffff:10.0.0.1]/": false}
		allowed(local)
		allowed(evil)
		const uris = "/account-info/v3/redirect-uris"
		if r := w.do(200, "PUT", uris, `{"redirectUris":["https://app.test/back"]}`); r["clientId"] != "client" {
			t.Errorf("%v", r)
		}
		allowed(local)
		allowed(evil)
		allowed(map[string]bool{"https://app.test/back": true, "https://app.test/back?x": false, "https://app.test/back/": false, "http://app.test/back": false, "https://APP.test/back": false})
		for _, bad := range []string{`{"redirectUris":["app.test"]}`, `{"redirectUris":["https://app.test/#x"]}`, `{"redirectUris":["javascript:x"]}`,
			`{"redirectUris":["https://u:p@app.test/"]}`, `{}`, `{"redirectUris":"x"}`} {
			w.do(400, "PUT", uris, bad)
		}
		w.do(404, "PUT", uris, `{"clientId":"nothing","redirectUris":[]}`)
		w.as(w.other, 404, "PUT", uris, `{"clientId":"client","redirectUris":[]}`)
		if r := w.do(200, "GET", uris, ""); len(r["redirectUris"].([]any)) != 1 {
			t.Errorf("%v", r)
		}
		w.do(200, "PUT", uris, `{"redirectUris":[]}`)
		allowed(map[string]bool{"https://app.test/back": false})
	})
}
