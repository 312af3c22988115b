// Command ingest measures ingestion and reading against the built program,
// which it starts in a temporary folder, over HTTP on loopback:
//
//	go run ./test/load/ingest --binary bin/understudy --events 2000000
//
// Loader and server share the machine. Every request waits for its reply, so
// each figure is of durable writes.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

func main() {
	binary := flag.String("binary", "bin/understudy", "the program to measure")
	events := flag.Int("events", 2_000_000, "events sent in batches")
	connections := flag.Int("connections", 4, "connections that send batches")
	singles := flag.Int("singles", 25_000, "events sent one by one")
	singleConnections := flag.Int("single-connections", 32, "connections that send single events")
	database := flag.String("database", "", "a postgres:// URL; left out: SQLite")
	maintained := flag.Int("maintained", 1_000_000, "events of a second run that are sent one by one, maintained and compared with batches; 0 for none")
	out := flag.String("out", "", "file to write the table to")
	flag.Parse()
	s, err := start(*binary, *database)
	if err != nil {
		log.Fatal(err)
	}
	defer s.stop()
	table := s.run(*events, *connections, *singles, *singleConnections)
	if *maintained > 0 {
		rows, err := compareMaintained(*binary, *database, *maintained, *connections, *singleConnections)
		if err != nil {
			log.Fatal(err)
		}
		table += rows
	}
	fmt.Print(table)
	if *out != "" {
		if err := os.WriteFile(*out, []byte(table), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

type server struct {
	cmd  *exec.Cmd
	dir  string
	base string
	key  string
	http *http.Client
}

func start(binary, database string) (*server, error) {
	dir, err := os.MkdirTemp("", "understudy-load-")
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}}
	s.cmd = exec.Command(binary, "serve", "--listen", "127.0.0.1:0", "--data", dir, "--database", database)
	s.cmd.Stderr = os.Stderr
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	var c struct {
		Ingest struct {
			BaseURL string `json:"base_url"`
			Key     string `json:"api_key"`
		} `json:"ingest"`
	}
	for range 200 {
		time.Sleep(25 * time.Millisecond)
		text, err := os.ReadFile(filepath.Join(dir, "credentials.json"))
		if err == nil && json.Unmarshal(text, &c) == nil {
			s.base, s.key = c.Ingest.BaseURL+"/api/v1/", c.Ingest.Key
			return s, nil
		}
	}
	s.stop()
	return nil, fmt.Errorf("the program did not start")
}

func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
	_ = os.RemoveAll(s.dir)
}

// run measures everything and returns the table.
func (s *server) run(events, connections, singles, singleConnections int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Ingestion\n\nWritten by `make bench` on %s, %d events, %d cores, %s/%s, %s; loader and server together.\n\n| what | figure |\n| --- | --- |\n",
		time.Now().Format(time.DateOnly), events, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	row := func(what, format string, args ...any) {
		line := fmt.Sprintf("| %s | %s |\n", what, fmt.Sprintf(format, args...))
		fmt.Fprint(os.Stderr, line)
		b.WriteString(line)
	}
	s.users()
	took, bytes := s.batches(events, connections)
	row(fmt.Sprintf("batches of 500, %d connections, durable (%d events of %d bytes)", connections, events, bytes),
		"%.0f events/s", float64(events)/took.Seconds())
	row("bytes on disk per event", "%.0f", float64(s.size())/float64(events))
	took = s.each(singles, singleConnections)
	row(fmt.Sprintf("single events, %d connections, durable", singleConnections), "%.0f events/s", float64(singles)/took.Seconds())
	s.longSession()
	s.timed("tools") // the roll-ups catch up
	day := int64(24 * time.Hour / time.Millisecond)
	for _, q := range []struct{ what, path string }{
		{"percentiles of each tool, all events", "tools"},
		{"percentiles of each tool, any period", fmt.Sprintf("tools?from=%d&to=%d", first+3*day+12345678, first+20*day+23456789)},
		{"counts by hour, all events", "timeseries?interval=hour"},
		{"different users by day, filtered by trait", "timeseries?interval=day&distinct=user_id&trait.plan=pro"},
		{"percentiles of each tool, filtered by trait", "tools?trait.plan=pro"},
		{"newest 50 events of a tool", "events?tool=tool_03"},
		{"newest 50 sessions", "sessions"},
		{"newest 50 events with two words", "events?q=two+orders&view=summary"},
		{"newest 50 events with a rare word", "events?q=98765&view=summary"},
		{"percentiles of each tool, with a word", "tools?q=777"},
		{"counts by hour and tool, all events", "timeseries?interval=hour&group_by=tool"},
		{"counts by day and trait, all events", "timeseries?interval=day&group_by=trait.plan"},
		{"how the time of a tool is spent", "tools/tool_03/timeline"},
		{"errors by fingerprint", "errors"},
		{"overview of a week", fmt.Sprintf("overview?from=%d&to=%d", first+20*day, first+27*day)},
		{"facets", "facets"},
		{"session of 10,000 events with its tree", "sessions/" + longSession},
	} {
		row(q.what, "%.0f ms", float64(s.timed(q.path).Microseconds())/1000)
	}
	return b.String()
}

// size returns the bytes of the events' database with its log.
func (s *server) size() (n int64) {
	files, _ := filepath.Glob(filepath.Join(s.dir, "worlds", "*__events.db*"))
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			n += info.Size()
		}
	}
	return n
}
