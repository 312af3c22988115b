// Command events measures what telling others costs: how many events a second
// reach a fast receiver, and how much a receiver that hangs, or one that is
// dead with 10,000 deliveries queued, slows chat.postMessage. Environments of
// one server take turns in short rounds, so that the ratios hold whatever else
// the machine does. It does so on SQLite, then on PostgreSQL, and speaks the public wire alone.
package main

import (
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
