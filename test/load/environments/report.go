package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"understudy/test/server"
)

// report gathers the figures of one database.
type report struct {
	settings  settings
	options   server.Options
	srv       *server.Server
	pid       int
	settle    time.Duration // before memory is read
	demoBytes int64
	acts      map[string]*latencies
	lines     [][2]string
}

func (r *report) line(name, value string) {
	r.lines = append(r.lines, [2]string{name, value})
	fmt.Fprintf(os.Stderr, "%-60s %s\n", name, value)
}

// start starts the server and returns a client.
func (r *report) start() (*client, error) {
	srv, err := server.Start(r.options)
	if err != nil {
		return nil, err
	}
	r.srv, r.pid = srv, srv.PID()
	c, err := newClient(srv)
	if err != nil {
		return nil, errors.Join(err, srv.Stop())
	}
	return c, nil
}

// startAgain ends the server, which closes all environments, and starts it on the
// same folder and address.
func (r *report) startAgain() (*client, error) {
	const patience = 2 * time.Minute // thousands of environments are closed
	if err := r.srv.Signal(syscall.SIGTERM); err != nil {
		return nil, err
	}
	if _, err := r.srv.Wait(patience); err != nil {
		return nil, err
	}
	r.options.Listen = r.srv.Listen
	return r.start()
}

// inode identifies a file, which may have several names.
func inode(info os.FileInfo) any { return info.Sys().(*syscall.Stat_t).Ino }

func show(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }

// goal is what the median of an act is to stay under, on SQLite, and how many times that
// of a synced copy it may be; 0 for no bound.
type goal struct {
	under  time.Duration
	copies float64
}

var goals = map[string]goal{"create": {15 * time.Millisecond, 2}, "create with `demo`": {copies: 4}, "fork of `demo`": {10 * time.Millisecond, 2}, "reset": {under: 10 * time.Millisecond}}

// verdicts returns how a median, and that of a synced copy, stand to the bounds.
func (g goal) verdicts(median, copied time.Duration) string {
	mark := func(met bool) string {
		if met {
			return "met"
		}
		return "**missed**"
	}
	var all []string
	if g.under > 0 {
		all = append(all, fmt.Sprintf("under %d ms: %s", g.under.Milliseconds(), mark(median < g.under)))
	}
	if g.copies > 0 {
		all = append(all, fmt.Sprintf("at most %.0f copies: %s", g.copies, mark(float64(median) <= g.copies*float64(copied))))
	}
	return strings.Join(all, "; ")
}

// measure starts a server and returns its part of the page.
func measure(s settings, name, database string) (string, error) {
	if err := os.RemoveAll(s.dir); err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(s.dir) }()
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return "", err
	}
	args := []string{"--rate-limits", "off", "--log-level", "warn"}
	if database != "" {
		args = append(args, "--database", database)
	}
	r := &report{settings: s, settle: 10 * time.Second, options: server.Options{Dir: filepath.Join(s.dir, "data"), Args: args}}
	c, err := r.start()
	if err != nil {
		return "", err
	}
	defer func() { _ = r.srv.Stop() }()
	if err := r.measureActs(c); err != nil {
		return "", err
	}
	r.showActs(database == "")
	if s.open > 0 {
		if err := r.measureOpen(c); err != nil {
			return "", err
		}
	}
	if s.worlds > 0 {
		if err := r.measureWorlds(c); err != nil {
			return "", err
		}
	}
	if s.made > 0 {
		if err := r.measureMany(c); err != nil {
			return "", err
		}
	}
	return r.page(name, database == ""), nil
}

func (r *report) showActs(bound bool) {
	for _, act := range append([]string{"GET /api/health", "copy"}, acts...) {
		if t := r.acts[act]; t != nil {
			fmt.Fprintf(os.Stderr, "%-60s p50 %s, p99 %s\n", act, show(t.at(50)), show(t.at(99)))
			if verdicts := goals[act].verdicts(t.at(50), r.acts["copy"].at(50)); bound && verdicts != "" {
				fmt.Fprintf(os.Stderr, "%-60s %s\n", "", verdicts)
			}
		}
	}
}

func (r *report) page(name string, bound bool) string {
	var b strings.Builder
	copied, health := r.acts["copy"], r.acts["GET /api/health"]
	fmt.Fprintf(&b, "\n### %s\n\n%d rounds, turn by turn. Yardsticks of the same run: a file of %d KiB, the size of the `demo` world, copied and synced: p50 %s, p99 %s; `GET /api/health`: p50 %s, p99 %s.\n\n",
		name, r.settings.rounds, r.demoBytes>>10, show(copied.at(50)), show(copied.at(99)), show(health.at(50)), show(health.at(99)))
	b.WriteString("| act | p50 | p99 | times a synced copy | times a health request | goals for p50 |\n| --- | ---: | ---: | ---: | ---: | --- |\n")
	for _, act := range acts {
		t := r.acts[act]
		if t == nil {
			continue
		}
		verdicts := ""
		if bound {
			verdicts = goals[act].verdicts(t.at(50), copied.at(50))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %.1f | %.0f | %s |\n", act, show(t.at(50)), show(t.at(99)),
			float64(t.at(50))/float64(copied.at(50)), float64(t.at(50))/float64(health.at(50)), verdicts)
	}
	if len(r.lines) > 0 {
		b.WriteString("\n| | |\n| --- | --- |\n")
	}
	for _, l := range r.lines {
		fmt.Fprintf(&b, "| %s | %s |\n", l[0], l[1])
	}
	return b.String()
}
