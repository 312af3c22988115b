package rest_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// at is midnight before the tests' noon, in epoch milliseconds.
const at = int64(1795219200000)

// dashboard captures a small world: an agent's turn with three calls of a tool, one
// of which failed, and a similar failure in another session.
func dashboard(t testing.TB) *wire {
	w := open(t)
	w.ask("POST", "/api/v1/capture-session", fmt.Sprintf(`{"session_id":"%s","user_data":{"user_id":"ada","plan":"pro"},"client_config":"web","timestamp":%d}`, id(0), at))
	rows := []string{
		row(1, fmt.Sprintf(`,"primitive_name":"assistant","args":"refund please","result":"done","latency":900,"timestamp":%d,"model":"m1","input_tokens":10,"output_tokens":5`, at)),
		row(2, fmt.Sprintf(`,"parent_id":"%s","primitive_name":"search","primitive_type":"tool","args":"{\"q\":\"Bestellung\\nÄrger\"}","latency":100,"timestamp":%d,"customer_id":"acme","metadata":{"region":"eu","checkpoint.db":40,"checkpoint.render":90}`, id(1), at+1000)),
		row(3, fmt.Sprintf(`,"parent_id":"%s","primitive_name":"search","primitive_type":"tool","latency":300,"timestamp":%d,"metadata":{"region":"us","checkpoint.db":60}`, id(1), at+2000)),
		row(4, fmt.Sprintf(`,"parent_id":"%s","primitive_name":"search","primitive_type":"tool","latency":200,"timestamp":%d,"success":false,"result":"order 4711 of \"acme\" not found"`, id(2), at+3000)),
		strings.Replace(row(5, fmt.Sprintf(`,"primitive_name":"search","primitive_type":"tool","timestamp":%d,"user_id":"bob","success":false,"result":"{\"error\":{\"message\":\"order 12 of \\\"x\\\" not found\"}}"`, at+90000000)), id(0), id(9), 1),
	}
	if rec := w.ask("POST", "/api/v1/capture-events", `{"events":[`+strings.Join(rows, ",")+`]}`); !strings.Contains(rec.Body.String(), `"accepted":5`) {
		t.Fatal(rec.Body)
	}
	return w
}

// get returns the reply to a GET, decoded from JSON.
func (w *wire) get(t *testing.T, path string) map[string]any {
	t.Helper()
	rec := w.ask("GET", "/api/v1"+path, "")
	var out map[string]any
	if err := json.Unmarshal(rec.Body.Bytes(), &out); err != nil || rec.Code != 200 {
		t.Fatalf("%s: %d %.300s %v", path, rec.Code, rec.Body, err)
	}
	return out
}

