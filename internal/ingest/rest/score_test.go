package rest_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// holds reads a path and checks that the reply contains all the texts.
func holds(t *testing.T, w *wire, path string, texts ...string) {
	t.Helper()
	rec := w.ask("GET", path, "")
	for _, text := range texts {
		if rec.Code != 200 || !strings.Contains(rec.Body.String(), text) {
			t.Errorf("%s: %d without %s\n%s", path, rec.Code, text, rec.Body)
		}
	}
}

func TestPricesMakeCosts(t *testing.T) {
	w := open(t)
	w.ask("POST", "/api/v1/capture-events", `{"events":[`+row(1, `,"primitive_name":"a","primitive_type":"tool","model":"m-2024-07-18","input_tokens":1000,"output_tokens":100,"timestamp":1763683200000`)+`]}`)
	holds(t, w, "/api/v1/prices", `{"prices":[]}`)
	for body, want := range map[string]string{
		`{"prices":[{"model":"m","input_per_million":-1}]}`:                          "input_per_million",
		`{"prices":[{"input_per_million":1}]}`:                                       "model is required",
		`{"prices":[{"model":"m","currency":"USD"},{"model":"n","currency":"EUR"}]}`: "currency",
		`{"prices":[{"model":"m"},{"model":"m"}]}`:                                   "twice",
	} {
		if rec := w.ask("PUT", "/api/v1/prices", body); rec.Code != 400 || !strings.Contains(rec.Body.String(), want) {
			t.Errorf("%s: %d %s", body, rec.Code, rec.Body)
		}
	}
	if rec := w.ask("PUT", "/api/v1/prices", `{"prices":[{"model":"m","input_per_million":2,"output_per_million":10,"currency":"USD"}]}`); rec.Code != 200 {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	holds(t, w, "/api/v1/sessions", `"cost":0.003`)
	holds(t, w, "/api/v1/sessions/"+id(0), `"cost":0.003`)
	holds(t, w, "/api/v1/tools", `"cost":0.003`)
	holds(t, w, "/api/v1/models", `"cost":0.003`)
	holds(t, w, "/api/v1/timeseries", `"cost":0.003`)
	w.ask("PUT", "/api/v1/prices", `{"prices":[]}`)
	holds(t, w, "/api/v1/tools", `"cost":0}`)
}

func TestScores(t *testing.T) {
	w := open(t)
	w.ask("POST", "/api/v1/capture-events", `{"events":[`+row(1, `,"timestamp":1763683200000`)+`,`+row(2, `,"timestamp":1763683200001`)+`]}`)
	for body, want := range map[string]int{
		`{"session_id":"` + id(0) + `","name":"quality","value":0.5,"comment":"so so"}`:  201,
		`{"event_id":"` + id(1) + `","name":"quality","value":1}`:                        201,
		`{"event_id":"` + id(2) + `","name":"label","value":"good"}`:                     201,
		`{"event_id":"` + id(3) + `","name":"quality","value":1}`:                        404,
		`{"session_id":"` + id(9) + `","name":"quality","value":1}`:                      404,
		`{"session_id":"` + id(0) + `","event_id":"` + id(1) + `","name":"q","value":1}`: 400,
		`{"session_id":"` + id(0) + `","name":"q","value":null}`:                         400,
		`{"session_id":"` + id(0) + `","name":"q","value":[1]}`:                          400,
		`{"session_id":"` + id(0) + `","value":1}`:                                       400,
		`{"session_id":"` + id(0) + `","name":"quality","value":0.5,"coment":"so so"}`:   400,
		`{}`: 400,
	} {
		if rec := w.ask("POST", "/api/v1/scores", body); rec.Code != want {
			t.Errorf("%s: %d %s", body, rec.Code, rec.Body)
		}
	}
	var list struct {
		Scores     []map[string]any `json:"scores"`
		NextCursor string           `json:"next_cursor"`
	}
	if err := json.Unmarshal(w.ask("GET", "/api/v1/scores?limit=2", "").Body.Bytes(), &list); err != nil || len(list.Scores) != 2 || list.NextCursor == "" {
		t.Errorf("%v %+v", err, list)
	}
	holds(t, w, "/api/v1/scores?limit=2&cursor="+list.NextCursor, `"next_cursor":""`)
	holds(t, w, "/api/v1/sessions", `"scores":[{"name":"quality","value":0.5,"comment":"so so"}]`)
	holds(t, w, "/api/v1/sessions/"+id(0), `"scores":[{"name":"quality","value":1,"comment":null}]`, `"value":"good"`, `"comment":"so so"`)
	holds(t, w, "/api/v1/events/"+id(1), `"scores":[{"name":"quality","value":1,"comment":null}]`)
	holds(t, w, "/api/v1/timeseries", `"scores":{"quality":0.75}`)
	for filter, want := range map[string]int{"score.label=good": 1, "score.label=bad": 0, "score.quality.min=0.75": 1, "score.quality=1.0": 1,
		"score.quality.max=0.75": 2 /* all of the session */, "score.none.min=0": 0} {
		rec := w.ask("GET", "/api/v1/events?"+filter, "")
		if got := strings.Count(rec.Body.String(), `"event_id"`); rec.Code != 200 || got != want {
			t.Errorf("%s: %d, %d events, want %d\n%s", filter, rec.Code, got, want, rec.Body)
		}
	}
	if rec := w.ask("GET", "/api/v1/scores?q=1", ""); rec.Code != 400 {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}

// Scores are listed in pages that end early when they are long, by any of several
// sessions, whose ids may be in upper case.
func TestListsOfScores(t *testing.T) {
	w := open(t)
	w.ask("POST", "/api/v1/capture-events", `{"events":[`+row(1, ``)+`,`+row(2, ``)+`]}`)
	comment := strings.Repeat("<", 8<<10)
	for range 400 {
		if rec := w.ask("POST", "/api/v1/scores", `{"session_id":"`+id(0)+`","name":"q","value":1,"comment":"`+comment+`"}`); rec.Code != 201 {
			t.Fatalf("%d %s", rec.Code, rec.Body)
		}
	}
	if rec := w.ask("POST", "/api/v1/scores", `{"event_id":"`+id(1)+`","name":"last","value":2}`); rec.Code != 201 {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	n, pages := 0, 0
	for cursor := ""; ; pages++ {
		var list struct {
			Scores     []map[string]any `json:"scores"`
			NextCursor string           `json:"next_cursor"`
		}
		rec := w.ask("GET", "/api/v1/scores?limit=1000&cursor="+cursor, "")
		if err := json.Unmarshal(rec.Body.Bytes(), &list); err != nil || rec.Code != 200 {
			t.Fatalf("%d %v %.200s", rec.Code, err, rec.Body)
		}
		n += len(list.Scores)
		if cursor = list.NextCursor; cursor == "" {
			break
		}
	}
	if n != 401 || pages == 0 {
		t.Errorf("%d scores after %d pages", n, pages)
	}
	for query, want := range map[string]int{
		"session_id=" + strings.ToUpper(id(0)) + "&name=last":         1,
		"session_id=" + id(9) + "&session_id=" + id(0) + "&name=last": 1,
		"name=other&name=last":                                           1,
		"event_id=" + id(2) + "&event_id=" + id(1):                       1,
		"event_id=" + id(2) + "&session_id=" + id(0) + "&name=&cursor=&": 0,
	} {
		rec := w.ask("GET", "/api/v1/scores?"+query, "")
		if got := strings.Count(rec.Body.String(), `"created_at"`); rec.Code != 200 || got != want {
			t.Errorf("%s: %d, %d scores, want %d", query, rec.Code, got, want)
		}
	}
	// A session shows its latest scores, as many as there is room for.
	for _, path := range []string{"/api/v1/sessions", "/api/v1/sessions/" + id(0)} {
		rec := w.ask("GET", path, "")
		if got := strings.Count(rec.Body.String(), `"name":"q"`); rec.Code != 200 || got != 100 {
			t.Errorf("%s: %d, %d scores, want 100", path, rec.Code, got)
		}
	}
	for path, want := range map[string]string{
		"/api/v1/export":           `"scores":[{"name":"last","value":2,"comment":null}]`,
		"/api/v1/events/" + id(1):  `"scores":[{"name":"last","value":2,"comment":null}]`,
		"/api/v1/events?limit=100": `"scores":[{"name":"last","value":2,"comment":null}]`,
	} {
		holds(t, w, path, want)
	}
}
