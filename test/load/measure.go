package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/test/load/wire"
	"understudy/test/server"
)

// subject is the server under test with what is needed to call it.
type subject struct {
	*server.Server
	cred server.Messaging
	path string // of the messaging API, with a slash at the end
}

func start(dir string) (*subject, error) {
	srv, err := server.Start(server.Options{Dir: dir, Args: []string{"--rate-limits", "off", "--log-level", "warn"}})
	if err != nil {
		return nil, err
	}
	c, err := srv.Credentials()
	if err != nil {
		srv.Kill()
		return nil, err
	}
	return &subject{srv, c.Messaging, "/messaging/api/"}, nil
}

func (s *subject) request(method, form string) []byte {
	return request(s.Listen, s.path+method, s.cred.UserToken, form)
}

// good is a reply that says ok in front.
func good(status int, body []byte) bool {
	return status == 200 && bytes.HasPrefix(body, []byte(`{"ok":true`))
}

// request makes the bytes of a request with a form body.
func request(addr, path, token, form string) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", path, addr, token, len(form), form)
}

// call makes one call and decodes its reply.
func (s *subject) call(c *wire.Conn, method, form string, into any) error {
	status, err := c.Do(s.request(method, form))
	if err != nil {
		return err
	}
	if !good(status, c.Body) {
		return fmt.Errorf("%s: status %d: %.300s", method, status, c.Body)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(c.Body, into)
}

func (s *subject) channel(name string) (string, error) {
	c, err := wire.Dial(s.Listen)
	if err != nil {
		return "", err
	}
	defer c.Close()
	var reply struct{ Channel struct{ ID string } }
	err = s.call(c, "conversations.create", "name="+name, &reply)
	return reply.Channel.ID, err
}

// poster returns requests that each post another text to channel.
func (s *subject) poster(channel string, lang *words, connections int) func(worker, n int) []byte {
	type state struct {
		rnd        *rand.Rand
		form, full []byte
	}
	workers := make([]state, connections)
	for i := range workers {
		workers[i].rnd = rand.New(rand.NewPCG(uint64(i), 1))
	}
	head := "POST " + s.path + "chat.postMessage HTTP/1.1\r\nHost: " + s.Listen + "\r\nAuthorization: Bearer " + s.cred.UserToken +
		"\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: "
	return func(worker, _ int) []byte {
		w := &workers[worker]
		w.form = lang.form(append(w.form[:0], "channel="+channel+"&text="...), w.rnd)
		w.full = strconv.AppendInt(append(w.full[:0], head...), int64(len(w.form)), 10)
		w.full = append(append(w.full, "\r\n\r\n"...), w.form...)
		return w.full
	}
}

// contest runs server and yardstick turn by turn and returns the medians of
// each.
func contest(s settings, ours, yard wire.Load) (us, bare wire.Result, err error) {
	var mine, theirs []wire.Result
	for range s.rounds {
		for _, turn := range []struct {
			l   wire.Load
			all *[]wire.Result
		}{{ours, &mine}, {yard, &theirs}} {
			r, err := turn.l.Run()
			if err != nil {
				return us, bare, err
			}
			*turn.all = append(*turn.all, r)
		}
	}
	return wire.Median(mine), wire.Median(theirs), nil
}

// against measures one method against a yardstick that gets the same request
// bytes and answers as many bytes as the method did.
func against(s settings, sub *subject, next func(worker, n int) []byte) (us, bare wire.Result, err error) {
	ours := wire.Load{Addr: sub.Listen, Connections: s.connections, Duration: s.duration, Good: good, Next: next}
	warm := ours
	warm.Duration = s.duration / 4
	first, err := warm.Run()
	if err != nil {
		return us, bare, err
	}
	ref, err := startReference(first.Size)
	if err != nil {
		return us, bare, err
	}
	defer ref.stop()
	// The same bytes, sent to the path that answers this size.
	sample := next(0, 0)
	_, rest, _ := bytes.Cut(sample, []byte(" HTTP/1.1"))
	same := slices.Concat(fmt.Appendf(nil, "POST /%d HTTP/1.1", first.Size), rest)
	yard := wire.Load{Addr: ref.addr, Connections: s.connections, Duration: s.duration, Good: good, Next: func(int, int) []byte { return same }}
	return contest(s, ours, yard)
}

// measureSmall measures what needs no large folder: posting, the history of a
// channel with a thousand messages, memory at rest, and start-up.
func measureSmall(s settings, rep *report) error {
	dir := filepath.Join(s.dir, "small")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	sub, err := start(dir)
	if err != nil {
		return err
	}
	defer func() { sub.Kill() }()
	lang := newWords(20_000)

	few, err := sub.channel("few-messages")
	if err != nil {
		return err
	}
	if _, err := (wire.Load{Addr: sub.Listen, Connections: 4, Limit: 1000, Duration: time.Minute, Good: good, Next: sub.poster(few, lang, 4)}).Run(); err != nil {
		return err
	}
	if err := rep.restart(&sub, s.rounds); err != nil {
		return err
	}
	if rep.history.ours, rep.history.bare, err = against(s, sub, sub.fixed("conversations.history", "channel="+few+"&limit=100")); err != nil {
		return fmt.Errorf("conversations.history: %w", err)
	}
	many, err := sub.channel("many-posts")
	if err != nil {
		return err
	}
	if rep.post.ours, rep.post.bare, err = against(s, sub, sub.poster(many, lang, s.connections)); err != nil {
		return fmt.Errorf("chat.postMessage: %w", err)
	}
	return sub.Stop()
}

// fixed returns the same request every time.
func (s *subject) fixed(method, form string) func(int, int) []byte {
	r := s.request(method, form)
	return func(int, int) []byte { return r }
}

// restart stops the server and starts it on its folder again a few times,
// keeps the median of the time to the first answer, and reads the memory that
// the last one holds after two seconds of rest.
func (r *report) restart(sub **subject, times int) error {
	var took []time.Duration
	for range times {
		if err := (*sub).Stop(); err != nil {
			return err
		}
		again, err := start((*sub).Dir)
		if err != nil {
			return err
		}
		*sub = again
		took = append(took, again.Took)
	}
	time.Sleep(2 * time.Second)
	rss, err := residentBytes((*sub).PID())
	if err != nil {
		return err
	}
	slices.Sort(took)
	r.starts = append(r.starts, startup{first: took[len(took)/2], rss: rss})
	return nil
}

// measureLarge fills one channel and measures history and search over it.
func measureLarge(s settings, rep *report) error {
	dir := filepath.Join(s.dir, "large")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	sub, err := start(dir)
	if err != nil {
		return err
	}
	defer func() { sub.Kill() }()
	lang := newWords(20_000)
	channel, err := sub.channel("large")
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "filling a channel with %d messages (at most %s)\n", s.messages, s.fillTime)
	filled, err := wire.Load{Addr: sub.Listen, Connections: s.connections, Limit: s.messages, Duration: s.fillTime, Good: good, Next: sub.poster(channel, lang, s.connections)}.Run()
	if err != nil {
		return fmt.Errorf("filling: %w", err)
	}
	rep.filled, rep.fillRate = filled.Count, filled.Rate

	c, err := wire.Dial(sub.Listen)
	if err != nil {
		return err
	}
	defer c.Close()
	began := time.Now()
	if err := sub.call(c, "search.messages", "query="+lang.list[0], nil); err != nil {
		return err
	}
	rep.firstSearch = time.Since(began)
	if rep.search, err = searches(s, sub, c, lang); err != nil {
		return err
	}
	if rep.found, rep.fresh, err = postThenSearch(s, sub, c, channel); err != nil {
		return err
	}
	if rep.large.ours, rep.large.bare, err = against(s, sub, sub.fixed("conversations.history", "channel="+channel+"&limit=100")); err != nil {
		return fmt.Errorf("conversations.history of a large channel: %w", err)
	}
	pages, err := sub.pages(c, channel)
	if err != nil {
		return err
	}
	if rep.spread.ours, rep.spread.bare, err = against(s, sub, pages); err != nil {
		return fmt.Errorf("conversations.history all over a large channel: %w", err)
	}
	if err := rep.restart(&sub, s.rounds); err != nil {
		return err
	}
	return sub.Stop()
}