func TestReadingRoutes(t *testing.T) {
	w := dashboard(t)
	day := fmt.Sprintf("from=%d&to=%d", at, at+86400000)
	for _, c := range []struct{ path, want string }{
		{"/events/" + id(2), `"customer_id":"acme"`},
		{"/events/" + strings.ToUpper(id(2)), `"region":"eu"`},
		{"/events?q=refund", `"event_id":"` + id(1)},
		{"/events?q=bestellung+%C3%A4rger", `"event_id":"` + id(2)},
		{"/events?metadata.region=us", `"event_id":"` + id(3)},
		{"/events?min_latency=300&type=tool", `"event_id":"` + id(3)},
		{"/events?view=summary&tool=search", `"args_bytes":`},
		{"/sessions?q=refund", `"cost":0`},
		{"/sessions/" + id(0) + "?errors=true", `"matches":true,"children":[]`},
		{"/sessions/" + id(0) + "/tree", `"child_count":2}],"next_cursor":""}`},
		{"/sessions/" + id(0) + "/tree?parent=" + id(1), `"child_count":1}`},
		{"/tools", `{"tools":[{"tool":"search","count":4,"errors":2,"error_rate":0.5,"p50":`},
		{"/agents", `{"agents":[{"agent":"assistant","count":1,"errors":0,"error_rate":0,`},
		{"/models", `{"models":[{"model":"m1","count":1,`},
		{"/customers", `{"customers":[{"customer_id":"acme","count":1,`},
		{"/timeseries?interval=day&fill=zero&" + day, `{"points":[{"time":1795219200000,"count":4,`},
		{"/timeseries?interval=day&group_by=tool", `{"groups":[{"key":"search","points":[{"time":1795219200000,"count":3,`},
		{"/timeseries?interval=day&group_by=trait.plan&top=1", `{"key":"pro","points":`},
		{"/timeseries?interval=week&tz=Europe%2FBerlin", `{"points":[{"time":1794783600000,"count":5,`},
		{"/tools/search/timeline", `"histogram":[{"le":100,"count":1},{"le":200,"count":1},{"le":500,"count":1}],"checkpoints":[{"name":"db","count":2,`},
		{"/tools/search/timeline", `"share":0.1667},{"name":"render","count":1,`},
		{"/tools/search/timeline", `"samples":["` + id(3) + `","` + id(4) + `","` + id(5) + `"]`},
		{"/errors", `"message":"order \u003cn\u003e of \"…\" not found","tool":"search","count":2,"sessions":2,`},
		{"/overview?" + day, `"sessions":1,"events":4,"turns":1,"tool_calls":3,"errors":1,"error_rate":0.25,"input_tokens":10,"output_tokens":5,"users":1,"customers":1,`},
		{"/sessions/" + id(0) + "?view=summary", `"checkpoints":[{"name":"db","offset_ms":40},{"name":"render","offset_ms":90}],"args_bytes":26,`},
		{"/events?view=summary&metadata.region=eu", `"checkpoints":[{"name":"db","offset_ms":40},{"name":"render","offset_ms":90}],"args_bytes":26,`},
		{"/sessions?find=" + id(0)[:8], `{"sessions":[{"session_id":"`},
		{"/sessions?find=AD", `{"sessions":[{"session_id":"` + id(0)},
		{"/sessions?find=%25", `{"sessions":[],`},
		{"/users?find=BO", `"users":[{"user_id":"bob"`},
		{"/users?find=_", `"users":[]`},
		{"/users?sums=true&find=ada", `"sessions":1,"events":4,"errors":1,"input_tokens":10,"output_tokens":5}`},
		{"/users?sums=true&find=bob", `"sessions":0,"events":1,"errors":1,"input_tokens":0,"output_tokens":0}`},
		{"/users?sums=true&tool=search&user_id=bob", `"sessions":1,"events":1,"errors":1,`},
		{"/facets", `{"name":"trait.plan","values":[{"value":"pro","count":4}]}`},
		{"/facets?name=model&q=M", `{"facets":[{"name":"model","values":[{"value":"m1","count":1}]}]}`},
	} {
		rec := w.ask("GET", "/api/v1"+c.path, "")
		if rec.Code != 200 || !strings.Contains(rec.Body.String(), c.want) {
			t.Errorf("%s: %d %s\nwant %s", c.path, rec.Code, rec.Body, c.want)
		}
	}
	for path, n := range map[string]int{"/events?q=refund&q=nothing": 1, "/events?q=nothing": 0, "/events?success=false": 2, "/events?success=true&success=false": 5,
		"/events?client_config=web": 4, "/events?trait.plan=pro": 4, "/events?trait.plan=pro&user_id=bob": 0, "/events?user_id=bob": 1,
		"/events?tool=search&name=assistant": 0, "/events?session_id=" + id(9): 1, "/events?metadata.region=us&metadata.region=eu": 2, "/events?errors=true": 2, "/events?min_latency=300&min_latency=": 2} {
		if got := len(w.get(t, path)["events"].([]any)); got != n {
			t.Errorf("%s: %d events, want %d", path, got, n)
		}
	}
}

// A search finds a failed event by the error in its metadata, even if the event has a
// result.
func TestErrorsInMetadataAreFound(t *testing.T) {
	w := dashboard(t)
	failed := row(6, fmt.Sprintf(`,"primitive_name":"summarize","primitive_type":"tool","timestamp":%d,"success":false,"result":"half an answer","metadata":{"error":"quota exceeded for 4711"}`, at))
	if rec := w.ask("POST", "/api/v1/capture-event", failed); rec.Code != 200 {
		t.Fatal(rec.Body)
	}
	for path, want := range map[string]string{"/events?q=quota+exceeded": id(6), "/events?q=half+quota": id(6), "/errors?tool=summarize": `quota exceeded for \u003cn\u003e`} {
		if rec := w.ask("GET", "/api/v1"+path, ""); !strings.Contains(rec.Body.String(), want) {
			t.Errorf("%s: %s", path, rec.Body)
		}
	}
}

func TestExportHoldsEveryEvent(t *testing.T) {
	w := dashboard(t)
	rec := w.ask("GET", "/api/v1/export", "")
	if lines := strings.Split(strings.TrimSpace(rec.Body.String()), "\n"); len(lines) != 5 || !json.Valid([]byte(lines[4])) {
		t.Errorf("%d lines: %s", len(lines), rec.Body)
	}
	rec = w.ask("GET", "/api/v1/export?format=csv&errors=true", "")
	rows, err := csv.NewReader(rec.Body).ReadAll()
	if err != nil || len(rows) != 3 || rows[0][0] != "event_id" || rows[1][0] != id(5) || rec.Header().Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Errorf("%v %v", rows, err)
	}
}

// manyParameters returns a query with one parameter in a format for each number from
// 0 on.
func manyParameters(form string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, form, i)
	}
	return b.String()
}

func manyWords(n int) string { return manyParameters("w%d+", n) }

