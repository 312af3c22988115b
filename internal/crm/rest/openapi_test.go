package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/internal/crm/rest"
	"understudy/internal/platform/store/storetest"
)

// contract is upstream's published description of its replies, without its prose.
type contract struct {
	paths []contractPath
	seen  map[string]bool // operation and status
}

type contractPath struct {
	pattern *regexp.Regexp
	name    string
	file    *contractFile
	item    map[string]struct {
		Responses map[string]struct {
			Content map[string]struct{ Schema map[string]any }
		}
	}
}

type contractFile struct {
	Paths map[string]map[string]struct {
		Responses map[string]struct {
			Content map[string]struct{ Schema map[string]any }
		}
	}
	Components struct{ Schemas map[string]map[string]any }
}

var pathParameter = regexp.MustCompile(`\\\{[^/]+\\\}`)

func loadContract(t *testing.T) *contract {
	t.Helper()
	files, err := filepath.Glob("testdata/openapi/*.json")
	if err != nil || len(files) < 10 {
		t.Fatal(len(files), err)
	}
	c := &contract{seen: map[string]bool{}}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f := &contractFile{}
		if err := json.Unmarshal(text, f); err != nil {
			t.Fatal(name, err)
		}
		for path, item := range f.Paths {
			pattern := pathParameter.ReplaceAllString(regexp.QuoteMeta(path), `[^/]+`)
			c.paths = append(c.paths, contractPath{regexp.MustCompile("^" + pattern + "$"), path, f, item})
		}
	}
	slices.SortFunc(c.paths, func(a, b contractPath) int { // literal segments first
		return strings.Count(a.name, "{") - strings.Count(b.name, "{")
	})
	return c
}

// check compares a successful reply with every published revision of its operation.
func (c *contract) check(t *testing.T, method, path string, status int, body []byte) {
	t.Helper()
	if status >= 300 {
		return
	}
	path, _, _ = strings.Cut(path, "?")
	braces := -1
	for _, p := range c.paths {
		if !p.pattern.MatchString(path) || braces >= 0 && strings.Count(p.name, "{") != braces {
			continue
		}
		op, ok := p.item[strings.ToLower(method)]
		if !ok {
			continue
		}
		braces = strings.Count(p.name, "{")
		reply, ok := op.Responses[fmt.Sprint(status)]
		if !ok {
			t.Errorf("%s %s: %d is no status of %s", method, path, status, p.name)
			continue
		}
		c.seen[method+" "+p.name+" "+fmt.Sprint(status)] = true
		for _, content := range reply.Content {
			var v any
			if err := json.Unmarshal(body, &v); err != nil {
				t.Errorf("%s %s: %v", method, path, err)
				continue
			}
			for _, problem := range p.file.validate(content.Schema, v, "") {
				t.Errorf("%s %s (%d): %s\n%s", method, p.name, status, problem, body)
			}
		}
	}
}

