package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"understudy/internal/platform/budget"
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
		requestEffects: requestEffects{changes: groupByRequest([]diff.EffectOn{{Seq: 7, Op: "insert", Service: "messaging", Entity: "message", Key: "C1/1.5"}, {Seq: 7, Op: "update", Service: "crm", Entity: "contact"}},
			requests, func(x *diff.EffectOn) int64 { return x.Seq }),
			events: groupByRequest([]outbox.Caused{{Seq: 3, Cause: 7, Service: "messaging", Type: "message", Key: "C1", Deliveries: []outbox.Delivery{{ID: 99, Destination: "s1", Status: outbox.Failed, Attempts: 4}}}, {Cause: 7}},
				requests, func(x *outbox.Caused) int64 { return x.Cause })},
		tree: &trace.Tree{Unjoined: []*record.Request{plain, odd}, Count: [4]int{trace.BySpan: 1, trace.ByOrder: 1}},
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

// What requests and events have in common with others is written from what was kept
// of those: each one still has its own members, however many kinds there are.
func TestTracesOfManyKinds(t *testing.T) {
	var requests []record.Request
	for i := range 4 * mostFragments {
		for range 2 {
			base := record.Request{Service: "crm", Operations: []string{"crm.a"}, Status: 200, Actor: record.Agent}
			switch n := i / 6; i % 6 {
			case 0:
				base.Service = fmt.Sprint("service", n)
			case 1:
				base.Operations = []string{"crm.a", fmt.Sprint("crm.", n)}
			case 2:
				base.Status = 300 + n
			case 3:
				base.Actor = []record.Actor{record.Person, record.Admin, record.System}[n%3]
			case 4:
				base.Tool = fmt.Sprint("tool", n)
			}
			base.Seq = int64(len(requests) + 1)
			requests = append(requests, base)
		}
	}
	var events []outbox.Caused
	var joined []trace.Joined
	for i := range requests {
		kind := i % (2 * mostFragments)
		events = append(events, outbox.Caused{Seq: int64(i), Cause: requests[i].Seq, Service: fmt.Sprint("s", kind%3), Type: fmt.Sprint("t", kind/3), Key: fmt.Sprint("k", i)})
		joined = append(joined, trace.Joined{Request: &requests[i], By: []trace.Rule{trace.BySpan, trace.ByOrder}[i%2], At: i})
	}
	reading := tracing{
		requestEffects: requestEffects{events: groupByRequest(events, requests, func(x *outbox.Caused) int64 { return x.Cause }),
			changes: groupByRequest([]diff.EffectOn{}, requests, func(x *diff.EffectOn) int64 { return x.Seq })},
		tree: &trace.Tree{},
	}
	var reply traceReply
	if err := json.Unmarshal(reading.appendGroups(nil, []trace.Group{{ID: "t", Requests: joined}}), &reply); err != nil {
		t.Fatal(err)
	}
	for i, got := range reply.Turns[0].Requests {
		want, tool := &requests[i], ""
		if got.Via != nil {
			tool = got.Via.Tool
		}
		if got.Seq != want.Seq || got.Service != want.Service || !slices.Equal(got.Operations, want.Operations) || got.Status != want.Status ||
			got.Actor != want.Actor.String() || tool != want.Tool || got.Join != joined[i].By.String() {
			t.Errorf("%+v is written of %+v, joined by %s", got, *want, joined[i].By)
		}
		if e := got.Events; len(e) != 1 || e[0].Service != events[i].Service || e[0].Type != events[i].Type || e[0].Key != events[i].Key {
			t.Errorf("the events of request %d are %+v", want.Seq, e)
		}
	}
}

// What was read in advance counts as far as it belongs to the session.
func TestOnlyJoinedEffectsCount(t *testing.T) {
	requests := []record.Request{{Seq: 3}, {Seq: 7}, {Seq: 9}}
	changes := []diff.EffectOn{{Seq: 3, Key: "a key"}, {Seq: 7, Key: "key"}, {Seq: 9}}
	events := []outbox.Caused{{Cause: 7, Deliveries: make([]outbox.Delivery, 2)}, {Cause: 9}}
	for _, c := range []struct {
		joined []int64
		bytes  int
	}{
		{nil, 0},
		{[]int64{7}, bytesOf(&changes[1]) + events[0].Bytes()},
		{[]int64{3, 9}, bytesOf(&changes[0]) + bytesOf(&changes[2]) + events[1].Bytes()},
	} {
		reading := tracing{room: budget.NewPage(t.Context()), requestEffects: requestEffects{
			events:  groupByRequest(events, requests, func(x *outbox.Caused) int64 { return x.Cause }),
			changes: groupByRequest(changes, requests, func(x *diff.EffectOn) int64 { return x.Seq })}}
		if err := reading.addEffects(requests, c.joined); err != nil || reading.bytes != c.bytes {
			t.Errorf("joined %v: %d bytes, want %d: %v", c.joined, reading.bytes, c.bytes, err)
		}
	}
}
