package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"understudy/internal/platform/budget"
)

// largeCompanies makes n companies of 2 MiB each, and returns
// their ids and the names of their long properties.
func (w *world) largeCompanies(n int) (ids, properties []string) {
	w.t.Helper()
	body := `{"name":"Large"`
	for i := range 32 {
		name := fmt.Sprintf("text_%02d", i)
		w.do(201, "POST", "/crm/v3/properties/companies", `{"name":"`+name+`","label":"Text","type":"string","fieldType":"textarea","groupName":"companyinformation"}`)
		properties = append(properties, name)
		body += `,"` + name + `":"` + strings.Repeat("x", 65_536) + `"`
	}
	for range n {
		ids = append(ids, w.create("companies", body+"}"))
	}
	return ids, properties
}

// pages follows a list to its end and returns the ids and how many replies it took.
func (w *world) pages(get func(after string) map[string]any) (ids []string, n int) {
	w.t.Helper()
	for after := ""; ; n++ {
		reply := get(after)
		for _, r := range reply["results"].([]any) {
			ids = append(ids, r.(map[string]any)["id"].(string))
		}
		paging, _ := reply["paging"].(map[string]any)
		if paging == nil || n > 100 {
			return ids, n + 1
		}
		after = paging["next"].(map[string]any)["after"].(string)
	}
}

// Large records end a page by their bytes, with a cursor to what follows.
func TestLargeRecordsEndAPage(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		ids, properties := w.largeCompanies(18)
		w.check = func(method, path string, status int, body []byte) {
			if len(body) > budget.MaxReply {
				t.Errorf("%s %s: %d bytes", method, path, len(body))
			}
		}
		want := strings.Join(ids, " ")
		names := strings.Join(properties, ",")
		list := func(query string) func(after string) map[string]any {
			return func(after string) map[string]any {
				return w.do(http.StatusOK, "GET", "/crm/v3/objects/companies?limit=50&properties="+names+query+"&after="+after, "")
			}
		}
		search := func(body string) func(after string) map[string]any {
			return func(after string) map[string]any {
				reply := w.do(http.StatusOK, "POST", "/crm/v3/objects/companies/search", `{"limit":100,"properties":["`+strings.Join(properties, `","`)+`"],"after":"`+after+`"`+body+`}`)
				if fmt.Sprint(reply["total"]) != fmt.Sprint(len(ids)) {
					t.Errorf("%s: a total of %v", body, reply["total"])
				}
				return reply
			}
		}
		for name, get := range map[string]func(string) map[string]any{
			"list":              list(""),
			"search of all":     search(""),
			"search by a value": search(`,"filterGroups":[{"filters":[{"propertyName":"name","operator":"EQ","value":"Large"}]}]`),
			"search, sorted":    search(`,"sorts":["hs_object_id"]`),
			"search by words":   search(`,"query":"large"`),
		} {
			if got, n := w.pages(get); strings.Join(got, " ") != want || n < 3 {
				t.Errorf("%s: %v in %d replies, want %s", name, got, n, want)
			}
		}

		// A batch of them is refused before it is written, and a smaller one is not.
		update := func(ids []string, city string) string {
			var inputs []string
			for _, id := range ids {
				inputs = append(inputs, `{"id":"`+id+`","properties":{"city":"`+city+`"}}`)
			}
			return `{"inputs":[` + strings.Join(inputs, ",") + `]}`
		}
		w.do(http.StatusBadRequest, "POST", "/crm/v3/objects/companies/batch/update", update(ids, "Berlin"))
		if got := w.values("companies", ids[0], "city"); got != "-" {
			t.Errorf("refused, and the city is %s", got)
		}
		w.do(http.StatusOK, "POST", "/crm/v3/objects/companies/batch/update", update(ids[:10], "Berlin"))

		// What they were counts where it is asked for.
		var next string
		for _, name := range properties {
			next += `,"` + name + `":"y"`
		}
		for _, id := range ids {
			w.set("companies", id, "{"+next[1:]+"}")
		}
		if got, n := w.pages(list("&propertiesWithHistory=" + names)); strings.Join(got, " ") != want || n < 3 {
			t.Errorf("histories: %v in %d replies", got, n)
		}
	})
}