// validate reports where a value does not fit a schema.
func (f *contractFile) validate(schema map[string]any, v any, at string) (problems []string) {
	if ref, ok := schema["$ref"].(string); ok {
		return f.validate(f.Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")], v, at)
	}
	wrong := func(format string, args ...any) []string {
		return append(problems, at+": "+fmt.Sprintf(format, args...))
	}
	switch schema["type"] {
	case "object":
		o, ok := v.(map[string]any)
		if !ok {
			return wrong("%T is no object", v)
		}
		for _, name := range list(schema["required"]) {
			if _, ok := o[name.(string)]; !ok {
				problems = wrong("%s is missing", name)
			}
		}
		properties, _ := schema["properties"].(map[string]any)
		more, _ := schema["additionalProperties"].(map[string]any)
		for name, value := range o {
			if name == "label" && value == nil || name == "subCategory" {
				continue // published as a string, served as null; published as an object, served as a string
			}
			if s, ok := properties[name].(map[string]any); ok {
				problems = append(problems, f.validate(s, value, at+"."+name)...)
			} else if more != nil && value != nil {
				problems = append(problems, f.validate(more, value, at+"."+name)...)
			}
		}
	case "array":
		items, ok := v.([]any)
		if !ok {
			return wrong("%T is no array", v)
		}
		s, _ := schema["items"].(map[string]any)
		for i, item := range items {
			problems = append(problems, f.validate(s, item, fmt.Sprintf("%s[%d]", at, i))...)
		}
	case "string":
		s, ok := v.(string)
		if !ok {
			return wrong("%v is no string", v)
		}
		if schema["format"] == "date-time" {
			if _, err := time.Parse(time.RFC3339, s); err != nil {
				return wrong("%q is no date-time", s)
			}
		}
		if enum := list(schema["enum"]); len(enum) > 0 && !slices.Contains(enum, v) {
			return wrong("%q is none of %v", s, enum)
		}
	case "integer", "number":
		if _, ok := v.(float64); !ok {
			return wrong("%v is no number", v)
		}
	case "boolean":
		if _, ok := v.(bool); !ok {
			return wrong("%v is no boolean", v)
		}
	}
	return problems
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// TestRepliesFitThePublishedContract walks through the routes and holds every
// reply against upstream's own description.
func TestRepliesFitThePublishedContract(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t, schemas), 0)
	c := loadContract(t)
	answered := map[string]bool{} // routes that have answered with a success
	w.check = func(method, path string, status int, body []byte) {
		c.check(t, method, path, status, body)
		if status < 300 {
			answered[rest.RouteOf(method, path)] = true
		}
	}
	walkRoutes(w)
	ours := regexp.MustCompile(`^(POST /auth/login|POST /account-info/v3/api-keys|GET /health|GET /docs.*|GET /openapi.json)$`)
	for _, r := range rest.Routes() {
		if !answered[r] && !ours.MatchString(r) && !strings.Contains(r, "{version}") {
			t.Errorf("%s was not called with success", r)
		}
	}
	t.Logf("%d operations and statuses compared", len(c.seen))
	if len(c.seen) < 55 {
		t.Errorf("only %d operations and statuses were compared", len(c.seen))
	}
}

// TestDatedPathsAnswerAsTheUndated walks through the same routes under each date.
func TestDatedPathsAnswerAsTheUndated(t *testing.T) {
	t.Parallel()
	for _, date := range []string{"2025-09", "2026-03", "2026-09"} {
		t.Run(date, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.SQLite(t, schemas), 0)
			w.date = date
			answered := map[string]bool{}
			w.check = func(method, path string, status int, _ []byte) {
				if status < 300 {
					answered[rest.RouteOf(method, path)] = true
				}
			}
			walkRoutes(w)
			for _, r := range rest.Routes() {
				if strings.Contains(r, "{version}") && !answered[r] {
					t.Errorf("%s was not called with success", r)
				}
			}
		})
	}
}

