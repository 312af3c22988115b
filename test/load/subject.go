package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
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
	cred    server.Messaging
	path    string   // of the messaging API, with a slash at the end
	flags   []string // that name its database
	figures *figures
}

func start(dir string, flags []string) (*subject, error) {
	srv, err := server.Start(server.Options{Dir: dir, Args: append([]string{"--rate-limits", "off", "--log-level", "warn"}, flags...)})
	if err != nil {
		return nil, err
	}
	c, err := srv.Credentials()
	if err != nil {
		srv.Kill()
		return nil, err
	}
	return &subject{Server: srv, cred: c.Messaging, path: "/messaging/api/", flags: flags}, nil
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

// source returns the n-th request of a connection.
type source = func(worker, n int) []byte

// poster returns requests that each post another text to channel.
func (s *subject) poster(channel string, lang *words, connections int) source {
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

// fixed returns the same request every time.
func (s *subject) fixed(method, form string) source {
	r := s.request(method, form)
	return func(int, int) []byte { return r }
}

// restart stops the server and starts it on its folder again a few times,
// keeps the median of the time to the first answer, and reads the memory that
// the last one holds after two seconds of rest.
func (s *subject) restart(times int) error {
	var took []time.Duration
	for range times {
		if err := s.Stop(); err != nil {
			return err
		}
		again, err := start(s.Dir, s.flags)
		if err != nil {
			return err
		}
		again.figures = s.figures
		*s = *again
		took = append(took, again.Took)
	}
	time.Sleep(2 * time.Second)
	rss, err := residentBytes(s.PID())
	if err != nil {
		return err
	}
	slices.Sort(took)
	s.figures.starts = append(s.figures.starts, startup{first: took[len(took)/2], rss: rss})
	return nil
}

// pages returns requests for pages all over the channel, hardly ever the same
// one twice, so that no cache can answer them.
func (s *subject) pages(channel string) (source, error) {
	c, err := wire.Dial(s.Listen)
	if err != nil {
		return nil, err
	}
	defer c.Close()
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