// Every reading route names an unknown or invalid parameter in its error.
func TestUnknownParametersAreRefused(t *testing.T) {
	w := dashboard(t)
	for _, path := range []string{"/sessions", "/sessions/" + id(0), "/sessions/" + id(0) + "/tree", "/events", "/events/" + id(1), "/tools", "/agents", "/models",
		"/customers", "/timeseries", "/overview", "/tools/search/timeline", "/errors", "/facets", "/export", "/traits", "/users"} {
		for _, bad := range []string{"group_bi=tool", "trait.=x", "metadata.=x", "from=1&from=2", "min_latency=-1", "success=maybe", "score.x.min=high"} {
			rec := w.ask("GET", "/api/v1"+path+"?"+bad, "")
			name, _, _ := strings.Cut(bad, "=")
			if rec.Code != 400 || !strings.Contains(rec.Body.String(), `"field":"`+name+`"`) {
				t.Errorf("%s?%s: %d %s", path, bad, rec.Code, rec.Body)
			}
		}
	}
	for _, c := range [][3]string{{"GET", "/scores"}, {"GET", "/prices"}, {"GET", "/retention"}, {"GET", "/live"}, {"GET", "/projects"}, {"GET", "/api-keys"},
		{"PUT", "/prices", `{"prices":[]}`}, {"PUT", "/retention", `{"days":90}`}, {"POST", "/scores", `{"session_id":"` + id(0) + `","name":"a","value":1}`},
		{"DELETE", "/sessions/" + id(0)}, {"DELETE", "/users/ada"}} {
		if rec := w.ask(c[0], "/api/v1"+c[1]+"?group_bi=tool", c[2]); rec.Code != 400 || !strings.Contains(rec.Body.String(), `"field":"group_bi"`) {
			t.Errorf("%s %s: %d %s", c[0], c[1], rec.Code, rec.Body)
		}
	}
	for body, field := range map[string]string{`{}`: "prices", `{"prices":null}`: "prices", `{"price":[]}`: "price", `{"prices":[{"model":"m","input_per_milion":2,"output_per_million":1}]}`: "prices[0].input_per_milion"} {
		if rec := w.ask("PUT", "/api/v1/prices", body); rec.Code != 400 || !strings.Contains(rec.Body.String(), `"field":"`+field+`"`) {
			t.Errorf("prices %s: %d %s", body, rec.Code, rec.Body)
		}
	}
	for _, bad := range []string{"/timeseries?interval=minute&from=1&to=1795219200000&fill=zero", "/timeseries?tz=Mars", "/timeseries?top=0", "/timeseries?group_by=x",
		"/timeseries?fill=one", "/events?view=x", "/export?format=xml", "/events?q=%21", "/events?" + strings.Repeat("q=a&", 101),
		"/events?limit=1&limit=2", "/timeseries?group_by=tool&group_by=model", "/timeseries?interval=day&interval=hour", "/events?cursor=&cursor=", "/events?view=full&view=summary",
		"/events?q=" + manyWords(101), "/events?" + manyParameters("metadata.a%d=x&", 101), "/events?" + manyParameters("metadata.a%d=x&metadata.a%[1]d=y&", 60),
		"/events?" + manyParameters("trait.a%d=x&", 101), "/events?" + strings.Repeat(manyParameters("trait.a%d=x&", 50), 21)} {
		if rec := w.ask("GET", "/api/v1"+bad, ""); rec.Code != 400 {
			t.Errorf("%s: %d %.200s", bad, rec.Code, rec.Body)
		}
	}
}

func FuzzFilters(f *testing.F) {
	for _, q := range []string{"q=a&from=1", "trait.x=1&score.a.min=2", "metadata.a.b=c&success=true", "min_latency=9&limit=1", "tz=UTC&interval=week&group_by=trait.a&fill=zero"} {
		f.Add(q)
	}
	w := dashboard(f)
	f.Fuzz(func(t *testing.T, query string) {
		if _, err := url.ParseQuery(query); err != nil {
			return
		}
		for _, path := range []string{"/events", "/timeseries", "/overview", "/facets"} {
			if rec := w.ask("GET", "/api/v1"+path+"?"+(&url.URL{RawQuery: query}).Query().Encode(), ""); rec.Code >= 500 || !json.Valid(rec.Body.Bytes()) {
				t.Errorf("%s?%s: %d %.200s", path, query, rec.Code, rec.Body)
			}
		}
	})
}

// A summary omits long metadata, but not the checkpoints that it contains.
func TestASummaryKeepsCheckpoints(t *testing.T) {
	w := open(t)
	long := strings.Repeat("x", 300)
	w.ask("POST", "/api/v1/capture-event", row(1, `,"latency":100,"metadata":{"note":"`+long+`","checkpoint.db":40}`))
	for _, path := range []string{"/events?view=summary", "/events/" + id(1) + "?view=summary", "/sessions/" + id(0) + "?view=summary"} {
		rec := w.ask("GET", "/api/v1"+path, "")
		if b := rec.Body.String(); !strings.Contains(b, `"checkpoints":[{"name":"db","offset_ms":40}]`) || strings.Contains(b, long) {
			t.Errorf("%s: %s", path, b)
		}
	}
}
