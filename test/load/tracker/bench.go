package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"understudy/internal/platform/store/storetest/throwaway"
	"understudy/test/load/databases"
	"understudy/test/load/wire"
)

const small = `{ issues(first: 50) { nodes { id identifier title priority state { name } assignee { name } } } }`

// size is what was measured with one number of issues.
type size struct {
	issues   int
	fillRate float64        // issues a second
	catchUp  time.Duration  // of the first search after the fill, which waits for the index
	lists    [2]list        // the client's document, the small one
	sized    [2]wire.Result // the same, in turn with the servers of other sizes
	spread   wire.Result
	search   wire.Result // each asked for once
	again    wire.Result // searches that were asked for before
	create   wire.Result
	memory   int64 // resident, after all of it

	filePages int64 // of memory, those that are in files

	subject *subject
	beside  *size // on PostgreSQL, nil where that is not measured
}

// filled starts a server on a new database of PostgreSQL, fills it and waits for the index of searches.
func (s settings) filled(database *throwaway.Server, issues int) (*size, error) {
	name := fmt.Sprintf("tracker_%d", issues)
	flags, err := databases.Flags(database, name)
	if err != nil {
		return nil, err
	}
	m := &size{issues: issues}
	if m.subject, err = start(filepath.Join(s.dir, name), flags); err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "filling %d issues on PostgreSQL\n", issues)
	if m.fillRate, err = m.subject.fill(issues, s.connections, s.fillTime); err == nil {
		m.catchUp, err = m.subject.firstSearch()
	}
	if err != nil {
		m.subject.Kill()
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "the first search among %d issues on PostgreSQL took %v\n", issues, m.catchUp)
	return m, nil
}

// list is one query on three servers.
type list struct{ ours, peer, bare wire.Result }

// measure starts a server with that many issues and measures reading, and that of the
// server beside it in turn. The server stays up unless there is an error.
func measure(s settings, sent map[string][]byte, issues int, beside *size) (m size, err error) {
	m.issues, m.beside = issues, beside
	dir := filepath.Join(s.dir, fmt.Sprint(issues))
	filled := filepath.Join(dir, "filled")
	sub, err := start(dir, nil)
	if err != nil {
		return m, err
	}
	defer func() {
		if err != nil {
			sub.Kill()
		}
	}()
	m.subject = sub
	if _, err := os.Stat(filled); err != nil {
		if m.fillRate, err = sub.fill(issues, s.connections, s.fillTime); err != nil {
			return m, fmt.Errorf("filling: %w", err)
		}
		if err := os.WriteFile(filled, strconv.AppendInt(nil, int64(m.fillRate), 10), 0o600); err != nil {
			return m, err
		}
	} else if rate, err := os.ReadFile(filled); err == nil {
		m.fillRate, _ = strconv.ParseFloat(string(rate), 64)
	}
	if m.catchUp, err = sub.firstSearch(); err != nil {
		return m, fmt.Errorf("the first search: %w", err)
	}
	syscall.Sync() // what the system still has to write would take time from what is measured
	fmt.Fprintf(os.Stderr, "the first search among %d issues took %v\n", issues, m.catchUp)
	if s.fill {
		return m, sub.Stop()
	}
	data := filepath.Join(dir, "peer.json")
	if err := sub.exportData(sent, data); err != nil {
		return m, fmt.Errorf("data for graphql-js: %w", err)
	}
	peer, err := startPeer(s, data)
	if err != nil {
		return m, err
	}
	defer peer.stop()
	bodies := [2][]byte{sent["issues"], graphql(small, nil)}
	bare, err := sub.bareOf(dir, bodies)
	if err != nil {
		return m, err
	}
	defer bare.stop()
	for i, body := range bodies {
		if err := sameNodes(sub.Listen, peer.addr, [2][]byte{sub.request(body), request(peer.addr, path, "none", body)}); err != nil {
			return m, fmt.Errorf("graphql-js and this server do not serve the same: %w", err)
		}
		if m.lists[i], err = s.contest(&m, peer, bare, i, body); err != nil {
			return m, err
		}
	}
	for each := &m; each != nil; each = each.beside {
		if err = each.subject.connect(); err != nil { // the server ends what was idle while the other one was filled
			return m, err
		}
		if each.search, each.again, err = s.searches(each.subject, each.issues); err != nil {
			return m, err
		}
	}
	return m, nil
}

// bareOf keeps the replies to the bodies and starts the bare server on them.
func (s *subject) bareOf(dir string, bodies [2][]byte) (*yardstick, error) {
	replies := filepath.Join(dir, "replies")
	if err := os.MkdirAll(replies, 0o700); err != nil {
		return nil, err
	}
	for i, body := range bodies {
		if err := s.call(s.conn, body, nil); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(replies, fmt.Sprint(i)), s.conn.Body, 0o600); err != nil {
			return nil, err
		}
	}
	return startBare(replies)
}

