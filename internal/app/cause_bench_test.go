package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"understudy/internal/platform/environment"
)

// BenchmarkCause compares the CPU time of writes with the journal to that
// without, in turns of one process (ROUNDS, 6 unless set). It reports the median
// of the ratios of neighbouring turns.
func BenchmarkCause(b *testing.B) {
	rounds, _ := strconv.Atoi(os.Getenv("ROUNDS"))
	if rounds == 0 {
		rounds = 6
	}
	a, token, channel := benchApp(b)
	ctx := context.Background()
	env, err := a.envs.Open(ctx, environment.Default)
	if err != nil {
		b.Fatal(err)
	}
	all, err := env.Credentials(ctx, func(service string) string { return "http://x/" + service })
	if err != nil {
		b.Fatal(err)
	}
	text, err := json.Marshal(all)
	if err != nil {
		b.Fatal(err)
	}
	var c struct {
		CRM struct {
			Token string `json:"access_token"`
		} `json:"crm"`
		Tracker struct {
			Key string `json:"api_key"`
		} `json:"tracker"`
	}
	if err := json.Unmarshal(text, &c); err != nil {
		b.Fatal(err)
	}
	n := 0
	post := func(path, token, body string) string {
		r, _ := http.NewRequest("POST", "http://x"+path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", token)
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		if w.Code >= 300 || strings.Contains(w.Body.String(), `"errors"`) {
			b.Fatal(w.Code, w.Body.String())
		}
		return w.Body.String()
	}
	reply := post("/tracker/graphql", c.Tracker.Key, `{"query": "mutation { teamCreate(input: {name: \"Support\", key: \"SUP\"}) { team { id } } }"}`)
	_, rest, _ := strings.Cut(reply, `"id":"`)
	team, _, _ := strings.Cut(rest, `"`)
	contacts := func(count int) string {
		inputs := make([]string, count)
		for i := range inputs {
			n++
			inputs[i] = fmt.Sprintf(`{"properties": {"email": "p%d@example.com", "firstname": "Person %d", "lastname": "Example"}}`, n, n)
		}
		return strings.Join(inputs, ",")
	}
	contact := func() (id string) {
		reply := post("/crm/api/crm/v3/objects/contacts", "Bearer "+c.CRM.Token, contacts(1))
		_, rest, _ := strings.Cut(reply, `"id":"`)
		id, _, _ = strings.Cut(rest, `"`)
		return id
	}
	for _, one := range []struct {
		name  string
		count int // in a turn
		do    func()
	}{
		{"chat.postMessage", 3000, func() { send(a, token, "chat.postMessage", "channel="+channel+"&text=hello+there") }},
		{"issueCreate", 1500, func() {
			n++
			post("/tracker/graphql", c.Tracker.Key, fmt.Sprintf(`{"query": "mutation($i: IssueCreateInput!) { issueCreate(input: $i) { success issue { id } } }", "variables": {"i": {"teamId": %q, "title": "Issue %d"}}}`, team, n))
		}},
		{"contact", 1500, func() { contact() }},
		{"batch", 40, func() {
			post("/crm/api/crm/v3/objects/contacts/batch/create", "Bearer "+c.CRM.Token, `{"inputs": [`+contacts(100)+`]}`)
		}},
		{"merge", 400, func() {
			post("/crm/api/crm/v3/objects/contacts/merge", "Bearer "+c.CRM.Token, fmt.Sprintf(`{"primaryObjectId": %q, "objectIdToMerge": %q}`, contact(), contact()))
		}},
	} {
		b.Run(one.name, func(b *testing.B) {
			turn := func(with bool) float64 {
				if env.Observe(); !with {
					env.World.Watch(nil)
				}
				before := cpu()
				for range one.count {
					one.do()
				}
				return cpu() - before
			}
			for b.Loop() {
				turn(true)
				turn(false)
				ratios, off := []float64{}, 0.0
				for i := range rounds {
					var with, without float64
					if i%2 == 0 {
						with, without = turn(true), turn(false)
					} else {
						without, with = turn(false), turn(true)
					}
					ratios, off = append(ratios, with/without), off+without
				}
				slices.Sort(ratios)
				b.ReportMetric(ratios[len(ratios)/2], "ratio")
				b.ReportMetric(off/float64(rounds*one.count)*1e6, "µs-cpu/op")
			}
		})
	}
}

// cpu returns the seconds of CPU time that the process has used.
func cpu() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
