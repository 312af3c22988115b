package rest_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
)

// Nothing that a client can put into a path, a query or a form is an internal
// error: databases refuse NUL and bytes that are no text.
func TestBytesThatAreNoTextAreRefused(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		for _, bytes := range []string{"%ff", "%c3%28", "%00", "%ed%a0%80"} {
			for _, path := range []string{"/crm/v3/pipelines/deals/" + bytes + "/audit", "/crm/v3/pipelines/deals/default/stages/" + bytes + "/audit",
				"/oauth/v1/refresh-tokens/" + bytes, "/crm/v3/objects/contacts/" + bytes + "?idProperty=email"} {
				if code, reply, _ := w.send(w.token, "GET", path, ""); code != 404 {
					t.Errorf("%s: %d %s", path, code, reply)
				}
			}
			if code, reply, _ := w.send(w.token, "GET", "/crm/v3/objects/contacts?properties="+bytes, ""); code != 400 {
				t.Errorf("a query of %s: %d %s", bytes, code, reply)
			}
			for _, form := range []string{"grant_type=client_credentials&client_id=" + bytes, "grant_type=client_credentials&client_id=client&client_secret=secret&scope=" + bytes} {
				r := httptest.NewRequest("POST", "/api/oauth/v1/token", strings.NewReader(form))
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				rec := httptest.NewRecorder()
				w.handler.ServeHTTP(rec, r)
				if rec.Code != 400 {
					t.Errorf("%s: %d %s", form, rec.Code, rec.Body)
				}
			}
		}
	})
}

// The metadata of a refresh token can be read; an unknown one is not found.
func TestRefreshTokensAreReadOnBothDatabases(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		login := w.as("", 200, "POST", "/auth/login", `{"email":"first@example.com","password":"`+w.password+`"}`)
		r := httptest.NewRequest("GET", "/oauth/authorize?client_id=client&redirect_uri=http://127.0.0.1/back", nil)
		r.Header.Set("Authorization", "Bearer "+login["accessToken"].(string))
		r.Header.Set("Accept", "application/json")
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		_, code, _ := strings.Cut(rec.Body.String(), `"code":"`)
		code, _, _ = strings.Cut(code, `"`)
		tokens := w.as("", 200, "POST", "/oauth/v1/token", `{"grant_type":"authorization_code","client_id":"client","client_secret":"secret","redirect_uri":"http://127.0.0.1/back","code":"`+code+`"}`)
		path := "/oauth/v1/refresh-tokens/" + tokens["refresh_token"].(string)
		if got := w.as("", 200, "GET", path, ""); got["client_id"] != "client" || got["token_type"] != "refresh" {
			t.Errorf("the refresh token is %v", got)
		}
		w.as("", 404, "GET", "/oauth/v1/refresh-tokens/nobody", "")
		w.as("", 204, "DELETE", path, "")
		w.as("", 404, "GET", path, "")
	})
}

// A search may name any position, any number of words and any number of
// elements of a set: it is answered or refused, and soon.
func TestSearchesOfAbsurdSizeAreRefused(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		w.do(201, "POST", "/crm/v3/properties/contacts", `{"name":"marks","label":"Marks","type":"enumeration","fieldType":"checkbox","groupName":"contactinformation","options":[{"label":"a","value":"v1"}]}`)
		w.create("contacts", `{"firstname":"Ann","marks":"v1"}`)
		filter := func(property, operator, value string) string {
			return fmt.Sprintf(`"filterGroups":[{"filters":[{"propertyName":%q,"operator":%q,"value":%q}]}]`, property, operator, value)
		}
		var set []string
		for i := range 101 {
			set = append(set, fmt.Sprint("v", i+1))
		}
		words := strings.Repeat("ab cd ", 20_000)
		for body, status := range map[string]int{
			`{"after":"9223372036854775807"}`:                                                            400,
			`{"after":"9223372036854775807",` + filter("firstname", "HAS_PROPERTY", "") + `}`:            400,
			`{"after":"9223372036854775807","sorts":["email"],` + filter("firstname", "EQ", "ann") + `}`: 400,
			`{` + filter("firstname", "CONTAINS_TOKEN", words) + `}`:                                     400,
			`{` + filter("firstname", "NOT_CONTAINS_TOKEN", words) + `}`:                                 400,
			`{` + filter("firstname", "CONTAINS_TOKEN", words[:3000]) + `}`:                              200,
			`{` + filter("marks", "EQ", strings.Join(set, ";")) + `}`:                                    400,
			`{` + filter("marks", "EQ", strings.Join(set[:100], ";")) + `}`:                              200,
			`{` + filter("firstname", "EQ", words) + `}`:                                                 200,
			`{"after":"9990"}`: 200,
			`{"after":"9991"}`: 400,
		} {
			if code, reply, _ := w.send(w.token, "POST", "/crm/v3/objects/contacts/search", body); code != status {
				t.Errorf("%.120s: %d, not %d: %s", body, code, status, reply)
			}
		}
		if got := w.do(200, "POST", "/crm/v3/objects/contacts/search", `{`+filter("marks", "EQ", "v1")+`}`); num(got["total"]) != 1 {
			t.Errorf("the set is not found: %v", got)
		}
	})
}

// An id that is no whole number is the id of no record.
func TestIDsAreComparedAsNumbers(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		id := w.create("contacts", `{"firstname":"Ann"}`)
		for value, total := range map[string]int{id: 1, id + ".0": 1, id + ".5": 0, "-" + id: 0, "1e300": 0, "-1e300": 0} {
			got := w.do(200, "POST", "/crm/v3/objects/contacts/search", `{"filterGroups":[{"filters":[{"propertyName":"hs_object_id","operator":"EQ","value":"`+value+`"}]}]}`)
			if num(got["total"]) != int64(total) {
				t.Errorf("%s finds %v", value, got["total"])
			}
		}
	})
}

// A property computed from a huge amount is a number or empty.
func TestHugeAmountsHaveNoInfiniteProjection(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		for amount, projected := range map[string]any{"1e308": "1" + strings.Repeat("0", 308), "1000": "1000"} {
			deal := w.do(201, "POST", "/crm/v3/objects/deals", `{"properties":{"dealname":"D","dealstage":"closedwon","amount":"`+amount+`"}}`)
			if got := deal["properties"].(map[string]any)["hs_projected_amount"]; got != projected {
				t.Errorf("of %s: %v", amount, got)
			}
		}
	})
}

// Location is the address of the record, also behind a proxy.
func TestLocationLeadsToTheRecord(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		r := httptest.NewRequest("POST", "/api/crm/v3/objects/contacts/", strings.NewReader(`{"properties":{}}`))
		r.RequestURI = "/e/x/crm" + r.RequestURI // the prefix has been taken off the URL
		r.Header.Set("Authorization", "Bearer "+w.token)
		r.Header.Set("Content-Type", "application/json")
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		if got := rec.Header().Get("Location"); !strings.HasPrefix(got, "/e/x/crm/api/crm/v3/objects/contacts/1") {
			t.Errorf("%d, Location is %q", rec.Code, got)
		}
	})
}
