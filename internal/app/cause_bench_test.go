package app

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"understudy/internal/platform/environment"
)

// workload is a kind of write whose processor time is compared.
type workload struct {
	name  string
	count int // of a block, which takes some 40 ms, of batches twice that
	do    func()
}

// workloads returns the writes of three services, and the environment in which they are made.
func workloads(b *testing.B) (*environment.Environment, []workload) {
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
	return env, []workload{
		{"chat.postMessage", 400, func() { send(a, token, "chat.postMessage", "channel="+channel+"&text=hello+there") }},
		{"issueCreate", 150, func() {
			n++
			post("/tracker/graphql", c.Tracker.Key, fmt.Sprintf(`{"query": "mutation($i: IssueCreateInput!) { issueCreate(input: $i) { success issue { id } } }", "variables": {"i": {"teamId": %q, "title": "Issue %d"}}}`, team, n))
		}},
		{"contact", 150, func() { contact() }},
		{"batch", 16, func() {
			post("/crm/api/crm/v3/objects/contacts/batch/create", "Bearer "+c.CRM.Token, `{"inputs": [`+contacts(100)+`]}`)
		}},
		{"merge", 40, func() {
			post("/crm/api/crm/v3/objects/contacts/merge", "Bearer "+c.CRM.Token, fmt.Sprintf(`{"primaryObjectId": %q, "objectIdToMerge": %q}`, contact(), contact()))
		}},
	}
}

// BenchmarkCause compares the processor time of writes with the journal to that
// without.
func BenchmarkCause(b *testing.B) {
	env, all := workloads(b)
	for _, one := range all {
		b.Run(one.name, func(b *testing.B) {
			compareCPU(b, env, one, func(with bool) {
				if env.Observe(); !with {
					env.World.Watch(nil)
				}
			})
		})
	}
}

// BenchmarkFaults compares the processor time of posts under 20 rules that are
// off, and under 20 of which none fits, to that without rules.
func BenchmarkFaults(b *testing.B) {
	env, all := workloads(b)
	for name, enabled := range map[string]bool{"off": false, "on": true} {
		var rules []map[string]any
		for i := range 20 {
			rules = append(rules, map[string]any{"id": fmt.Sprint("rule-", i), "on": "request", "enabled": enabled, "do": map[string]any{"drop": "after"},
				"match": map[string]any{"operation": "messaging.chat.*", "by": "agent", "body": map[string]any{"/text": fmt.Sprint("never ", i)}}})
		}
		text, err := json.Marshal(rules)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			compareCPU(b, env, all[0], func(with bool) {
				stored := ""
				if with {
					stored = string(text)
				}
				if err := env.Faults.Load(stored, []string{"messaging"}); err != nil || len(env.Faults.List()) != len(rules) && with {
					b.Fatal(err)
				}
			})
		})
	}
}

// compareCPU compares the processor time of a workload in one of two states of an
// environment to that in the other: in blocks with, without, without, with, so
// that what grows meanwhile counts on both sides. A block ends when the work in
// the background that it has left is done. It reports the median of the ratios of
// all such fours (FOURS, 80 unless set), and between which two values the ratio
// lies with 95 % certainty.
//
// No garbage is collected within a block: whether one of them meets a whole
// collection would decide more than what is compared. What the collector has to
// do follows from the memory that is allocated, whose ratio is reported beside.
func compareCPU(b *testing.B, env *environment.Environment, one workload, set func(with bool)) {
	fours, _ := strconv.Atoi(os.Getenv("FOURS"))
	if fours == 0 {
		fours = 80
	}
	block := func(with bool) (spent, allocated float64) {
		set(with)
		for range one.count / 4 { // what the change of state has dropped, such as prepared statements, comes back
			one.do()
		}
		if err := env.Flush(context.Background()); err != nil {
			b.Fatal(err)
		}
		runtime.GC()
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		spent, allocated = cpu(), heap()
		for range one.count {
			one.do()
		}
		if err := env.Flush(context.Background()); err != nil {
			b.Fatal(err)
		}
		return cpu() - spent, heap() - allocated
	}
	for b.Loop() {
		for range 4 {
			block(true)
			block(false)
		}
		var ratios []float64
		var memory [2]float64 // without, with
		off := 0.0
		for i := range fours {
			first := i%2 == 0
			var spent [2]float64 // without, with
			for _, with := range []bool{first, !first, !first, first} {
				at := 0
				if with {
					at = 1
				}
				s, m := block(with)
				spent[at] += s
				memory[at] += m
			}
			ratios, off = append(ratios, spent[1]/spent[0]), off+spent[0]
		}
		slices.Sort(ratios)
		n := float64(len(ratios))
		low := int(math.Floor((n - 1.96*math.Sqrt(n)) / 2)) // the ranks of the binomial distribution
		b.ReportMetric(ratios[len(ratios)/2], "ratio")
		b.ReportMetric(ratios[max(low, 0)], "low")
		b.ReportMetric(ratios[min(len(ratios)-1-low, len(ratios)-1)], "high")
		b.ReportMetric(memory[1]/memory[0], "memory")
		b.ReportMetric(off/(2*n*float64(one.count))*1e6, "µs-cpu/op")
	}
}

// cpu returns the seconds of CPU time that the process has used.
func cpu() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

// heap returns the bytes that the process has allocated so far.
func heap() float64 {
	sample := []runtimemetrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	runtimemetrics.Read(sample)
	return float64(sample[0].Value.Uint64())
}
