package apidocs

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

type thing struct {
	Name  string   `json:"name" required:"true" description:"What it is called."`
	Tags  []string `json:"tags,omitempty"`
	Owner *thing2  `json:"owner"`
	Last  *thing2  `json:"last,omitempty"`
}

type thing2 struct {
	ID int64 `json:"id"`
}

func sample() API {
	return API{Title: "Things", Refusal: struct {
		Error string `json:"error"`
	}{}, Credentials: []Credential{{Name: "token"}, {Name: "key", Header: "X-Key"}},
		Operations: []Operation{
			{Pattern: "GET /api/things", Group: "things", Parameters: []Parameter{{Name: "limit", Type: "integer"}}, Replies: map[int]any{200: []thing{}}},
			{Pattern: "POST /api/things/{id}/move", Group: "things", Credentials: []string{"token", "key"}, Body: thing{},
				Replies: map[int]any{200: thing{}, 204: nil}, Refusals: []int{404}},
			{Pattern: "GET /api/plain/{rest...}", Replies: map[int]any{200: Text("text/plain")}},
		}}
}

func get(t *testing.T, d *Docs, uri, prefix string) (*httptest.ResponseRecorder, bool) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, uri, nil)
	r.URL.Path = strings.TrimPrefix(r.URL.Path, prefix)
	w := httptest.NewRecorder()
	return w, d.Serve(w, r)
}

func TestTheDocumentSaysWhatTheTableSays(t *testing.T) {
	w, ok := get(t, New(sample()), "/e/x/things/api/openapi.json?a=b", "/e/x/things")
	if !ok || w.Code != 200 {
		t.Fatal(ok, w.Code)
	}
	var got struct {
		OpenAPI string
		Servers []struct{ URL string }
		Paths   map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Security    []map[string]any
			Parameters  []struct{ Name, In string }
			RequestBody struct {
				Required bool
				Content  map[string]struct{ Schema map[string]any }
			}
			Responses map[string]any
		}
		Components struct{ Schemas, SecuritySchemes map[string]any }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.OpenAPI != "3.1.0" || len(got.Servers) != 1 || got.Servers[0].URL != "/e/x/things" {
		t.Errorf("%s %v", got.OpenAPI, got.Servers)
	}
	move := got.Paths["/api/things/{id}/move"]["post"]
	if move.OperationID != "postThingsByIdMove" || len(move.Security) != 2 || !move.RequestBody.Required {
		t.Errorf("%+v", move)
	}
	if len(move.Parameters) != 1 || move.Parameters[0].Name != "id" || move.Parameters[0].In != "path" {
		t.Errorf("%+v", move.Parameters)
	}
	for _, status := range []string{"200", "204", "404"} {
		if move.Responses[status] == nil {
			t.Errorf("no reply %s: %v", status, move.Responses)
		}
	}
	schema := move.RequestBody.Content["application/json"].Schema
	properties, _ := schema["properties"].(map[string]any)
	name, _ := properties["name"].(map[string]any)
	if name["type"] != "string" || name["description"] != "What it is called." || properties["owner"] == nil {
		t.Errorf("%v", schema)
	}
	for member, want := range map[string]string{"tags": "array", "last": "object", "owner": "[object null]", "": "object"} {
		typed := schema
		if member != "" {
			typed = properties[member].(map[string]any)
		}
		if have := fmt.Sprint(typed["type"]); have != want {
			t.Errorf("%q is of type %s, want %s", member, have, want)
		}
	}
	if got.Paths["/api/plain/{rest}"]["get"].OperationID == "" || got.Components.SecuritySchemes["key"] == nil {
		t.Errorf("%+v", got)
	}
	if strings.Contains(w.Body.String(), "#/definitions") {
		t.Error("a schema refers to what is not there")
	}
}

func TestThePageNeedsNothingFromElsewhere(t *testing.T) {
	d := New(sample())
	w, ok := get(t, d, "/things/api/docs", "/things")
	if !ok || w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
		t.Fatal(ok, w.Code, w.Header())
	}
	links := regexp.MustCompile(`(?:src|href)="([^"#]+)"`).FindAllStringSubmatch(w.Body.String(), -1)
	if len(links) < 3 {
		t.Fatalf("%v", links)
	}
	page, _ := url.Parse("/things/api/docs")
	for _, l := range links {
		u, err := page.Parse(l[1])
		if err != nil || u.Host != "" {
			t.Errorf("%s: %v", l[1], err)
			continue
		}
		if a, ok := get(t, d, u.Path, "/things"); !ok || a.Code != 200 || a.Body.Len() == 0 {
			t.Errorf("%s: %v %d", u, ok, a.Code)
		}
	}
	named := regexp.MustCompile(`"swaggerJsonUrl":"(\.[^"]*)"`).FindStringSubmatch(w.Body.String())
	if named == nil {
		t.Fatal("the page does not name the document")
	}
	u, _ := page.Parse(page.Path + "/" + named[1]) // as the page's script does
	if doc, ok := get(t, d, u.Path, "/things"); !ok || !strings.Contains(doc.Body.String(), `"openapi"`) {
		t.Errorf("%s is not the document", u)
	}
}

func TestOtherPathsAreLeftToTheService(t *testing.T) {
	d := New(sample())
	for _, path := range []string{"/api/docs/none.js", "/api/docs/../x", "/api/docs/swagger-ui.css.gz", "/api/docs/a/b", "/api"} {
		if w, ok := get(t, d, path, ""); ok {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	if w, ok := get(t, d, "/api/docs/", ""); !ok || w.Header().Get("Location") != "../docs" {
		t.Errorf("%v %v", ok, w.Header())
	}
	if w, _ := get(t, d, "/api/openapi.json", ""); !strings.Contains(w.Body.String(), `"servers":[{"url":"/"}]`) {
		t.Error("the server of a service at the root")
	}
}
