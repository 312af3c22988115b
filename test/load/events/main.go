// Command events measures what telling others costs: how many events a second
// reach a fast receiver, and how much a receiver that hangs, or one that is
// dead with 10,000 deliveries queued, slows chat.postMessage. Environments of
// one server take turns in short rounds, so that the ratios hold whatever else
// the machine does. It does so on SQLite, then on PostgreSQL, and speaks the public wire alone.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"understudy/internal/platform/store/storetest/throwaway"
	"understudy/test/load/databases"
	"understudy/test/server"
)

func main() {
	bin := flag.String("bin", "bin/understudy", "the binary to measure")
	duration := flag.Duration("duration", 5*time.Second, "of the stream of events")
	rate := flag.Int("rate", 2000, "events a second in the stream")
	rounds := flag.Int("rounds", 12, "rounds of each environment")
	round := flag.Duration("round", 250*time.Millisecond, "length of a round")
	queued := flag.Int("queued", 10_000, "deliveries queued for the dead receiver")
	postgres := flag.Bool("postgres", true, "measure PostgreSQL too, on a server that is started for it")
	yardstick := flag.Bool("bare", false, "be the bare server")
	flag.Parse()
	if *yardstick {
		if err := serveBare(); err != nil {
			fmt.Fprintln(os.Stderr, "events:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*bin, *postgres, load{*duration, *rate, *rounds, *round, *queued}); err != nil {
		fmt.Fprintln(os.Stderr, "events:", err)
		os.Exit(1)
	}
}

// load is what is sent.
type load struct {
	duration time.Duration // of the stream
	rate     int           // events a second in it
	rounds   int           // of each environment
	round    time.Duration // the length of one
	queued   int           // deliveries for the dead receiver
}

func run(bin string, postgres bool, l load) error {
	path, err := filepath.Abs(bin)
	if err == nil {
		err = os.Setenv("UNDERSTUDY_BIN", path)
	}
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "understudy-events-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := l.measure("", filepath.Join(dir, "sqlite"), nil); err != nil || !postgres {
		return err
	}
	database, err := databases.Start(dir)
	if err != nil || database == nil {
		return err
	}
	defer database.Stop()
	return l.measure("PostgreSQL ", filepath.Join(dir, "postgres"), database)
}

// measure measures one database, nil for SQLite. Each line begins with a prefix.
func (l load) measure(prefix, dir string, database *throwaway.Server) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	flags, err := databases.Flags(database, "events")
	if err != nil {
		return err
	}
	s, err := server.Start(server.Options{Dir: dir, Args: append([]string{"--rate-limits", "off"}, flags...)})
	if err != nil {
		return err
	}
	defer func() { _ = s.Stop() }()
	r, err := receive()
	if err != nil {
		return err
	}
	if err := stream(prefix, s, r, l.duration, l.rate); err != nil {
		return err
	}
	return l.compare(prefix, dir, s, r, database == nil)
}

// receiver answers at /fast, never at /hang, and what it is sent at /dead only
// when an address is verified: its port is closed afterwards.
type receiver struct {
	url    string
	fast   atomic.Int64
	sample atomic.Pointer[chan sample] // receives the next request; nil for nobody
}

func receive() (*receiver, error) {
	r := &receiver{}
	url, _, err := r.listen()
	r.url = url
	return r, err
}

func (r *receiver) listen() (string, *http.Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	s := &http.Server{Handler: r}
	go func() { _ = s.Serve(l) }()
	return "http://" + l.Addr().String(), s, nil
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if to := r.sample.Swap(nil); to != nil {
		body, _ := io.ReadAll(q.Body)
		*to <- sample{r.url + q.URL.Path, q.Header.Clone(), body}
		r.fast.Add(1)
		return
	}
	body := make([]byte, 512)
	n, _ := q.Body.Read(body)
	if _, rest, ok := strings.Cut(string(body[:n]), `"challenge":"`); ok {
		challenge, _, _ := strings.Cut(rest, `"`)
		_, _ = w.Write([]byte(challenge))
		return
	}
	if strings.HasPrefix(q.URL.Path, "/hang") {
		<-q.Context().Done()
		return
	}
	r.fast.Add(1)
}

