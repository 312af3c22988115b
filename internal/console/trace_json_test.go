package console

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/record"
	"understudy/internal/platform/trace"
)

// The appended JSON equals the encoding of the described reply.
func TestTracesAreWrittenAsDescribed(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 120_000_000, time.UTC)
	plain := &record.Request{Seq: 7, Service: "messaging", Operations: []string{"messaging.chat.postMessage"}, Status: 200, Actor: record.Agent, Duration: 1234 * time.Microsecond, ReceivedAt: at}
	odd := &record.Request{Seq: 8, Service: "crm", Status: 502, Tool: "a \"tool\"\n", Parent: 7, Fault: &record.Fault{ID: "f", Do: "drop", Committed: true}}
	requests := []record.Request{{Seq: 6}, *plain, *odd}
	child := &trace.Event{ID: "b", Name: "search", Type: "tool", Latency: 12, InputTokens: trace.Absent, OutputTokens: trace.Absent,
		Requests: []trace.Joined{{Request: plain, By: trace.BySpan, At: 1}, {Request: odd, By: trace.ByOrder, At: 2}}}
	root := &trace.Event{ID: "a", Model: "m-1", Success: true, Latency: trace.Absent, InputTokens: 3, OutputTokens: trace.Absent, Children: []*trace.Event{child, {ID: "c", Latency: trace.Absent}},
		Span: trace.Span{Start: 5_000, End: 99_000}}
	reading := tracing{
		changes: groupByRequest([]diff.EffectOn{{Seq: 7, Op: "insert", Service: "messaging", Entity: "message", Key: "C1/1.5"}, {Seq: 7, Op: "update", Service: "crm", Entity: "contact"}},
			requests, func(x *diff.EffectOn) int64 { return x.Seq }),
		events: groupByRequest([]outbox.Caused{{Seq: 3, Cause: 7, Service: "messaging", Type: "message", Key: "C1", Deliveries: []outbox.Delivery{{ID: 99, Destination: "s1", Status: outbox.Failed, Attempts: 4}}}, {Cause: 7}},
			requests, func(x *outbox.Caused) int64 { return x.Cause }),
		tree: &trace.Tree{Unjoined: []*record.Request{plain, odd}, Count: map[string]int{trace.BySpan: 1, trace.ByOrder: 1}},
	}
	session := reading.appendSession(nil, &trace.Session{ID: "s", User: "ünï", Roots: []*trace.Event{root}})
	many := reading.appendSession(nil, &trace.Session{ID: "s", Roots: []*trace.Event{root, {ID: "d", Latency: trace.Absent}, root}})
	groups := reading.appendGroups(nil, []trace.Group{{ID: "t1", Requests: []trace.Joined{{Request: odd, By: trace.ByTrace, At: 2}}}, {ID: "t2"}})
	for _, written := range [][]byte{session, many, groups, reading.appendGroups(nil, nil)} {
		var reply traceReply
		d := json.NewDecoder(bytes.NewReader(written))
		d.DisallowUnknownFields()
		if err := d.Decode(&reply); err != nil {
			t.Fatalf("%v in %s", err, written)
		}
		var encoded bytes.Buffer
		e := json.NewEncoder(&encoded)
		e.SetEscapeHTML(false)
		if err := e.Encode(reply); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(written, encoded.Bytes()) {
			t.Errorf("written\n%s\nthe description encodes to\n%s", written, encoded.Bytes())
		}
	}
}
