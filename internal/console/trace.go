package console

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/cause"
	"understudy/internal/platform/diff"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/clone"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/record"
	"understudy/internal/platform/trace"
)

// noSession is the name for no session: requests grouped by trace.
const noSession = "-"

// traceReply is a session as its agent reported it, with the effects of the
// agent's requests. It and the types below only document the reply; tracing
// encodes it.
type traceReply struct {
	Session  *tracedSession `json:"session" description:"null for -, which stands for no session."`
	Turns    []tracedStep   `json:"turns" description:"What stands at the root of the session; without a session, one for each distributed trace."`
	Unjoined []callEffect   `json:"unjoined" description:"Requests of the agent that belong to no event."`
	Joined   tracedCounts   `json:"joined" description:"How many requests each rule has joined."`
}

type tracedSession struct {
	ID   string  `json:"session_id"`
	User *string `json:"user_id"`
}

// tracedStep is an event with its children.
type tracedStep struct {
	Event    *tracedEvent    `json:"event" description:"null without a session."`
	TraceID  *string         `json:"trace_id" description:"Of requests without a session; null otherwise."`
	Tools    tracedSteps     `json:"tools"`
	Requests []tracedRequest `json:"requests"`
}

// tracedSteps are the children of an event.
type tracedSteps []tracedStep

// JSONSchemaBytes describes them without members, which are those of a turn: the
// schema would be infinite.
func (tracedSteps) JSONSchemaBytes() ([]byte, error) {
	return []byte(`{"type": "array", "items": {"type": "object"}, "description": "The events below it, each with the members of a turn."}`), nil
}

type tracedEvent struct {
	ID      string  `json:"event_id"`
	Name    *string `json:"name"`
	Type    *string `json:"type"`
	Model   *string `json:"model"`
	Success bool    `json:"success"`
	Latency *int64  `json:"latency" description:"Milliseconds; null when not reported."`
	Tokens  *int64  `json:"tokens" description:"Input and output together; null when not reported."`
	Input   *int64  `json:"input_tokens"`
	Output  *int64  `json:"output_tokens"`
	Start   int64   `json:"start" description:"Milliseconds since 1970, real time as far as it is known."`
	End     int64   `json:"end" description:"Likewise."`
}

type tracedRequest struct {
	Seq        int64          `json:"seq"`
	Service    string         `json:"service"`
	Operations []string       `json:"operations"`
	Status     int            `json:"status"`
	Join       string         `json:"join" enum:"request,span,trace,order" description:"The rule by which it belongs to the event."`
	Actor      string         `json:"actor" enum:"agent,person,admin,system"`
	Via        *viaReply      `json:"via" description:"What made the request, when a tool did; null otherwise."`
	ParentSeq  *int64         `json:"parent_seq" description:"The request in whose course this one was made; null for none."`
	ReceivedAt *time.Time     `json:"received_at" description:"Real time; null for what an earlier version recorded."`
	DurationMS float64        `json:"duration_ms"`
	Fault      *faultNote     `json:"fault" description:"What a fault rule did to it; null for nothing."`
	Changes    []changeEffect `json:"changes"`
	Events     []eventEffect  `json:"events"`
}

type tracedCounts struct {
	Request int `json:"request"`
	Span    int `json:"span"`
	Trace   int `json:"trace"`
	Order   int `json:"order"`
}

// showTrace returns the handler that replies with a session of an agent and the
// effects of its requests.
func showTrace(d Deps) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		out := httpkit.Borrow()
		defer httpkit.GiveBack(out)
		err := d.Environments.Work(r.Context(), r.PathValue("env"), func(ctx context.Context, env *environment.Environment) (err error) {
			t := tracing{clones: d.Clones, ctx: ctx, env: env, room: budget.NewPage(ctx), out: *out}
			*out, err = t.read(r.PathValue("session"))
			return err
		})
		if err != nil {
			return err
		}
		httpkit.WriteBorrowed(w, http.StatusOK, *out)
		return nil
	}
}

// tracing builds the reply of one trace.
type tracing struct {
	out    []byte // what the reply is appended to
	clones *clone.Cloner
	ctx    context.Context
	env    *environment.Environment
	room   *budget.Page
	bytes  int    // approximate size of the reply
	ahead  *ahead // nil for none
	requestEffects
	tree    *trace.Tree
	written fragments
}

// requestBytes is the approximate size of a request, or an event of the session,
// in a reply.
const requestBytes = 400

// add counts bytes of the reply. It returns trace.TooLarge when there are too
// many.
func (t *tracing) add(bytes int) error {
	if err := t.room.Add(bytes); err != nil {
		return err
	}
	t.bytes += bytes
	if t.room.Full() {
		return trace.TooLarge.Detailf("The reply would have more than %d MiB; ask for the requests one by one.", budget.PageBytes>>20)
	}
	return nil
}

func (t *tracing) read(name string) ([]byte, error) {
	service, reports := environment.TracerIn(t.env)
	var requests []record.Request
	list := func() {
		requests = t.env.Recorder.List(record.Filter{Ascending: true, Outline: true, Limit: record.Full.Lines})
	}
	if name == noSession || reports == nil {
		list()
		return t.withoutSession(requests, service)
	}
	var s *trace.Session
	var err error
	ctx, stop := context.WithCancel(t.ctx)
	defer t.endAhead()
	defer stop()
	begun := make(chan int, 1) // receives the number of events in the session
	together(func() {
		list()
		t.readAhead(ctx, requests, service, <-begun)
	}, func() {
		defer close(begun)
		s, err = reports.Trace(t.ctx, name, func(events int) { begun <- events })
	})
	if err != nil {
		return t.out, err
	}
	numbers := s.Numbers()
	t.tree = trace.Join(s, requests, cause.Sources(t.env.Journal, s.World, s.Table, numbers), service)
	if err := t.readEffects(requests, t.tree.Seqs); err != nil {
		return t.out, err
	}
	if err := t.add(requestBytes*len(numbers) + callBytes*len(t.tree.Unjoined)); err != nil {
		return t.out, err
	}
	return t.appendSession(slices.Grow(t.out, t.bytes), s), nil
}