// quiet waits until nothing more arrives, so that one turn's events do not fall into the next.
func (r *receiver) quiet() {
	for before := int64(-1); before != r.fast.Load(); {
		before = r.fast.Load()
		time.Sleep(30 * time.Millisecond)
	}
}

// stream posts at a steady rate and waits for the events.
func stream(prefix string, s *server.Server, r *receiver, duration time.Duration, rate int) error {
	e, err := newEnvironment(s, "stream")
	if err != nil {
		return err
	}
	if err := e.subscribe(r.url + "/fast"); err != nil {
		return err
	}
	const workers = 8
	before := r.fast.Load()
	var wg sync.WaitGroup
	var posted, peak atomic.Int64
	errs := make(chan error, workers)
	done := make(chan struct{})
	go watch(s.PID(), &peak, done)
	began := time.Now()
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c, err := dial(s.Listen)
			if err != nil {
				errs <- err
				return
			}
			defer c.close()
			request := e.post(w)
			for n := 0; ; n++ {
				at := time.Duration(n*workers+w) * time.Second / time.Duration(rate)
				if at > duration {
					return
				}
				time.Sleep(time.Until(began.Add(at)))
				if err := c.do(request); err != nil {
					errs <- err
					return
				}
				posted.Add(1)
			}
		}()
	}
	wg.Wait()
	close(errs)
	if err := <-errs; err != nil {
		return err
	}
	ended := time.Now()
	for r.fast.Load()-before < posted.Load() {
		if time.Since(ended) > 20*time.Second {
			return fmt.Errorf("%d of %d events arrived", r.fast.Load()-before, posted.Load())
		}
		time.Sleep(time.Millisecond)
	}
	close(done)
	fmt.Printf("%sstream: %d posts and events in %.2f s: %.0f a second; the last event came %s after the last reply; resident memory at most %d MiB\n",
		prefix, posted.Load(), time.Since(began).Seconds(), float64(posted.Load())/time.Since(began).Seconds(), time.Since(ended).Round(time.Millisecond), peak.Load()>>20)
	return nil
}

// subject is what posts are sent to in turn.
type subject struct {
	name, addr string
	request    func(worker int) []byte
	base       int // the subject to which its median is compared
	took       []time.Duration
}

// compare posts to environments in turn and returns the medians. control has no
// receiver either: the difference to it is the error of the measurement. A bare
// server, which is measured beside SQLite, has one of its own without a receiver.
func (l load) compare(prefix, dir string, s *server.Server, r *receiver, yardstick bool) error {
	var all []*subject
	envs := map[string]*environment{}
	for _, name := range []string{"nobody", "control", "fast", "hanging", "dead"} {
		e, err := newEnvironment(s, name)
		if err != nil {
			return err
		}
		switch name {
		case "fast":
			err = e.subscribe(r.url + "/fast")
		case "hanging":
			err = e.subscribe(r.url + "/hang")
		case "dead":
			err = queue(s, r, e, l.queued)
		}
		if err != nil {
			return err
		}
		envs[name] = e
		all = append(all, &subject{name: "receiver " + name, addr: s.Listen, request: e.post})
	}
	if yardstick {
		w, err := observe(dir, s, r, envs["nobody"], envs["fast"])
		if err != nil {
			return err
		}
		b, err := startBare(w)
		if err != nil {
			return err
		}
		defer b.stop()
		own := len(all)
		for _, name := range []string{"nobody", "fast"} {
			all = append(all, &subject{name: "bare, " + name, addr: b.addr, base: own, request: func(worker int) []byte {
				_, rest, _ := bytes.Cut(envs[name].post(worker), []byte(" HTTP/1.1"))
				return slices.Concat(fmt.Appendf(nil, "POST /%s/%d HTTP/1.1", name, worker), rest)
			}})
		}
	}
	const workers = 2
	for n := range l.rounds {
		for k := range all {
			x := all[(n+k)%len(all)]
			took, err := hammer(x, workers, l.round)
			if err != nil {
				return err
			}
			x.took = append(x.took, took...)
			r.quiet()
		}
	}
	for _, x := range all {
		m, base := median(x.took), median(all[x.base].took)
		fmt.Printf("%s%-16s  chat.postMessage p50 %6.0f µs, %+5.1f %% of nobody's; p99 %6.0f µs; %d posts\n", prefix, x.name, float64(m.Nanoseconds())/1000,
			100*(float64(m)/float64(base)-1), float64(x.took[len(x.took)*99/100].Nanoseconds())/1000, len(x.took))
	}
	return nil
}