// pages returns requests for pages all over the channel, hardly ever the same
// one twice, so that no cache can answer them.
func (s *subject) pages(c *wire.Conn, channel string) (func(worker, n int) []byte, error) {
	edge := func(more string) (int64, error) {
		var reply struct{ Messages []struct{ TS string } }
		if err := s.call(c, "conversations.history", "channel="+channel+more, &reply); err != nil {
			return 0, err
		}
		if len(reply.Messages) == 0 {
			return 0, fmt.Errorf("the channel is empty")
		}
		return strconv.ParseInt(strings.Replace(reply.Messages[0].TS, ".", "", 1), 10, 64)
	}
	newest, err := edge("&limit=1")
	if err != nil {
		return nil, err
	}
	// The oldest messages were posted within the first second after the channel was made.
	var info struct{ Channel struct{ Created int64 } }
	if err := s.call(c, "conversations.info", "channel="+channel, &info); err != nil {
		return nil, err
	}
	oldest := (info.Channel.Created + 1) * 1e6
	requests := make([][]byte, 4096)
	rnd := rand.New(rand.NewPCG(11, 11))
	for i := range requests {
		at := newest - rnd.Int64N(max(1, newest-oldest))
		requests[i] = s.request("conversations.history", fmt.Sprintf("channel=%s&limit=100&latest=%d.%06d", channel, at/1e6, at%1e6))
	}
	return func(worker, n int) []byte { return requests[(worker*61+n)%len(requests)] }, nil
}