// withoutSession replies with the requests of an environment, grouped by trace.
func (t *tracing) withoutSession(requests []record.Request, service string) ([]byte, error) {
	groups, rest := trace.ByID(requests, service)
	var joined []int64
	for _, g := range groups {
		for _, one := range g.Requests {
			joined = append(joined, one.Request.Seq)
		}
	}
	slices.Sort(joined)
	if err := t.readEffects(requests, joined); err != nil {
		return t.out, err
	}
	if err := t.add(callBytes * len(rest)); err != nil {
		return t.out, err
	}
	t.tree = &trace.Tree{Unjoined: rest}
	t.tree.Count[trace.ByTrace] = len(joined)
	return t.appendGroups(slices.Grow(t.out, t.bytes), groups), nil
}

// readEffects reads the effects of some requests at once. seqs are their sorted
// numbers.
func (t *tracing) readEffects(requests []record.Request, seqs []int64) (err error) {
	if err := t.add(requestBytes * len(seqs)); err != nil {
		return err
	}
	if ahead := t.endAhead(); ahead != nil {
		t.requestEffects = *ahead
		return t.addEffects(requests, seqs)
	}
	if t.requestEffects, err = effectsOfRequests(t.ctx, t, requests, seqs, t.add); err != nil {
		return err
	}
	for i := range t.changes.list {
		if err := t.add(bytesOf(&t.changes.list[i])); err != nil {
			return err
		}
	}
	return nil
}

// requestEffects are the effects of requests: changed rows, and caused events.
type requestEffects struct {
	changes byRequest[diff.EffectOn]
	events  byRequest[outbox.Caused]
}

// effectsOfRequests returns the effects of the requests with some numbers. full
// is called with the approximate size of each event; its error ends the reading.
func effectsOfRequests(ctx context.Context, t *tracing, requests []record.Request, seqs []int64, full func(bytes int) error) (found requestEffects, err error) {
	var failed error
	together(func() {
		var changes []diff.EffectOn
		changes, failed = changesOf(ctx, t, seqs)
		found.changes = groupByRequest(changes, requests, func(x *diff.EffectOn) int64 { return x.Seq })
	}, func() {
		var events []outbox.Caused
		events, err = outbox.EventsOf(ctx, t.env.Outbox, seqs, full)
		found.events = groupByRequest(events, requests, func(x *outbox.Caused) int64 { return x.Cause })
	})
	if errors.Is(err, outbox.TooManyEvents) {
		err = trace.TooLarge.Detailf("More events of the environment wait for a delivery than can be searched.")
	}
	return found, cmp.Or(err, failed)
}

// manyEffects is the number of effects from which rows are read by two
// goroutines.
const manyEffects = 1000

// changesOf returns the changes of the requests with some numbers, in this order.
func changesOf(ctx context.Context, t *tracing, seqs []int64) ([]diff.EffectOn, error) {
	read := func(effects []diff.Effect) ([]diff.EffectOn, error) {
		found, err := clone.Effects(ctx, t.clones, t.env, effects)
		sortByRequest(found)
		return found, err
	}
	effects := t.env.Journal.Effects(seqs...)
	half := len(effects) / 2
	if half < manyEffects/2 {
		return read(effects)
	}
	var found, more []diff.EffectOn
	var err, failed error
	together(func() { more, failed = read(effects[half:]) }, func() { found, err = read(effects[:half]) })
	found = append(found, more...)
	sortByRequest(found) // each half is mostly sorted
	return found, cmp.Or(err, failed)
}

// sortByRequest sorts effects by request: those of concurrent requests are
// interleaved.
func sortByRequest(list []diff.EffectOn) {
	bySeq := func(a, b diff.EffectOn) int { return cmp.Compare(a.Seq, b.Seq) }
	if !slices.IsSortedFunc(list, bySeq) {
		slices.SortStableFunc(list, bySeq)
	}
}

// together runs two functions concurrently, and returns or panics when both have
// ended. It repeats a panic of first, which runs in another goroutine, in the
// caller's.
func together(first, second func()) {
	failed := make(chan any, 1)
	go func() {
		defer func() { failed <- recover() }()
		first()
	}()
	defer func() {
		if p := <-failed; p != nil {
			panic(p)
		}
	}()
	second()
}

// byRequest groups effects by request.
type byRequest[T any] struct {
	list []T
	ends []int // by the index of the request: the index in the list after its last effect
}

// groupByRequest groups a list by request. Both are in the order of the requests'
// numbers, which seqOf returns.
func groupByRequest[T any](list []T, requests []record.Request, seqOf func(*T) int64) byRequest[T] {
	ends, to := make([]int, len(requests)), 0
	for i := range requests {
		for to < len(list) && seqOf(&list[to]) <= requests[i].Seq {
			to++
		}
		ends[i] = to
	}
	return byRequest[T]{list, ends}
}

// of returns the effects of the request at an index.
func (b *byRequest[T]) of(at int) []T {
	from := 0
	if at > 0 {
		from = b.ends[at-1]
	}
	return b.list[from:b.ends[at]]
}

// The approximate sizes of a change, and of a request without effects, in a
// reply.
const (
	changeBytes = 80
	callBytes   = 80
)

func bytesOf(x *diff.EffectOn) int { return changeBytes + len(x.Key) }

func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
