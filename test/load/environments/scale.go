package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// resident returns the server's resident memory in bytes, once it no longer
// changes.
func (r *report) resident() int64 {
	time.Sleep(r.settle)
	return r.memory()
}

func (r *report) memory() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return n * 1024
		}
	}
	return 0
}

// make makes n environments on two connections.
func (c *client) make(n int, body map[string]any) (all []made, took latencies, err error) {
	var next atomic.Int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for next.Add(1) <= int64(n) {
				began := time.Now()
				m, e := c.create(body)
				mu.Lock()
				all, took = append(all, m), append(took, time.Since(began))
				if e != nil {
					err = e
				}
				mu.Unlock()
				if e != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return all, took, err
}

// measureOpen returns what an open environment costs.
func (r *report) measureOpen(c *client) error {
	first, _, err := c.make(20, nil)
	if err != nil {
		return err
	}
	for _, m := range first { // what is made once for all, and code that was never called yet
		if err := c.work(m); err != nil {
			return err
		}
	}
	before := r.resident()
	all, _, err := c.make(r.settings.open, nil)
	if err != nil {
		return err
	}
	created := r.resident()
	for _, m := range all {
		if err := c.visit(m); err != nil {
			return err
		}
	}
	visited := r.memory()
	for _, m := range all {
		if err := c.work(m); err != nil {
			return err
		}
	}
	worked := r.memory()
	rested := r.resident()
	n := int64(len(all))
	r.line("memory of an open environment, made and not used (goal: under 400 KiB)", fmt.Sprintf("%d KiB (%d open, resident %d MiB)", (created-before)/n>>10, n, created>>20))
	r.line("the same, all four services read from at this moment (goal: under 400 KiB)", fmt.Sprintf("%d KiB (resident %d MiB)", (visited-before)/n>>10, visited>>20))
	r.line("the same, all four written to at this moment (goal: under 400 KiB)", fmt.Sprintf("%d KiB (resident %d MiB)", (worked-before)/n>>10, worked>>20))
	r.line("the same, ten seconds later (goal: under 400 KiB)", fmt.Sprintf("%d KiB (resident %d MiB)", (rested-before)/n>>10, rested>>20))
	return nil
}

// measureMany creates many environments, and returns what they cost while they are
// open and nobody uses them, and once they are closed.
func (r *report) measureMany(c *client) error {
	first := r.settings.made / 5
	some, _, err := c.make(first, nil)
	if err != nil {
		return err
	}
	low := r.resident()
	began := time.Now()
	more, took, err := c.make(r.settings.made-first, nil)
	if err != nil {
		return err
	}
	rate := float64(len(more)) / time.Since(began).Seconds()
	high := r.resident()
	r.line(fmt.Sprintf("making environments %d to %d, two connections", first+1, r.settings.made),
		fmt.Sprintf("%.0f a second; p50 %s, p99 %s", rate, show(took.at(50)), show(took.at(99))))
	r.line("memory of an environment that is open and that nobody has used, most with their databases closed",
		fmt.Sprintf("%.1f KiB (resident %d MiB after %d, %d MiB after %d)", float64(high-low)/float64(len(more))/1024, low>>20, first, high>>20, r.settings.made))
	if _, err := r.list(c, "listing all of them while they are open, 200 a page (goal: 200 ms in all)"); err != nil {
		return err
	}
	return r.measureClosed(some)
}

// list lists all environments and returns how many there are. What the loader takes
// to parse the pages, which are some megabytes of JSON, stands apart.
func (r *report) list(c *client, name string) (listed int, err error) {
	var answered, parsed time.Duration
	for cursor := ""; ; {
		var page struct {
			Environments []struct{ ID string }
			Next         string `json:"next_cursor"`
		}
		began := time.Now()
		text, err := c.text("?limit=200&cursor=" + cursor)
		if err != nil {
			return 0, err
		}
		answered += time.Since(began)
		began = time.Now()
		if err := json.Unmarshal(text, &page); err != nil {
			return 0, err
		}
		parsed += time.Since(began)
		listed += len(page.Environments)
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	r.line(name, fmt.Sprintf("%d in %s, and %s to parse them", listed, show(answered), show(parsed)))
	if listed < r.settings.made {
		return 0, fmt.Errorf("%d environments are listed, %d were made", listed, r.settings.made)
	}
	return listed, nil
}

// measureClosed measures environments that are closed, which all are after a new
// start: what their rows in the catalogue and their files cost, and how long it
// takes to open some of them.
func (r *report) measureClosed(some []made) error {
	empty, err := residentAlone(r)
	if err != nil {
		return err
	}
	c, err := r.startAgain()
	if err != nil {
		return err
	}
	closed := r.resident()
	listed, err := r.list(c, "listing all of them once they are closed, 200 a page (goal: 200 ms in all)")
	if err != nil {
		return err
	}
	r.line("memory of a closed environment (goal: under 4 KiB)", fmt.Sprintf("%.2f KiB (resident %d MiB after a start with %d of them, %d MiB without)",
		float64(closed-empty)/float64(listed)/1024, closed>>20, listed, empty>>20))
	var again, warm latencies
	for i := range min(r.settings.rounds, len(some)) {
		m := some[i*7919%len(some)]
		for _, times := range []*latencies{&again, &warm} {
			began := time.Now()
			if err := c.call("POST", m.Messaging.BaseURL+"/api/auth.test", m.Messaging.BotToken, nil, nil, http.StatusOK); err != nil {
				return err
			}
			*times = append(*times, time.Since(began))
		}
	}
	r.line("`auth.test` of a closed environment, opening it", fmt.Sprintf("p50 %s, p99 %s", show(again.at(50)), show(again.at(99))))
	r.line("the same, open", fmt.Sprintf("p50 %s, p99 %s", show(warm.at(50)), show(warm.at(99))))
	return measureDisk(r, listed)
}

// residentAlone returns the resident memory of a server that was just started and
// has no environment but its default one.
func residentAlone(r *report) (int64, error) {
	alone := &report{settings: r.settings, settle: r.settle, options: r.options}
	alone.options.Dir, alone.options.Listen = filepath.Join(r.settings.dir, "alone"), ""
	if _, err := alone.start(); err != nil {
		return 0, err
	}
	return alone.resident(), alone.srv.Stop()
}

// measureDisk measures the files of all environments.
func measureDisk(r *report, listed int) error {
	var bytes int64
	files, _ := filepath.Glob(filepath.Join(r.settings.dir, "data", "worlds", "*"))
	inodes := map[any]bool{}
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && !inodes[inode(info)] {
			inodes[inode(info)] = true
			bytes += info.Size()
		}
	}
	r.line("bytes on disk for each", fmt.Sprintf("%d KiB in %.1f files", bytes/int64(listed)>>10, float64(len(files))/float64(listed)))
	return nil
}
