package wire

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Load is a bounded closed loop: each connection sends, waits for the reply, and sends again.
type Load struct {
	Addr        string
	Connections int
	Next        func(worker, n int) []byte         // the request; called by one goroutine for each worker
	Good        func(status int, body []byte) bool // whether a reply is what was asked for
	Limit       int64                              // requests in all; 0 for no bound but the duration
	Duration    time.Duration
}

// Result is what one round of load measured.
type Result struct {
	Rate     float64 // replies a second
	P50, P99 time.Duration
	Count    int64
	Size     int // of the last reply's body
}

// Run loads until the duration or the limit is reached. A reply that is not
// good ends it with an error.
func (l Load) Run() (Result, error) {
	var (
		wg      sync.WaitGroup
		mu      sync.Mutex
		all     []time.Duration
		res     Result
		failure error
		started atomic.Int64
		stop    atomic.Bool
	)
	fail := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		stop.Store(true)
		if failure == nil {
			failure = err
		}
	}
	conns := make([]*Conn, l.Connections)
	for i := range conns {
		c, err := Dial(l.Addr)
		if err != nil {
			return res, err
		}
		defer c.Close()
		conns[i] = c
	}
	began := time.Now()
	deadline := began.Add(l.Duration)
	for i, c := range conns {
		wg.Go(func() {
			took := make([]time.Duration, 0, 1<<14)
			now := time.Now()
			for n := 0; now.Before(deadline) && !stop.Load(); n++ {
				if l.Limit > 0 && started.Add(1) > l.Limit {
					break
				}
				status, err := c.Do(l.Next(i, n))
				if err != nil {
					fail(err)
					return
				}
				if !l.Good(status, c.Body) {
					fail(fmt.Errorf("status %d: %.300s", status, c.Body))
					return
				}
				then := now
				now = time.Now()
				took = append(took, now.Sub(then))
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
			if len(took) > 0 { // others may have taken all requests
				res.Size = len(c.Body)
			}
		})
	}
	wg.Wait()
	spent := time.Since(began)
	res.Count = int64(len(all))
	if len(all) > 0 {
		res.Rate = float64(len(all)) / spent.Seconds()
		slices.Sort(all)
		res.P50, res.P99 = Percentile(all, 50), Percentile(all, 99)
	}
	return res, failure
}

// Percentile returns the p-th percentile of sorted values, 0 of none.
func Percentile(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, len(sorted)*p/100)]
}

// Median returns the medians of rounds, each figure for itself.
func Median(rounds []Result) Result {
	out := rounds[len(rounds)-1]
	m := len(rounds) / 2
	middle := func(get func(Result) float64) float64 {
		all := make([]float64, len(rounds))
		for i, r := range rounds {
			all[i] = get(r)
		}
		slices.Sort(all)
		return all[m]
	}
	out.Rate = middle(func(r Result) float64 { return r.Rate })
	out.P50 = time.Duration(middle(func(r Result) float64 { return float64(r.P50) }))
	out.P99 = time.Duration(middle(func(r Result) float64 { return float64(r.P99) }))
	return out
}