// searchKind is one sort of query and how long its searches took.
type searchKind struct {
	name  string
	took  []time.Duration
	total int // matches of the last
}

// searches runs every sort of query in turn, one at a time.
func searches(s settings, sub *subject, c *wire.Conn, lang *words) ([]searchKind, error) {
	rnd := rand.New(rand.NewPCG(7, 7))
	kinds := []struct {
		name  string
		query func() string
	}{
		{"one rare word", func() string { return lang.rare(rnd) }},
		{"one common word", func() string { return lang.common(rnd) }},
		{"two words", func() string { return lang.common(rnd) + " " + lang.pick(rnd) }},
		{"a common word in:#large, newest first", func() string { return lang.common(rnd) + " in:#large" }},
		{"no match", func() string { return unique(rnd.IntN(1000)) }},
	}
	out := make([]searchKind, len(kinds))
	for i := range s.searches {
		k := i % len(kinds)
		form := "query=" + url.QueryEscape(kinds[k].query())
		if strings.Contains(kinds[k].name, "newest") {
			form += "&sort=timestamp"
		}
		var reply struct{ Messages struct{ Total int } }
		began := time.Now()
		if err := sub.call(c, "search.messages", form, &reply); err != nil {
			return nil, fmt.Errorf("%s: %w", form, err)
		}
		out[k].name, out[k].total = kinds[k].name, reply.Messages.Total
		out[k].took = append(out[k].took, time.Since(began))
	}
	return out, nil
}

// postThenSearch posts a word that nobody wrote before and searches it at once.
func postThenSearch(s settings, sub *subject, c *wire.Conn, channel string) (found int, took []time.Duration, err error) {
	for i := range max(20, s.searches/8) {
		word := unique(1_000_000 + i)
		if err := sub.call(c, "chat.postMessage", "channel="+channel+"&text=look+for+"+word, nil); err != nil {
			return 0, nil, err
		}
		var reply struct{ Messages struct{ Total int } }
		began := time.Now()
		if err := sub.call(c, "search.messages", "query="+word, &reply); err != nil {
			return 0, nil, err
		}
		took = append(took, time.Since(began))
		if reply.Messages.Total == 1 {
			found++
		}
	}
	return found, took, nil
}

// residentBytes returns a process's resident memory, where the system reports
// it.
func residentBytes(pid int) (int64, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if os.IsNotExist(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kib << 10, err
		}
	}
	return 0, nil
}
