package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"understudy/test/server"
)

// subject is a running program with a data folder of its own.
type subject struct {
	*server.Server
	options server.Options
	about   server.Credentials
	base    string
	http    *http.Client
	failed  atomic.Pointer[error] // the first
}

func start(s settings, database string, flags ...string) (*subject, error) {
	dir, err := os.MkdirTemp(s.dir, "data-")
	if err != nil {
		return nil, err
	}
	args := append([]string{"--rate-limits", "off", "--log-level", "warn"}, flags...)
	if database != "" {
		args = append(args, "--database", database)
	}
	b := &subject{options: server.Options{Dir: dir, Args: args}, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}}
	return b, b.resume()
}

// resume starts the program on what its data folder holds.
func (b *subject) resume() (err error) {
	if b.Server, err = server.Start(b.options); err != nil {
		return err
	}
	b.about, err = b.Credentials()
	b.base = b.about.Ingest.BaseURL + "/api/v1/"
	return err
}

// end ends the program and removes its data.
func (b *subject) end() {
	_ = b.Stop()
	_ = os.RemoveAll(b.options.Dir)
}

// fail notes the first error of many goroutines.
func (b *subject) fail(err error) { b.failed.CompareAndSwap(nil, &err) }

// err returns the first error that was noted.
func (b *subject) err() error {
	if e := b.failed.Load(); e != nil {
		return *e
	}
	return nil
}

// post sends a body, and notes an error unless all of it was taken.
func (b *subject) post(url, kind string, body []byte) {
	r, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		b.fail(err)
		return
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("X-Api-Key", b.about.Ingest.APIKey)
	status, text, err := b.do(r)
	if err != nil || status/100 != 2 || bytes.Contains(text[:min(len(text), 60)], []byte(`"accepted":0`)) {
		b.fail(fmt.Errorf("%s: %d %.300s %w", url, status, text, err))
	}
}

func (b *subject) capture(route string, body []byte) { b.post(b.base+route, "application/json", body) }

func (b *subject) do(r *http.Request) (int, []byte, error) {
	reply, err := b.http.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = reply.Body.Close() }()
	text, err := io.ReadAll(reply.Body)
	return reply.StatusCode, text, err
}

// ask sends a question and returns the reply and how long it took.
func (b *subject) ask(path string) ([]byte, time.Duration, error) {
	r, err := http.NewRequest(http.MethodGet, b.base+path, nil)
	if err != nil {
		return nil, 0, err
	}
	r.Header.Set("X-Api-Key", b.about.Ingest.APIKey)
	began := time.Now()
	status, text, err := b.do(r)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s: %d %.300s", path, status, text)
	}
	return text, time.Since(began), err
}

// timed returns the median time of a question, which is asked at least seven
// times, and more often when the reply is quick.
func (b *subject) timed(path string) (time.Duration, error) {
	took, err := timedInTurns(path, b)
	if err != nil {
		return 0, err
	}
	return took[0], nil
}

// timedInTurns returns the median time of a question for each of some programs, which
// are asked one after the other at least seven times, and more often when they are quick.
func timedInTurns(path string, programs ...*subject) ([]time.Duration, error) {
	all := make([][]time.Duration, len(programs))
	atLeast := 200 * time.Millisecond * time.Duration(len(programs))
	for began := time.Now(); len(all[0]) < 7 || len(all[0]) < 101 && time.Since(began) < atLeast; {
		for i, b := range programs {
			_, took, err := b.ask(path)
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], took)
		}
	}
	medians := make([]time.Duration, len(programs))
	for i, times := range all {
		slices.Sort(times)
		medians[i] = times[len(times)/2]
	}
	return medians, nil
}

// parallel runs n calls on some goroutines and returns how long they took
// together. It ends early when one has failed.
func (b *subject) parallel(goroutines, n int, call func(i int)) time.Duration {
	var next atomic.Int64
	var all sync.WaitGroup
	began := time.Now()
	for range goroutines {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && b.failed.Load() == nil; i = next.Add(1) - 1 {
				call(int(i))
			}
		})
	}
	all.Wait()
	return time.Since(began)
}

// size returns the bytes of the default environment's database: of its events
// alone on SQLite, of everything on PostgreSQL.
func (b *subject) size() (int64, error) {
	files, _ := filepath.Glob(filepath.Join(b.options.Dir, "worlds", "*__events.db*"))
	var n int64
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			n += info.Size()
		}
	}
	if n > 0 {
		return n, nil
	}
	r, err := http.NewRequest(http.MethodGet, b.about.Admin.BaseURL+"/environments/"+b.about.Environment, nil)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer "+b.about.Admin.Key)
	_, text, err := b.do(r)
	var env struct {
		Size int64 `json:"size_bytes"`
	}
	if err == nil {
		err = json.Unmarshal(text, &env)
	}
	return env.Size, err
}

// restart waits until the program has nothing left to do and starts it anew, so
// that its log is written back.
func (b *subject) restart() error {
	if err := b.settle(); err != nil {
		return err
	}
	if err := b.Stop(); err != nil {
		return err
	}
	if err := b.resume(); err != nil {
		return err
	}
	if _, _, err := b.ask("events?q=98765&limit=1"); err != nil { // reads what is indexed in memory
		return err
	}
	return b.settle()
}

// settle waits until the program has nothing left to do: as long as it uses a
// processor for less than a tenth of the time, for three seconds.
func (b *subject) settle() error {
	for quiet := 0; quiet < 3; {
		before, err := b.CPU()
		if err != nil {
			return err
		}
		time.Sleep(time.Second)
		after, err := b.CPU()
		if err != nil {
			return err
		}
		if quiet++; after-before > 100*time.Millisecond {
			quiet = 0
		}
	}
	return nil
}