// observe returns what the bare server must do to do the same as the program for
// a post.
func observe(dir string, s *server.Server, r *receiver, nobody, fast *environment) (w bareWork, err error) {
	c, err := dial(s.Listen)
	if err != nil {
		return w, err
	}
	defer c.close()
	const posts = 50
	index := filepath.Join(s.Dir, "worlds", "env_"+nobody.id+".db-shm")
	for try := 0; w.Logged <= 0; try++ {
		before, err := databases.LogEnd(index)
		for i := 0; err == nil && i < posts; i++ {
			err = c.do(nobody.post(0))
		}
		if err != nil {
			return w, err
		}
		after, err := databases.LogEnd(index)
		if err != nil || try > 3 {
			return w, fmt.Errorf("the log went from %d to %d: %w", before, after, err)
		}
		w.Logged = (after - before) / posts // less than nothing if it has begun anew
	}
	got := make(chan sample, 1)
	r.sample.Store(&got)
	if err := c.do(fast.post(0)); err != nil {
		return w, err
	}
	w.File, w.Reply = filepath.Join(dir, "bare", "log"), c.size
	select {
	case w.Event = <-got:
	case <-time.After(20 * time.Second):
		return w, errors.New("no event arrived")
	}
	fmt.Printf("a post: %d bytes of the log, a reply of %d, an event of %d\n", w.Logged, w.Reply, len(w.Event.Body))
	return w, nil
}

// queue fills an environment with deliveries for a receiver that has gone.
func queue(s *server.Server, r *receiver, e *environment, n int) error {
	url, gone, err := r.listen()
	if err != nil {
		return err
	}
	if err := e.subscribe(url + "/dead"); err != nil {
		return err
	}
	_ = gone.Close()
	const workers = 8
	errs := make(chan error, workers)
	for w := range workers {
		go func() {
			c, err := dial(s.Listen)
			for i := 0; err == nil && i < n/workers; i++ {
				err = c.do(e.post(w))
			}
			errs <- err
		}()
	}
	for range workers {
		err = errors.Join(err, <-errs)
	}
	return err
}

func hammer(x *subject, workers int, round time.Duration) (all []time.Duration, err error) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c, failed := dial(x.addr)
			var took []time.Duration
			if failed == nil {
				defer c.close()
				request := x.request(w)
				for began := time.Now(); time.Since(began) < round && failed == nil; {
					then := time.Now()
					failed = c.do(request)
					took = append(took, time.Since(then))
				}
			}
			mu.Lock()
			defer mu.Unlock()
			all, err = append(all, took...), errors.Join(err, failed)
		}()
	}
	wg.Wait()
	return all, err
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// watch keeps the largest resident memory of a process, in bytes.
func watch(pid int, peak *atomic.Int64, done chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-time.After(20 * time.Millisecond):
		}
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if err != nil {
			continue
		}
		var size, resident int64
		if _, err := fmt.Sscan(string(b), &size, &resident); err == nil {
			peak.Store(max(peak.Load(), resident*int64(os.Getpagesize())))
		}
	}
}