// walkRoutes calls every route with success.
func walkRoutes(w *world) {
	ended := 204 // associations that batches end
	if w.date != "" {
		ended = 200
	}
	const spec = `[{"associationCategory":"HUBSPOT_DEFINED","associationTypeId":%d}]`
	o := "/crm/v3/objects/"

	a := w.create("contacts", `{"email":"a@example.com","firstname":"A"}`)
	b := w.create("contacts", `{"email":"b@example.com"}`)
	company := w.create("companies", `{"name":"C"}`)
	w.create("deals", `{"dealname":"D","dealstage":"closedwon","amount":5}`)
	w.create("tickets", `{"subject":"T","hs_pipeline_stage":"4"}`)
	v4 := "/crm/v4/objects/contacts/" + a + "/associations/"
	w.do(200, "PUT", v4+"default/companies/"+company, "")
	w.do(201, "PUT", v4+"companies/"+company, fmt.Sprintf(spec, 1))
	w.do(200, "GET", v4+"companies", "")
	w.do(200, "GET", "/crm/v4/associations/contacts/companies/labels", "")
	pairs := `{"inputs":[{"from":{"id":"` + a + `"},"to":{"id":"` + company + `"},"types":` + fmt.Sprintf(spec, 279) + `}%s]}`
	bad := `,{"from":{"id":"9"},"to":{"id":"` + company + `"},"types":` + fmt.Sprintf(spec, 279) + `}`
	batch := "/crm/v4/associations/contacts/companies/batch/"
	w.do(201, "POST", batch+"create", fmt.Sprintf(pairs, ""))
	w.do(207, "POST", batch+"create", fmt.Sprintf(pairs, bad))
	w.do(200, "POST", batch+"associate/default", fmt.Sprintf(pairs, ""))
	w.do(200, "POST", batch+"read", `{"inputs":[{"id":"`+a+`"}]}`)
	w.do(207, "POST", batch+"read", `{"inputs":[{"id":"`+b+`"}]}`)
	w.do(200, "POST", "/crm/v3/associations/contacts/companies/batch/read", `{"inputs":[{"id":"`+a+`"}]}`)

	w.do(200, "GET", o+"contacts?limit=1&associations=companies&propertiesWithHistory=firstname", "")
	w.do(200, "GET", o+"contacts/"+a+"?associations=companies&propertiesWithHistory=firstname", "")
	w.do(200, "PATCH", o+"contacts/"+a, `{"properties":{"firstname":"B"}}`)
	w.do(201, "POST", o+"contacts/batch/create", `{"inputs":[{"properties":{"email":"c@example.com"}}]}`)
	w.do(207, "POST", o+"contacts/batch/create", `{"inputs":[{"properties":{"email":"c@example.com"},"objectWriteTraceId":"1"},{"properties":{"email":"d@example.com"},"objectWriteTraceId":"2"}]}`)
	w.do(200, "POST", o+"contacts/batch/read", `{"inputs":[{"id":"`+a+`"}],"propertiesWithHistory":["firstname"]}`)
	w.do(207, "POST", o+"contacts/batch/read", `{"inputs":[{"id":"`+a+`"},{"id":"9"}]}`)
	w.do(200, "POST", o+"contacts/batch/update", `{"inputs":[{"id":"`+a+`","properties":{"firstname":"C"}}]}`)
	w.do(207, "POST", o+"contacts/batch/update", `{"inputs":[{"id":"9","properties":{"firstname":"C"}}]}`)
	w.do(200, "POST", o+"contacts/batch/upsert", `{"inputs":[{"id":"e@example.com","idProperty":"email","properties":{"firstname":"E"}}]}`)
	w.do(200, "POST", o+"contacts/search", `{"limit":1,"filterGroups":[{"filters":[{"propertyName":"email","operator":"HAS_PROPERTY"}]}]}`)
	w.do(200, "POST", o+"contacts/merge", `{"primaryObjectId":"`+a+`","objectIdToMerge":"`+b+`"}`)
	w.do(204, "POST", o+"contacts/batch/archive", `{"inputs":[{"id":"`+a+`"}]}`)
	w.do(200, "GET", o+"contacts/"+a+"?archived=true", "")

	gone := w.create("contacts", `{"email":"gone@example.com"}`)
	w.do(204, "DELETE", o+"contacts/"+gone, "")
	w.do(204, "POST", o+"contacts/gdpr-delete", `{"objectId":"`+gone+`"}`)
	w.do(404, "POST", o+"contacts/gdpr-delete", `{"objectId":"`+gone+`"}`)
	w.do(204, "POST", o+"contacts/gdpr-delete", `{"objectId":"gone@example.com","idProperty":"email"}`)
	deal := w.create("deals", `{"dealname":"E"}`)
	of := "/crm/v4/objects/deals/" + deal + "/associations/"
	w.do(200, "PUT", of+"default/companies/"+company, "")
	w.do(200, "GET", "/crm/v3/objects/deals/"+deal+"/associations/companies", "")
	w.do(200, "GET", "/crm/v3/associations/deals/companies/types", "")
	w.do(200, "GET", "/crm/associations/v4/deals/companies/labels", "")
	labels := `{"inputs":[{"from":{"id":"` + deal + `"},"to":{"id":"` + company + `"},"types":` + fmt.Sprintf(spec, 5) + `}]}`
	w.do(ended, "POST", "/crm/v4/associations/deals/companies/batch/labels/archive", labels)
	w.do(ended, "POST", "/crm/v4/associations/deals/companies/batch/archive", `{"inputs":[{"from":{"id":"`+deal+`"},"to":[{"id":"`+company+`"}]}]}`)
	w.do(204, "DELETE", of+"companies/"+company, "")

	w.do(200, "GET", "/crm/v3/properties/contacts", "")
	text := `{"name":"%s","label":"Own","type":"string","fieldType":"text","groupName":"contactinformation"}`
	w.do(201, "POST", "/crm/v3/properties/contacts", fmt.Sprintf(text, "own"))
	w.do(200, "GET", "/crm/v3/properties/contacts/own", "")
	w.do(200, "PATCH", "/crm/v3/properties/contacts/own", `{"label":"Mine"}`)
	w.do(201, "POST", "/crm/v3/properties/contacts/batch/create", `{"inputs":[`+fmt.Sprintf(text, "own2")+`]}`)
	w.do(207, "POST", "/crm/v3/properties/contacts/batch/create", `{"inputs":[`+fmt.Sprintf(text, "own2")+`]}`)
	w.do(200, "POST", "/crm/v3/properties/contacts/batch/read", `{"archived":false,"inputs":[{"name":"own"}]}`)
	w.do(207, "POST", "/crm/v3/properties/contacts/batch/read", `{"archived":false,"inputs":[{"name":"none"}]}`)
	w.do(204, "POST", "/crm/v3/properties/contacts/batch/archive", `{"inputs":[{"name":"own2"}]}`)
	w.do(204, "DELETE", "/crm/v3/properties/contacts/own", "")
	w.do(200, "GET", "/crm/v3/properties/contacts/own?archived=true", "")
	w.do(201, "POST", "/crm/v3/properties/contacts/groups", `{"name":"g","label":"G"}`)
	w.do(200, "GET", "/crm/v3/properties/contacts/groups", "")
	w.do(200, "GET", "/crm/v3/properties/contacts/groups/g", "")
	w.do(200, "PATCH", "/crm/v3/properties/contacts/groups/g", `{"label":"H"}`)
	w.do(204, "DELETE", "/crm/v3/properties/contacts/groups/g", "")

	w.do(200, "GET", "/crm/v3/pipelines/deals", "")
	p := "/crm/v3/pipelines/deals/" + w.do(201, "POST", "/crm/v3/pipelines/deals", `{"label":"P","displayOrder":1,"stages":[{"label":"A","displayOrder":0,"metadata":{"probability":"0.5"}}]}`)["id"].(string)
	w.do(200, "GET", p, "")
	w.do(200, "PATCH", p, `{"label":"Q"}`)
	w.do(200, "PUT", p, `{"label":"R","displayOrder":1,"stages":[{"label":"A","displayOrder":0,"metadata":{"probability":"0.5"}}]}`)
	w.do(200, "GET", p+"/stages", "")
	s := p + "/stages/" + w.do(201, "POST", p+"/stages", `{"label":"B","displayOrder":1,"metadata":{"probability":"1.0"}}`)["id"].(string)
	w.do(200, "GET", s, "")
	w.do(200, "PATCH", s, `{"label":"C"}`)
	w.do(200, "PUT", s, `{"label":"D","displayOrder":2,"metadata":{"probability":"0.9"}}`)
	w.do(200, "GET", s+"/audit", "")
	w.do(204, "DELETE", s, "")
	w.do(200, "GET", p+"/audit", "")
	w.do(204, "DELETE", p, "")

	owner := w.do(200, "GET", "/crm/v3/owners/", "")["results"].([]any)[0].(map[string]any)["id"].(string)
	w.do(200, "GET", "/crm/v3/owners/"+owner, "")
	w.do(200, "GET", "/account-info/v3/details", "")
	minted := w.do(201, "POST", "/account-info/v3/api-keys", `{"name":"M"}`)["id"].(string)
	w.do(200, "GET", "/account-info/v3/api-keys", "")
	w.do(204, "DELETE", "/account-info/v3/api-keys/"+minted, "")
	w.do(200, "PUT", "/account-info/v3/redirect-uris", `{"redirectUris":["https://app.test/back"]}`)
	w.do(200, "GET", "/account-info/v3/redirect-uris", "")
	session := w.do(200, "POST", "/auth/login", `{"email":"first@example.com","password":"`+w.password+`"}`)["accessToken"].(string)
	w.as(session, 204, "POST", "/auth/password", `{"current_password":"`+w.password+`","new_password":"correct horse"}`)
	w.password = "correct horse"
	w.do(200, "GET", "/account-info/v3/api-usage/daily/private-apps", "")
	w.do(200, "POST", "/oauth/v1/token", `{"grant_type":"client_credentials","client_id":"client","client_secret":"secret"}`)
	tokens := w.do(200, "POST", "/oauth/v1/token", `{"grant_type":"authorization_code","client_id":"client","client_secret":"secret","redirect_uri":"http://127.0.0.1/","code":"`+w.code()+`"}`)
	refresh := tokens["refresh_token"].(string)
	w.do(200, "POST", "/oauth/v1/token", `{"grant_type":"refresh_token","client_id":"client","client_secret":"secret","refresh_token":"`+refresh+`"}`)
	w.do(200, "GET", "/oauth/v1/access-tokens/"+tokens["access_token"].(string), "")
	w.do(200, "GET", "/oauth/v1/refresh-tokens/"+refresh, "")
	w.do(204, "DELETE", "/oauth/v1/refresh-tokens/"+refresh, "")
	for _, version := range []string{"v3", "2026-03", "2026-09"} {
		client := `"client_id":"client","client_secret":"secret"`
		granted := w.do(200, "POST", "/oauth/"+version+"/token", `{"grant_type":"client_credentials",`+client+`}`)
		token := `{` + client + `,"token":"` + granted["access_token"].(string) + `"}`
		w.do(200, "POST", "/oauth/"+version+"/token/introspect", token)
		w.do(200, "POST", "/oauth/"+version+"/token/revoke", token)
	}
	w.do(200, "POST", "/oauth/v2/private-apps/get/access-token-info", `{"tokenKey":"`+w.token+`"}`)
	w.do(200, "GET", "/crm-object-schemas/v3/schemas", "")
	x := w.create("contacts", `{"email":"x@example.com"}`)
	v3 := "/crm/v3/objects/contacts/" + x + "/associations/companies/" + company + "/"
	w.do(200, "PUT", v3+"contact_to_company", "")
	w.do(204, "DELETE", v3+"1", "")
	typed := `{"inputs":[{"from":{"id":"` + x + `"},"to":{"id":"` + company + `"},"type":"contact_to_company"}]}`
	w.do(201, "POST", "/crm/v3/associations/contacts/companies/batch/create", typed)
	w.do(204, "POST", "/crm/v3/associations/contacts/companies/batch/archive", typed)
}

// code gets an authorization code for the client of the first portal.
func (w *world) code() string {
	w.t.Helper()
	session := w.do(200, "POST", "/auth/login", `{"email":"first@example.com","password":"`+w.password+`"}`)
	r := httptest.NewRequest("GET", "http://crm.test/oauth/authorize?client_id=client&redirect_uri=http://127.0.0.1/&scope=oauth", nil)
	r.Header.Set("Authorization", "Bearer "+session["accessToken"].(string))
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	var reply struct{ Code string }
	if err := json.Unmarshal(rec.Body.Bytes(), &reply); err != nil || reply.Code == "" {
		w.t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	return reply.Code
}
