package rest_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http/httptest"
	"testing"
)

// A code that was requested with a challenge is exchanged only with its
// verifier; a challenge method that the exchange could not check is refused at
// once.
func TestCodesWithAChallenge(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		login := w.as("", 200, "POST", "/auth/login", `{"email":"first@example.com","password":"`+w.password+`"}`)
		authorize := func(query string) (status int, code, failed string) {
			r := httptest.NewRequest("GET", "/oauth/authorize?client_id=client&redirect_uri=http://127.0.0.1/back&"+query, nil)
			r.Header.Set("Authorization", "Bearer "+login["accessToken"].(string))
			r.Header.Set("Accept", "application/json")
			rec := httptest.NewRecorder()
			w.handler.ServeHTTP(rec, r)
			var out struct{ Code, Error string }
			_ = json.Unmarshal(rec.Body.Bytes(), &out)
			return rec.Code, out.Code, out.Error
		}
		sum := sha256.Sum256([]byte("verifier"))
		challenge := "code_challenge=" + base64.RawURLEncoding.EncodeToString(sum[:])
		for _, method := range []string{"", "&code_challenge_method=S256"} {
			status, code, _ := authorize(challenge + method)
			if status != 200 {
				t.Fatalf("%q: %d", method, status)
			}
			exchange := func(verifier string, status int) {
				w.as("", status, "POST", "/oauth/v1/token", `{"grant_type":"authorization_code","client_id":"client","client_secret":"secret",`+
					`"redirect_uri":"http://127.0.0.1/back","code":"`+code+`","code_verifier":"`+verifier+`"}`)
			}
			exchange("another", 400)
			exchange("", 400)
			exchange("verifier", 200)
			exchange("verifier", 400) // once
		}
		if status, _, failed := authorize("code_challenge=verifier&code_challenge_method=plain"); status != 400 || failed != "invalid_request" {
			t.Errorf("a method that is not supported: %d %s", status, failed)
		}
	})
}