// contest runs the servers turn by turn and returns the medians of each; those of
// the one on PostgreSQL go to where it is described.
func (s settings) contest(m *size, peer, bare *yardstick, n int, body []byte) (out list, err error) {
	type turn struct {
		name string
		load wire.Load
		into *wire.Result
		all  []wire.Result
	}
	sub := m.subject
	turns := []turn{
		{"ours", s.load(sub.Listen, sub.request(body)), &out.ours, nil},
		{"graphql-js", s.load(peer.addr, request(peer.addr, path, "none", body)), &out.peer, nil},
		{"net/http", s.load(bare.addr, request(bare.addr, fmt.Sprint("/", n), "none", body)), &out.bare, nil},
	}
	if pg := m.beside; pg != nil {
		turns = append(turns, turn{"PostgreSQL", s.load(pg.subject.Listen, pg.subject.request(body)), &pg.lists[n].ours, nil})
	}
	for i := range turns { // warm
		l := turns[i].load
		if _, err := l.Run(); err != nil {
			return out, fmt.Errorf("%s: %w", turns[i].name, err)
		}
	}
	for range s.rounds {
		for i := range turns {
			r, err := turns[i].load.Run()
			if err != nil {
				return out, fmt.Errorf("%s: %w", turns[i].name, err)
			}
			turns[i].all = append(turns[i].all, r)
		}
	}
	for _, t := range turns {
		*t.into = wire.Median(t.all)
		fmt.Fprintf(os.Stderr, "%-10s %d %8.0f/s p50 %v p99 %v %d bytes\n", t.name, n, t.into.Rate, t.into.P50, t.into.P99, t.into.Size)
	}
	return out, nil
}

// load repeats one request.
func (s settings) load(addr string, request []byte) wire.Load {
	return wire.Load{Addr: addr, Connections: s.connections, Duration: s.duration, Good: good, Next: func(int, int) []byte { return request }}
}

// repeat returns the median of several rounds of a load.
func (s settings) repeat(l wire.Load) (wire.Result, error) {
	var all []wire.Result
	for range s.rounds {
		r, err := l.Run()
		if err != nil {
			return r, err
		}
		all = append(all, r)
	}
	return wire.Median(all), nil
}

// spread is a load of pages all over the organization's time, hardly one twice, so
// that little that is remembered can answer.
func (s settings) spread(sub *subject, body []byte) (wire.Load, error) {
	var again struct {
		Query     string         `json:"query"`
		Variables map[string]any `json:"variables"`
	}
	if err := json.Unmarshal(body, &again); err != nil {
		return wire.Load{}, err
	}
	var ends struct {
		Newest, Oldest struct {
			Nodes []struct{ CreatedAt time.Time }
		}
	}
	if err := sub.query(`{ newest: issues(first: 1) { nodes { createdAt } } oldest: issues(last: 1) { nodes { createdAt } } }`, nil, &ends); err != nil {
		return wire.Load{}, err
	}
	newest, oldest := ends.Newest.Nodes[0].CreatedAt, ends.Oldest.Nodes[0].CreatedAt
	requests := make([][]byte, 2048)
	for i := range requests {
		at := newest.Add(-time.Duration(i) * (newest.Sub(oldest) / time.Duration(len(requests)))) // their product does not fit into a Duration
		again.Variables["filter"] = map[string]any{"createdAt": map[string]any{"lte": at.Format(time.RFC3339)}}
		requests[i] = sub.request(graphql(again.Query, again.Variables))
	}
	l := s.load(sub.Listen, nil)
	var next atomic.Int64 // a round goes on where the last one ended: the server remembers a thousand lists
	l.Next = func(int, int) []byte { return requests[int(next.Add(1))%len(requests)] }
	return l, nil
}

// inTurn measures a load in organizations of each size, turn by turn after a round
// of each: what the machine and its disk can do changes within a minute.
func (s settings) inTurn(name string, all []*size, load func(*subject) (wire.Load, error), place func(*size) *wire.Result) error {
	loads, results := make([]wire.Load, len(all)), make([][]wire.Result, len(all))
	for i, m := range all {
		err := m.subject.connect() // the server ends what was idle while another one was measured
		if err == nil {
			loads[i], err = load(m.subject)
		}
		if err == nil {
			_, err = loads[i].Run()
		}
		if err != nil {
			return fmt.Errorf("%s with %d issues: %w", name, m.issues, err)
		}
	}
	for range s.rounds {
		for i, l := range loads {
			r, err := l.Run()
			if err != nil {
				return fmt.Errorf("%s with %d issues: %w", name, all[i].issues, err)
			}
			results[i] = append(results[i], r)
		}
	}
	for i, m := range all {
		r := wire.Median(results[i])
		*place(m) = r
		fmt.Fprintf(os.Stderr, "%s %8.0f/s p50 %v p99 %v among %d issues\n", name, r.Rate, r.P50, r.P99, m.issues)
	}
	return nil
}

// compare measures what depends on the size of an organization.
func (s settings) compare(all []*size, issues []byte) error {
	for i, body := range [][]byte{issues, graphql(small, nil)} {
		if err := s.inTurn(fmt.Sprint("list ", i), all, func(sub *subject) (wire.Load, error) {
			return s.load(sub.Listen, sub.request(body)), nil
		}, func(m *size) *wire.Result { return &m.sized[i] }); err != nil {
			return err
		}
	}
	if err := s.inTurn("another page each time", all, func(sub *subject) (wire.Load, error) { return s.spread(sub, issues) },
		func(m *size) *wire.Result { return &m.spread }); err != nil {
		return err
	}
	return s.inTurn("create", all, s.creating, func(m *size) *wire.Result { return &m.create })
}

// creating is a load of issueCreate.
func (s settings) creating(sub *subject) (wire.Load, error) {
	var teams struct {
		Teams struct{ Nodes []struct{ ID string } }
	}
	l := s.load(sub.Listen, nil)
	if err := sub.query(`{ teams { nodes { id } } }`, nil, &teams); err != nil {
		return l, err
	}
	var number atomic.Int64
	l.Next = func(int, int) []byte {
		n := number.Add(1)
		return sub.request(graphql(`mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success lastSyncId issue { id } } }`,
			map[string]any{"input": map[string]any{"teamId": teams.Teams.Nodes[n%int64(len(teams.Teams.Nodes))].ID,
				"title": fmt.Sprintf("Issue number %d of this run", n), "priority": n % 5}}))
	}
	return l, nil
}
