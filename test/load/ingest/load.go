package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	batchRows   = 500
	longSession = "99999999-0000-4000-8000-000000000001"
	userCount   = 10_000
)

// first is the time of the first event: thirty days of events end about now.
var first = time.Now().Add(-30 * 24 * time.Hour).UnixMilli()

func (s *server) post(path string, body []byte) {
	r, err := http.NewRequest(http.MethodPost, s.base+path, bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Api-Key", s.key)
	reply, err := s.http.Do(r)
	if err != nil {
		log.Fatal(err)
	}
	text, err := io.ReadAll(reply.Body)
	_ = reply.Body.Close()
	if err != nil || reply.StatusCode/100 != 2 || bytes.Contains(text[:min(len(text), 60)], []byte(`"accepted":0`)) {
		log.Fatalf("%s: %d %.300s %v", path, reply.StatusCode, text, err)
	}
}

// timed sends a request three times and returns the median time.
func (s *server) timed(path string) time.Duration {
	var all []time.Duration
	for range 3 {
		began := time.Now()
		r, _ := http.NewRequest(http.MethodGet, s.base+path, nil)
		r.Header.Set("X-Api-Key", s.key)
		reply, err := s.http.Do(r)
		if err != nil {
			log.Fatal(err)
		}
		text, err := io.ReadAll(reply.Body)
		_ = reply.Body.Close()
		if err != nil || reply.StatusCode != http.StatusOK {
			log.Fatalf("%s: %d %.300s %v", path, reply.StatusCode, text, err)
		}
		all = append(all, time.Since(began))
	}
	slices.Sort(all)
	return all[1]
}

// users registers a session for some users, so that they have traits.
func (s *server) users() {
	s.parallel(8, 2000, func(i int) {
		s.post("capture-session", fmt.Appendf(nil, `{"session_id":"88888888-0000-4000-8000-%012d","user_data":{"user_id":"user-%05d","plan":"%s"}}`,
			i, i*5, []string{"free", "pro", "team"}[i%3]))
	})
}

// parallel runs n calls on some goroutines and returns how long they took
// together.
func (s *server) parallel(goroutines, n int, call func(i int)) time.Duration {
	var next atomic.Int64
	var all sync.WaitGroup
	began := time.Now()
	for range goroutines {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				call(int(i))
			}
		})
	}
	all.Wait()
	return time.Since(began)
}

// batches sends events over thirty days. It also returns the bytes of one event.
func (s *server) batches(events, connections int) (took time.Duration, size int) {
	step := 30 * 24 * time.Hour.Milliseconds() / int64(events)
	bodies := sync.Pool{New: func() any { return new([]byte) }}
	var bytesSent atomic.Int64
	took = s.parallel(connections, events/batchRows, func(batch int) {
		buf := bodies.Get().(*[]byte)
		b := append((*buf)[:0], `{"events":[`...)
		for i := range batchRows {
			n := batch*batchRows + i
			if i > 0 {
				b = append(b, ',')
			}
			b = appendEvent(b, n, "", first+int64(n)*step)
		}
		b = append(b, `]}`...)
		bytesSent.Add(int64(len(b)))
		s.post("capture-events", b)
		*buf = b
		bodies.Put(buf)
	})
	return took, int(bytesSent.Load()) / events
}

func (s *server) each(events, connections int) time.Duration {
	now := time.Now().UnixMilli()
	return s.parallel(connections, events, func(i int) {
		s.post("capture-event", appendEvent(nil, 1_000_000_000+i, "", now))
	})
}

// longSession has 10,000 events, each the child of an earlier one.
func (s *server) longSession() {
	for batch := range 20 {
		b := []byte(`{"events":[`)
		for i := range batchRows {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendEvent(b, 2_000_000_000+batch*batchRows+i, longSession, time.Now().UnixMilli())
		}
		s.post("capture-events", append(b, `]}`...))
	}
}

// appendEvent writes event n. Ids are spread like random ones: a multiplication
// by an odd number hits every value once.
func appendEvent(b []byte, n int, session string, at int64) []byte {
	mixed := func(n int) uint64 { return uint64(n+1) * 0x9e3779b97f4a7c15 }
	uuid := func(b []byte, n int) []byte {
		h := fmt.Sprintf("%016x", mixed(n))
		b = append(append(append(b, h[:8]...), '-'), h[8:12]...)
		b = append(append(append(b, "-4"...), h[12:15]...), "-8000-"...)
		return append(append(b, h[15:]...), fmt.Sprintf("%011x", n)...)
	}
	random := mixed(n) >> 20
	b = uuid(append(b, `{"event_id":"`...), n)
	b = append(b, `","session_id":"`...)
	if session != "" {
		b = append(b, session...)
	} else {
		b = append(b, "77777777-0000-4000-8000-"...)
		b = append(b, fmt.Sprintf("%012d", n/2000*40+int(random%40))...)
	}
	b = append(b, `","primitive_name":"tool_`...)
	b = append(b, fmt.Sprintf("%02d", random/40%20)...)
	b = append(b, `","primitive_type":"tool","args":"{\"query\":\"status:open\",\"limit\":`...)
	b = strconv.AppendUint(b, random%1000, 10)
	b = append(b, `,\"customer\":\"acme\"}","result":"{\"orders\":[{\"id\":`...)
	b = strconv.AppendUint(b, random%100000, 10)
	b = append(b, `,\"status\":\"open\"},{\"id\":1002,\"status\":\"open\"}],\"note\":\"two orders found for the customer\"}","success":`...)
	b = strconv.AppendBool(b, random%25 != 0)
	b = append(b, `,"latency":`...)
	b = strconv.AppendUint(b, 5+random%997*(random%13), 10)
	b = append(b, `,"timestamp":`...)
	b = strconv.AppendInt(b, at, 10)
	if n%10 != 0 {
		b = uuid(append(b, `,"parent_id":"`...), n/10*10+(n%10)/2)
		b = append(b, '"')
	}
	b = append(b, `,"metadata":{"checkpoint.start":0,"checkpoint.db":12,"region":"eu"},"customer_id":"customer-`...)
	b = strconv.AppendUint(b, random%50, 10)
	b = append(b, `","user_id":"user-`...)
	b = append(b, fmt.Sprintf("%05d", random%userCount)...)
	b = append(b, `","input_tokens":`...)
	b = strconv.AppendUint(b, random%900, 10)
	b = append(b, `,"output_tokens":`...)
	b = strconv.AppendUint(b, random%300, 10)
	b = append(b, `,"model":"model-`...)
	b = strconv.AppendUint(b, random%3, 10)
	return append(b, `"}`...)
}
