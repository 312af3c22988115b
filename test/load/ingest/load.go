package main

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	batchRows   = 500
	longSession = "99999999-0000-4000-8000-000000000001"
	longEvents  = 10_000
	userCount   = 10_000
	period      = 30 * 24 * time.Hour
)

// first is the time of the first event: thirty days of events end about now.
var first = time.Now().Add(-period).UnixMilli()

// step returns the milliseconds between two of so many events.
func step(events int) int64 { return max(1, period.Milliseconds()/int64(events)) }

// sendUsers registers a session for some users, so that they have traits.
func sendUsers(b *subject) error {
	b.parallel(8, userCount/5, func(i int) {
		id, plan := user(i)
		b.capture("capture-session", fmt.Appendf(nil, `{"session_id":"88888888-0000-4000-8000-%012d","user_data":{"user_id":"%s","plan":"%s"}}`, i, id, plan))
	})
	return b.err()
}

// user returns the id and the plan of one of the users with traits.
func user(i int) (id, plan string) {
	return fmt.Sprintf("user-%05d", i*5), []string{"free", "pro", "team"}[i%3]
}

// sendBatches sends events over thirty days. It also returns the bytes of one event.
func sendBatches(b *subject, events, connections int) (took time.Duration, size int, err error) {
	step := step(events)
	bodies := sync.Pool{New: func() any { return new([]byte) }}
	var bytesSent atomic.Int64
	took = b.parallel(connections, events/batchRows, func(batch int) {
		buf := bodies.Get().(*[]byte)
		body := append((*buf)[:0], `{"events":[`...)
		for i := range batchRows {
			n := batch*batchRows + i
			if i > 0 {
				body = append(body, ',')
			}
			body = appendEvent(body, n, "", first+int64(n)*step)
		}
		body = append(body, `]}`...)
		bytesSent.Add(int64(len(body)))
		b.capture("capture-events", body)
		*buf = body
		bodies.Put(buf)
	})
	return took, int(bytesSent.Load()) / events, b.err()
}

// sendEach sends the events from a number on one by one. Their times are spread
// like those of batches.
func sendEach(b *subject, from, events, connections int) (time.Duration, error) {
	step := step(events)
	took := b.parallel(connections, events, func(i int) {
		b.capture("capture-event", appendEvent(nil, from+i, "", first+int64(i)*step))
	})
	return took, b.err()
}

// sendLongSession sends a session of 10,000 events, nine of ten the children of
// an earlier one.
func sendLongSession(b *subject) error {
	for batch := range longEvents / batchRows {
		body := []byte(`{"events":[`)
		for i := range batchRows {
			if i > 0 {
				body = append(body, ',')
			}
			body = appendEvent(body, 2_000_000_000+batch*batchRows+i, longSession, time.Now().UnixMilli())
		}
		b.capture("capture-events", append(body, `]}`...))
	}
	return b.err()
}

// mixed spreads numbers like random ones: a multiplication by an odd number hits
// every value once.
func mixed(n int) uint64 { return uint64(n+1) * 0x9e3779b97f4a7c15 }

// appendEvent writes event n.
func appendEvent(b []byte, n int, session string, at int64) []byte {
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
