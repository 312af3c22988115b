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
	count int // of a block, which takes some 1 ms, of batches 3 ms
	fours int // of blocks, in half of a round
	do    func()
}

// memoryDir returns a folder whose files are in memory, else one on the disk. What
// the kernel does for a flush to a disk takes several times as long as the rest of
// a write, and differs from flush to flush by more than what is compared.
func memoryDir(b *testing.B) string {
	const shared, least = "/dev/shm", 4 << 30
	var fs syscall.Statfs_t
	if syscall.Statfs(shared, &fs) != nil || int64(fs.Bavail)*int64(fs.Bsize) < least {
		return b.TempDir()
	}
	dir, err := os.MkdirTemp(shared, "understudy-bench-")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// workloads returns the writes of three services, and the environment in which they are made.
func workloads(b *testing.B) (*environment.Environment, []workload) {
	a, token, channel := benchAppIn(b, memoryDir(b))
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
		{"chat.postMessage", 10, 40, func() { send(a, token, "chat.postMessage", "channel="+channel+"&text=hello+there") }},
		{"issueCreate", 4, 40, func() {
			n++
			post("/tracker/graphql", c.Tracker.Key, fmt.Sprintf(`{"query": "mutation($i: IssueCreateInput!) { issueCreate(input: $i) { success issue { id } } }", "variables": {"i": {"teamId": %q, "title": "Issue %d"}}}`, team, n))
		}},
		{"contact", 5, 40, func() { contact() }},
		{"merge", 1, 40, func() {
			post("/crm/api/crm/v3/objects/contacts/merge", "Bearer "+c.CRM.Token, fmt.Sprintf(`{"primaryObjectId": %q, "objectIdToMerge": %q}`, contact(), contact()))
		}},
		{"batch", 1, 16, func() {
			post("/crm/api/crm/v3/objects/contacts/batch/create", "Bearer "+c.CRM.Token, `{"inputs": [`+contacts(100)+`]}`)
		}},
	}
}

// twin is the same kind of write in two environments of one process.
type twin struct {
	envs [2]*environment.Environment
	work [2]workload
}

// twins returns the writes of three services, each in two programs with data of
// their own. What grows with the number of writes grows in both alike.
func twins(b *testing.B) []twin {
	var out []twin
	for side := range 2 {
		env, all := workloads(b)
		if out == nil {
			out = make([]twin, len(all))
		}
		for i, one := range all {
			out[i].envs[side], out[i].work[side] = env, one
		}
	}
	return out
}

// BenchmarkCause compares the processor time of writes with the journal to that
// without.
func BenchmarkCause(b *testing.B) {
	all := twins(b)
	for _, one := range all {
		b.Run(one.work[0].name, func(b *testing.B) {
			compareCPU(b, one, func(env *environment.Environment, with bool) {
				if env.Observe(); !with {
					env.World.Watch(nil)
				}
			})
		})
	}
	b.Run("nothing", func(b *testing.B) { // what the comparison says of two equal states
		compareCPU(b, all[0], func(env *environment.Environment, _ bool) { env.Observe() })
	})
}

// BenchmarkFaults compares the processor time of posts under 20 rules that are
// off, and under 20 of which none fits, to that without rules.
func BenchmarkFaults(b *testing.B) {
	posts := twins(b)[0]
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
			compareCPU(b, posts, func(env *environment.Environment, with bool) {
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

// compareCPU compares the processor time of a workload in one state of an
// environment to that in the other. Of two environments one has the one state and
// one the other, and they work in turn: in short blocks with, without, without,
// with, so that both meet the same disturbances. A block ends when the work in the
// background that it has left is done. After half of a round they exchange the
// states, so that by what an environment itself is slower than its twin, and the
// machine slower for a while, counts on both sides.
//
// Other programs on the processor only ever add time. So the time of a state is the
// mean of the fastest quarter of its blocks; what is in none of these, such as a
// checkpoint, is left out on both sides. The ratio of a round is the geometric
// mean of those of the two environments. The result is the pseudomedian of the
// ratios of all rounds (ROUNDS, 40 unless set), and between which two values it
// lies with 95 % certainty.
//
// No garbage is collected within half of a round: whether a block meets a whole
// collection would decide more than what is compared. What the collector has to do
// follows from the memory that is allocated, whose ratio is reported beside.
func compareCPU(b *testing.B, t twin, set func(env *environment.Environment, with bool)) {
	rounds, _ := strconv.Atoi(os.Getenv("ROUNDS"))
	if rounds == 0 {
		rounds = 40
	}
	block := func(side int) (spent, allocated float64) {
		spent, allocated = cpu(), heap()
		for range t.work[side].count {
			t.work[side].do()
		}
		if err := t.envs[side].Flush(context.Background()); err != nil {
			b.Fatal(err)
		}
		return cpu() - spent, heap() - allocated
	}
	for b.Loop() {
		var memory [2]float64 // of all blocks without and with
		var off float64       // of a block without
		ratios := make([]float64, rounds)
		for i := range ratios {
			var spent [2][2][]float64 // by side, without and with
			half := func(with int) {
				for side, env := range t.envs {
					set(env, side == with)
				}
				for range 8 { // what the change of state has dropped, such as prepared statements, comes back
					block(0)
					block(1)
				}
				runtime.GC()
				defer debug.SetGCPercent(debug.SetGCPercent(-1))
				for four := range t.work[0].fours {
					first := four % 2
					for _, side := range []int{first, 1 - first, 1 - first, first} {
						state := 0
						if side == with {
							state = 1
						}
						s, m := block(side)
						spent[side][state] = append(spent[side][state], s)
						memory[state] += m
					}
				}
			}
			half(i % 2)
			half(1 - i%2)
			for _, s := range spent {
				without, with := fastestQuarter(s[0]), fastestQuarter(s[1])
				ratios[i] += math.Log(with/without) / 2
				off += without / float64(2*rounds)
			}
		}
		ratio, low, high := pseudomedian(ratios)
		b.ReportMetric(math.Exp(ratio), "ratio")
		b.ReportMetric(math.Exp(low), "low")
		b.ReportMetric(math.Exp(high), "high")
		b.ReportMetric(memory[1]/memory[0], "memory")
		b.ReportMetric(off/float64(t.work[0].count)*1e6, "µs-cpu/op")
	}
}

// fastestQuarter returns the mean of the shortest quarter of times.
func fastestQuarter(times []float64) float64 {
	slices.Sort(times)
	sum, n := 0.0, (len(times)+3)/4
	for _, s := range times[:n] {
		sum += s
	}
	return sum / float64(n)
}

// pseudomedian returns the median of the means of all pairs of values (Hodges and
// Lehmann), and the bounds of its 95 % confidence interval, which follow from
// Wilcoxon's signed ranks.
func pseudomedian(values []float64) (middle, low, high float64) {
	var means []float64
	for i, x := range values {
		for _, y := range values[i:] {
			means = append(means, (x+y)/2)
		}
	}
	slices.Sort(means)
	n := float64(len(values))
	rank := max(0, int(n*(n+1)/4-1.96*math.Sqrt(n*(n+1)*(2*n+1)/24)))
	return means[len(means)/2], means[rank], means[len(means)-1-rank]
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
