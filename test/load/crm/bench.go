package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"understudy/test/server"
)

// bench measures one database, "" for SQLite files.
func bench(s settings, name, database string) (r *report, err error) {
	dir := filepath.Join(s.dir, strings.ToLower(name))
	if !s.keep {
		if err := os.RemoveAll(dir); err != nil {
			return nil, err
		}
		defer func() { _ = os.RemoveAll(dir) }()
	}
	if err := os.Setenv("UNDERSTUDY_BIN", s.bin); err != nil {
		return nil, err
	}
	args := []string{"--rate-limits", "off", "--log-level", "warn"}
	if database != "" {
		args = append(args, "--database", database)
	}
	srv, err := server.Start(server.Options{Dir: filepath.Join(dir, "data"), Args: args})
	if err != nil {
		return nil, err
	}
	defer srv.Kill()
	c, err := newClient(srv)
	if err != nil {
		return nil, err
	}
	r = &report{settings: s, name: name, pid: srv.PID()}
	if database != "" {
		if r.server, err = shown(database); err != nil {
			return nil, err
		}
	}
	fmt.Println(name)
	if r.made, err = c.filled(); err != nil {
		return nil, err
	}
	kept := filepath.Join(dir, "fill.json")
	if r.made == 0 {
		if err := r.writes(c, database, filepath.Join(dir, "bare")); err != nil {
			return nil, err
		}
		text, _ := json.Marshal(filling{r.lines, r.peak()})
		if err := os.WriteFile(kept, text, 0o600); err != nil {
			return nil, err
		}
	} else if text, err := os.ReadFile(kept); err == nil { // measured by the run that filled it
		var f filling
		if err := json.Unmarshal(text, &f); err != nil {
			return nil, err
		}
		r.lines, r.before = f.Lines, f.Peak
	}
	if err := r.searches(c); err != nil {
		return nil, err
	}
	if err := r.lists(c); err != nil {
		return nil, err
	}
	r.line("Memory (resident, highest)", fmt.Sprintf("%.0f MB", float64(max(r.peak(), r.before))/1e6))
	return r, nil
}

// filling is what a run with -keep leaves for those after it.
type filling struct {
	Lines [][2]string
	Peak  int64 // resident memory, bytes
}

// writes fills the portal and measures that, beside the store alone.
func (r *report) writes(c *client, database, dir string) error {
	stop, beside := make(chan struct{}), make(chan error, 1)
	go func() { beside <- r.searchBeside(c, stop) }()
	err := r.fill(c)
	close(stop)
	if err := errors.Join(err, <-beside, r.searchAfter(c)); err != nil {
		return err
	}
	if err := r.single(c, database, dir); err != nil {
		return err
	}
	return r.bare(database, dir)
}

// fill makes the contacts, a hundred at a time.
func (r *report) fill(c *client) error {
	batches := int64(r.settings.contacts / batchSize)
	var next, made atomic.Int64
	var failed error
	var once sync.Once
	began := time.Now()
	var lastRate time.Time
	lastRate = began
	var wg sync.WaitGroup
	var times latencies
	for range r.settings.connections {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				n := next.Add(1) - 1
				if n >= batches || time.Since(began) > r.settings.fillTime {
					return
				}
				at := time.Now()
				if err := c.createBatch(int(n)); err != nil {
					once.Do(func() { failed = err })
					return
				}
				times.add(time.Since(at))
				m := made.Add(batchSize)
				if m == bareFirst {
					r.firstRate = float64(m) / time.Since(began).Seconds()
				}
				if m%100_000 == 0 {
					fmt.Fprintf(os.Stderr, "%8d contacts, last 100,000 at %.0f a second\n", m, 100_000/time.Since(lastRate).Seconds())
					lastRate = time.Now()
				}
			}
		}()
	}
	wg.Wait()
	took := time.Since(began)
	r.made = int(made.Load())
	r.line("Contacts", fmt.Sprint(r.made))
	r.rate = float64(r.made) / took.Seconds()
	r.line("`batch/create` of 100, durable", fmt.Sprintf("%.0f records/s; a batch p50 %s, p99 %s", r.rate, times.at(50), times.at(99)))
	return failed
}

