package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"understudy/internal/platform/yamldoc"
)

// spots returns setters for every scalar of a document, with its path.
func spots(path string, v any, set func(any), out map[string]func(any)) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			spots(path+"."+k, x, func(n any) { v[k] = n }, out)
		}
	case []any:
		for i, x := range v {
			spots(fmt.Sprintf("%s[%d]", path, i), x, func(n any) { v[i] = n }, out)
		}
	default:
		out[path] = set
	}
}

// With any other value in the place of one of the example's, the document is
// applied or refused by a rule, never by the database. The last part of each
// document is invalid, so that none changes the world.
func TestNoValueOfADocumentIsAFaultOfOurs(t *testing.T) {
	text, err := os.ReadFile("../../docs/seed-example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	n, err := yamldoc.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	bent := []any{"", strings.Repeat("x", 70_000), -1}
	onPlanes(t, func(t *testing.T, p plane) {
		e := p.world(p.Call("POST", "", map[string]any{"clock": "2026-03-01T12:00:00Z"}, 201))
		var doc map[string]any
		if err := json.Unmarshal(n.JSON(), &doc); err != nil {
			t.Fatal(err)
		}
		at(doc, "ingest", "sessions").(map[string]any)["zz"] = map[string]any{"user": "u", "events": []any{map[string]any{"name": "x", "parent": "nothing"}}}
		all := map[string]func(any){}
		spots("", doc, nil, all)
		tried := 0
		for path, set := range all {
			if strings.HasPrefix(path, ".ingest.sessions.zz") {
				continue
			}
			steps := strings.Split(strings.NewReplacer("[", ".", "]", "").Replace(path[1:]), ".")
			var was any = doc
			for _, s := range steps {
				if l, ok := was.([]any); ok {
					var i int
					_, _ = fmt.Sscan(s, &i)
					was = l[i]
				} else {
					was = was.(map[string]any)[s]
				}
			}
			for _, value := range bent {
				set(value)
				status, reply := p.Server.Call("POST", "/admin/v1/environments/"+e.ID+"/seed", p.Key, doc)
				if tried++; status != http.StatusUnprocessableEntity {
					t.Errorf("%s: %.40v answers %d %v", path, value, status, reply)
				}
			}
			set(was)
		}
		if tried < 500 {
			t.Errorf("only %d documents tried", tried)
		}
	})
}
