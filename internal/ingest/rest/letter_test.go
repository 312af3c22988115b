package rest_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// A summary of a session leaves out what is long, with its length.
func TestSummariesOfSessions(t *testing.T) {
	w := open(t)
	long := strings.Repeat("x", 300)
	w.ask("POST", "/api/v1/capture-session", `{"session_id":"`+id(0)+`","user_data":{"user_id":"u","plan":"pro"},"metadata":{"note":"`+long+`"},"tools":["`+long+`"]}`)
	w.ask("POST", "/api/v1/scores", `{"session_id":"`+id(0)+`","name":"a","value":1,"comment":"`+long+`"}`)
	rec := w.ask("GET", "/api/v1/sessions?view=summary", "")
	if b := rec.Body.String(); strings.Contains(b, long) || !strings.Contains(b, `"traits":{"plan":"pro"},"metadata":{},"attributes":{}`) ||
		!strings.Contains(b, `"traits_bytes":14,"metadata_bytes":311,"attributes_bytes":314,`) || !strings.Contains(b, `"comment":"`+long[:200]+`"`) {
		t.Errorf("%d %s", rec.Code, b)
	}
	holds(t, w, "/api/v1/sessions?view=full", `"metadata":{"note":"`+long+`"}`)
	if b := w.ask("GET", "/api/v1/sessions", "").Body.String(); strings.Contains(b, "_bytes") {
		t.Errorf("a whole session: %s", b)
	}
	w.ask("POST", "/api/v1/capture-event", row(1, ``))
	w.ask("POST", "/api/v1/scores", `{"event_id":"`+id(1)+`","name":"a","value":1,"comment":"`+long+`"}`)
	for _, path := range []string{"/events", "/events/" + id(1), "/sessions/" + id(0)} {
		holds(t, w, "/api/v1"+path, `"comment":"`+long+`"`)
		holds(t, w, "/api/v1"+path+"?view=summary", `"comment":"`+long[:200]+`"`)
	}
	if rec := w.ask("GET", "/api/v1/sessions?view=x", ""); rec.Code != 400 || !strings.Contains(rec.Body.String(), `"field":"view"`) {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}

// The names and the texts of facets are alternatives, and a text need not be a word.
func TestFacetsByNamesAndTexts(t *testing.T) {
	w := open(t)
	w.ask("POST", "/api/v1/capture-events", `{"events":[`+row(1, `,"model":"gpt-5","customer_id":"a@b.c"`)+`,`+row(2, `,"model":"o3"`)+`]}`)
	for query, want := range map[string]string{
		"name=model&name=customer_id": `{"facets":[{"name":"model","values":[{"value":"gpt-5","count":1},{"value":"o3","count":1}]},{"name":"customer_id","values":[{"value":"a@b.c","count":1}]}]}`,
		"name=model&q=-":              `{"facets":[{"name":"model","values":[{"value":"gpt-5","count":1}]}]}`,
		"q=@":                         `{"facets":[{"name":"customer_id","values":[{"value":"a@b.c","count":1}]}]}`,
		"name=model&q=O3&q=GPT":       `{"facets":[{"name":"model","values":[{"value":"gpt-5","count":1},{"value":"o3","count":1}]}]}`,
		"name=model&q=&name=":         `{"facets":[{"name":"model","values":[{"value":"gpt-5","count":1},{"value":"o3","count":1}]}]}`,
	} {
		if rec := w.ask("GET", "/api/v1/facets?"+query, ""); rec.Code != 200 || strings.TrimSpace(rec.Body.String()) != want {
			t.Errorf("%s: %d %s\nwant %s", query, rec.Code, rec.Body, want)
		}
	}
}

// Ids of the published clients can be URLs and paths: what has such an id can be read
// and erased.
func TestIDsThatAreNoCleanPath(t *testing.T) {
	w := open(t)
	for _, id := range []string{"https://example.com/c/1", "a//b", "./a", "a/../b", "..", "a/./b"} {
		escaped := strings.ReplaceAll(url.PathEscape(id), ".", "%2E")
		lenient := []string{"x-api-key", "", "X-Org-Id", w.key}
		if rec := w.ask("POST", "/api/v1/capture-session", fmt.Sprintf(`{"session_id":"%s","user_data":{"userId":"%[1]s"}}`, id), lenient...); rec.Code != 200 {
			t.Fatalf("%d %s", rec.Code, rec.Body)
		}
		if rec := w.ask("POST", "/api/v1/capture-event", fmt.Sprintf(`{"session_id":"%s","event_id":"%[1]s","primitive_name":"%[1]s"}`, id), lenient...); rec.Code != 200 {
			t.Fatalf("%d %s", rec.Code, rec.Body)
		}
		for path, want := range map[string]string{"/sessions/" + escaped: `"event_count":1`, "/sessions/" + escaped + "/tree": `"child_count":0`,
			"/events/" + escaped: `"user_id":"` + id, "/tools/" + escaped + "/timeline": `"count":1`} {
			holds(t, w, "/api/v1"+path, want)
		}
		for _, path := range []string{"/sessions/", "/users/"} {
			if rec := w.ask("DELETE", "/api/v1"+path+escaped, ""); rec.Code != 202 {
				t.Errorf("%s%s: %d %s", path, escaped, rec.Code, rec.Body)
			}
		}
	}
	for _, path := range []string{"/api/v1//events", "/api/v1/./events", "/api/v1/../v1/events"} { // of this server's own addresses none is unclean
		if rec := w.ask("GET", path, ""); rec.Code != 404 {
			t.Errorf("%s: %d", path, rec.Code)
		}
	}
}

// An optional field with an empty text is absent, whatever its type.
func TestEmptyTextsAreAbsent(t *testing.T) {
	w := open(t)
	if rec := w.ask("POST", "/api/v1/capture-event", row(1, `,"latency":"","success":"","timestamp":"","metadata":"","input_tokens":"","output_tokens":"","parent_id":"","model":"","args":""`)); rec.Code != 200 {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	holds(t, w, "/api/v1/events", `"success":true,"latency":null`, `"metadata":{}`, `"input_tokens":null`)
	if rec := w.ask("POST", "/api/v1/capture-session", `{"session_id":"`+id(0)+`","user_data":{"user_id":"u"},"timestamp":"","metadata":"","client_config":""}`); rec.Code != 200 {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	for _, bad := range []string{row(2, `,"latency":" "`), strings.Replace(row(2, ``), id(2), "", 1)} {
		if rec := w.ask("POST", "/api/v1/capture-event", bad); rec.Code != 400 {
			t.Errorf("%s: %d %s", bad, rec.Code, rec.Body)
		}
	}
}

// An event that retention would remove at once is refused, like any other invalid row.
func TestEventsOlderThanTheRetentionAreRefused(t *testing.T) {
	w := open(t)
	old := fmt.Sprintf(`,"timestamp":%d`, w.clock.Now().UnixMilli()-31*86400000)
	young := fmt.Sprintf(`,"timestamp":%d`, w.clock.Now().UnixMilli()-29*86400000)
	if rec := w.ask("POST", "/api/v1/capture-event", row(1, old)); rec.Code != 200 {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	if rec := w.ask("PUT", "/api/v1/retention", `{"days":30}`); rec.Code != 200 {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	const reason = "timestamp is older than the retention of 30 days"
	if rec := w.ask("POST", "/api/v1/capture-event", row(2, old)); rec.Code != 400 || !strings.Contains(rec.Body.String(), `"error":"`+reason+`","code":"validation_failed"`) {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	rec := w.ask("POST", "/api/v1/capture-events", `{"events":[`+row(3, old)+`,`+row(4, young)+`,`+row(5, ``)+`]}`)
	if want := `{"accepted":2,"rejected":1,"results":[{"index":0,"event_id":"` + id(3) + `","status":"rejected","reason":"` + reason + `"},`; rec.Code != 202 || !strings.HasPrefix(rec.Body.String(), want) {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	w.ask("PUT", "/api/v1/retention", `{"days":null}`)
	if rec := w.ask("POST", "/api/v1/capture-event", row(6, old)); rec.Code != 200 {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}

// The bounds of a period are those of its moments, not of the milliseconds or of the
// numbers in which they are kept.
func TestBoundsOfPeriods(t *testing.T) {
	w := dashboard(t)
	for query, want := range map[string]int{
		"to=0": 0, "to=1970-01-01T00:00:00Z": 0, "to=1960-01-01T00:00:00Z": 0, "from=0": 5,
		fmt.Sprintf("from=%d&to=%d", at+1000, at+3000): 2,
		"from=2026-11-21T00:00:01Z":                    4, "from=2026-11-21T00:00:01.0001Z": 3, "to=2026-11-21T00:00:01Z": 1, "to=2026-11-21T00:00:01.0001Z": 2,
		"from=2026-11-21T01:00:01%2B01:00": 4,
	} {
		if got := len(w.get(t, "/events?"+query)["events"].([]any)); got != want {
			t.Errorf("%s: %d events, want %d", query, got, want)
		}
	}
}

// A filter compares the beginning of a long trait, like the index.
func TestLongTraitsAreFound(t *testing.T) {
	w := open(t)
	long := strings.Repeat("é", 150)
	w.ask("POST", "/api/v1/capture-session", `{"session_id":"`+id(0)+`","user_data":{"user_id":"u","bio":"`+long+`"}}`)
	w.ask("POST", "/api/v1/capture-event", row(1, ``))
	for _, value := range []string{long, long[:256]} {
		if got := len(w.get(t, "/events?trait.bio="+url.QueryEscape(value))["events"].([]any)); got != 1 {
			t.Errorf("%d bytes: %d events", len(value), got)
		}
	}
}

// Traits of many values are listed in pages, and filtered lists of users with long
// traits too.
func TestPagesOfTraitsAndUsers(t *testing.T) {
	w := open(t)
	value := strings.Repeat("<", 250)
	for user := range 300 {
		var b strings.Builder
		for n := range 60 {
			fmt.Fprintf(&b, `,"t%d_%02d":"%d_%s"`, user%10, n, user, value)
		}
		body := fmt.Sprintf(`{"session_id":"%s","user_data":{"user_id":"u%d","kind":"big","blob":"%s"%s}}`, id(user), user, strings.Repeat("x", 40000), b.String())
		if rec := w.ask("POST", "/api/v1/capture-session", body); rec.Code != 200 {
			t.Fatalf("%d %.300s", rec.Code, rec.Body)
		}
	}
	names, pages := map[string]bool{}, 0
	for cursor := ""; ; pages++ {
		list := w.get(t, "/traits?cursor="+cursor)
		for _, trait := range list["traits"].([]any) {
			name := trait.(map[string]any)["name"].(string)
			if n := len(trait.(map[string]any)["values"].([]any)); names[name] || strings.HasPrefix(name, "t") && n != 30 {
				t.Errorf("%s has %d values, or is there twice", name, n)
			}
			names[name] = true
		}
		if cursor, _ = list["next_cursor"].(string); cursor == "" {
			break
		}
	}
	if len(names) != 602 || pages == 0 {
		t.Errorf("%d traits after %d pages", len(names), pages)
	}
	users, pages := map[string]bool{}, 0
	for cursor := ""; ; pages++ {
		list := w.get(t, "/users?limit=1000&sums=true&trait.kind=big&cursor="+cursor)
		for _, u := range list["users"].([]any) {
			users[u.(map[string]any)["user_id"].(string)] = true
		}
		if cursor, _ = list["next_cursor"].(string); cursor == "" {
			break
		}
	}
	if len(users) != 300 || pages == 0 {
		t.Errorf("%d users after %d pages", len(users), pages)
	}
}

// The result of a row that is not UTF-8 names the row, if its id is.
func TestARowThatIsNotUTF8IsNamed(t *testing.T) {
	w := open(t)
	rec := w.ask("POST", "/api/v1/capture-events", `{"events":[`+row(1, ",\"args\":\"\xff\"")+`,`+strings.Replace(row(2, ``), id(2), "\xff", 1)+`,`+row(3, ``)+`]}`)
	if want := `{"accepted":1,"rejected":2,"results":[{"index":0,"event_id":"` + id(1) + `","status":"rejected","reason":"the event is not valid UTF-8"},{"index":1,"event_id":"","status":"rejected",`; !strings.HasPrefix(rec.Body.String(), want) {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}