// searches times each kind of search.
func (r *report) searches(c *client) error {
	kinds := []struct {
		name string
		body func(n int) string
	}{
		{"Search `EQ` on email", func(n int) string {
			return filter(`"email"`, "EQ", fmt.Sprintf("%q", email(n*7919%r.made)))
		}},
		{"Search `EQ` on a city (many matches)", func(n int) string { return filter(`"city"`, "EQ", fmt.Sprintf("%q", cities[n%len(cities)])) }},
		{"Search `CONTAINS_TOKEN`, rare word", func(n int) string {
			return filter(`"company"`, "CONTAINS_TOKEN", fmt.Sprintf("%q", companyWord(n*104729%r.made)))
		}},
		{"Search `CONTAINS_TOKEN`, common word", func(n int) string { return filter(`"company"`, "CONTAINS_TOKEN", `"studio"`) }},
		{"Search range and sort, one property", func(n int) string {
			return strings.TrimSuffix(filter(`"createdate"`, "GTE", `"2020-01-01"`), "}") + `,"sorts":["-createdate"]}`
		}},
		{"Search range and sort, two properties", func(n int) string {
			return strings.TrimSuffix(filter(`"closedate"`, "LT", fmt.Sprintf(`"2024-%02d-15"`, n%12+1)), "}") + `,"sorts":["lastname"]}`
		}},
		{"Search narrow range and sort", func(n int) string {
			return strings.TrimSuffix(filter(`"closedate"`, "BETWEEN", fmt.Sprintf(`"2024-%02d-15","highValue":"2024-%02d-15T12:00:00Z"`, n%12+1, n%12+1)), "}") + `,"sorts":["lastname"]}`
		}},
		{"Search two filters", func(n int) string {
			return fmt.Sprintf(`{"filterGroups":[{"filters":[{"propertyName":"city","operator":"EQ","value":%q},{"propertyName":"lifecyclestage","operator":"EQ","value":"lead"}]}]}`, cities[n%len(cities)])
		}},
		{"Search two filters, few in common", func(n int) string {
			return `{"filterGroups":[{"filters":[{"propertyName":"jobtitle","operator":"EQ","value":"Engineer"},{"propertyName":"country","operator":"EQ","value":"Germany"}]}]}`
		}},
		{"Search `NOT_HAS_PROPERTY`, few matches", func(n int) string { return filter(`"phone"`, "NOT_HAS_PROPERTY", `""`) }},
		{"Search `NOT_HAS_PROPERTY`, all match", func(n int) string { return filter(`"fax"`, "NOT_HAS_PROPERTY", `""`) }},
		{"Search `NOT_CONTAINS_TOKEN`, few matches", func(n int) string { return filter(`"email"`, "NOT_CONTAINS_TOKEN", `"example"`) }},
		{"Search `NOT_CONTAINS_TOKEN`, many matches", func(n int) string { return filter(`"company"`, "NOT_CONTAINS_TOKEN", `"studio"`) }},
		{"Search free `query`, rare", func(n int) string { return fmt.Sprintf(`{"query":%q}`, companyWord(n*104729%r.made)) }},
		{"Search free `query`, two words", func(n int) string {
			return fmt.Sprintf(`{"query":"%s %s"}`, firstNames[n%len(firstNames)], companyWord(n%wordPairs))
		}},
		{"Search free `query`, common", func(n int) string { return fmt.Sprintf(`{"query":%q}`, lastNames[n%len(lastNames)]) }},
	}
	for _, k := range kinds {
		if !strings.Contains(k.name, r.settings.only) {
			continue
		}
		var times latencies
		for i := range 5 {
			if _, err := c.search(k.body(i)); err != nil {
				return err
			}
		}
		total := 0
		for n := range r.settings.searches {
			at := time.Now()
			found, err := c.search(k.body(n))
			if err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
			times.add(time.Since(at))
			total = found
			if times.sum() > 20*time.Second {
				break
			}
		}
		r.line(k.name, fmt.Sprintf("p50 %s, p99 %s (last total %d)", times.at(50), times.at(99), total))
	}
	return nil
}

// lists times the first page and the last.
func (r *report) lists(c *client) error {
	for _, l := range []struct {
		name  string
		after int64
	}{{"List, first page of 100", 0}, {"List, last page of 100", c.lastID - 100}} {
		var times latencies
		for range r.settings.searches {
			at := time.Now()
			if err := c.list(l.after); err != nil {
				return err
			}
			times.add(time.Since(at))
		}
		r.line(l.name, fmt.Sprintf("p50 %s, p99 %s", times.at(50), times.at(99)))
	}
	return nil
}
