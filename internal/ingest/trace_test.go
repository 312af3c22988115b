package ingest_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"understudy/internal/ingest"
)

// span returns a span of a trace; spans are named by a number below 100.
func span(trace, n, above int, at int64) ingest.Span {
	s := ingest.Span{Trace: fmt.Sprintf("%032x", trace), Span: fmt.Sprintf("%016x", n), Event: ingest.Event{
		Name: fmt.Sprint("span", n), Type: ingest.TypeStep, Time: start + at, Success: true, Latency: 5, InputTokens: ingest.Absent, OutputTokens: ingest.Absent}}
	if above > 0 {
		s.Above = fmt.Sprintf("%016x", above)
	}
	return s
}

func call(s ingest.Span, input, output int64) ingest.Span {
	s.Call, s.Type, s.Model, s.InputTokens, s.OutputTokens = true, ingest.TypeModel, "m", input, output
	return s
}

func captureSpans(t *testing.T, in *ingest.Ingest, spans ...ingest.Span) {
	t.Helper()
	for i := range spans {
		if err := in.CheckSpan(project, &spans[i], in.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if err := in.CaptureSpans(ctx, project, spans); err != nil {
		t.Fatal(err)
	}
}

// agents is two traces of one conversation: an agent whose usage is the sum of
// its two calls, one of them below a step and itself around the call of a
// library; and one whose calls are not traced, so that its usage counts. The
// conversation is named by one span of each.
func agents() []ingest.Span {
	root := span(1, 1, 0, 0)
	root.Type, root.Name, root.Naming, root.User = ingest.TypeAgent, "Helper", "conv-42", "u-9"
	root.InputTokens, root.OutputTokens = 42, 18
	tool := span(1, 3, 2, 30)
	tool.Type, tool.Name, tool.Success = ingest.TypeTool, "weather", false
	alone := span(2, 1, 0, 3_600_000)
	alone.Type, alone.InputTokens, alone.OutputTokens = ingest.TypeAgent, 7, 3
	name := span(2, 2, 1, 3_600_001)
	name.Naming, name.Traits, name.Program = "conv-42", ingest.Members{"plan": json.RawMessage(`"pro"`)}, "demo"
	return []ingest.Span{root, span(1, 2, 1, 10), tool, call(span(1, 4, 2, 20), 21, 9), call(span(1, 5, 1, 40), 21, 9), call(span(1, 6, 5, 41), 21, 9), alone, name}
}

// state is all that readers see of the conversation.
func state(t *testing.T, in *ingest.Ingest) string {
	t.Helper()
	s, tree, err := in.SessionTree(ctx, project, "conv-42", ingest.Filter{}, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintln(&b, s.User, s.Client, s.Events, s.Errors, s.InputTokens, s.OutputTokens, s.Started-start, s.LastEvent-start, string(s.Traits["plan"]), s.Registered)
	var walk func(depth int, nodes []*ingest.Node)
	walk = func(depth int, nodes []*ingest.Node) {
		for _, n := range nodes {
			fmt.Fprintln(&b, strings.Repeat(" ", depth), n.Name, n.User, n.InputTokens, n.OutputTokens, n.ParentMissing)
			walk(depth+1, n.Children)
		}
	}
	walk(0, tree.Roots)
	sessions, _, err := in.Sessions(ctx, project, ingest.Filter{}, ingest.SessionPosition{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	points := func(f ingest.Filter) (lines string) {
		series, err := in.Series(ctx, project, ingest.SeriesQuery{Filter: f})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range series[0].Points {
			lines += fmt.Sprintln("hour", p.Events, p.Errors, p.InputTokens, p.OutputTokens)
		}
		return lines
	}
	rolled, raw := points(ingest.Filter{}), points(ingest.Filter{Users: []string{"u-9"}})
	if rolled != raw {
		t.Errorf("the events say\n%s, the roll-ups\n%s", raw, rolled)
	}
	b.WriteString(rolled)
	fmt.Fprintln(&b, len(sessions), "session")
	return b.String()
}

func TestSpansArriveInAnyOrder(t *testing.T) {
	const want = `u-9 demo 8 1 49 21 0 3600001 "pro" false
 Helper u-9 -1 -1 false
  span2 u-9 -1 -1 false
   span4 u-9 21 9 false
   weather u-9 -1 -1 false
  span5 u-9 -1 -1 false
   span6 u-9 21 9 false
 span1 u-9 7 3 false
  span2 u-9 -1 -1 false
hour 6 1 42 18
hour 2 0 7 3
1 session
`
	r := rand.New(rand.NewPCG(3, 5))
	for n := range 12 {
		spans := agents()
		switch n {
		case 0:
		case 1:
			slices.Reverse(spans)
		default:
			r.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
		}
		run(t, func(t *testing.T, in *ingest.Ingest) {
			for rest := spans; len(rest) > 0; {
				part := rest[:1+r.IntN(min(3, len(rest)))]
				if n == 0 {
					part = rest
				}
				captureSpans(t, in, slices.Clone(part)...)
				if r.IntN(2) == 0 {
					if err := in.CatchUp(ctx); err != nil {
						t.Fatal(err)
					}
				}
				if r.IntN(2) == 0 { // and once more
					captureSpans(t, in, slices.Clone(part)...)
				}
				rest = rest[len(part):]
			}
			if got := state(t, in); got != want {
				t.Errorf("sent as %v:\n%s", order(spans), got)
			}
			captureSpans(t, in, agents()...)
			if got := state(t, in); got != want {
				t.Errorf("sent again:\n%s", got)
			}
		})
	}
}

func order(spans []ingest.Span) (out []string) {
	for _, s := range spans {
		out = append(out, s.Trace[31:]+"/"+s.Span[15:])
	}
	return out
}

func TestTwoSendersOfOneTrace(t *testing.T) {
	run(t, func(t *testing.T, in *ingest.Ingest) {
		var wg sync.WaitGroup
		for sender := range 4 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(1, uint64(sender)))
				for range 5 {
					spans := agents()
					r.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
					for _, s := range spans {
						captureSpans(t, in, s)
					}
				}
			})
		}
		wg.Wait()
		if got := state(t, in); !strings.HasPrefix(got, "u-9 demo 8 1 49 21 0 3600001") {
			t.Error(got)
		}
	})
}

// A trace that names another trace, which is named itself, belongs to the same session.
func TestATraceNamedAfterAnotherTrace(t *testing.T) {
	one, two := fmt.Sprintf("%032x", 1), fmt.Sprintf("%032x", 2)
	for name, steps := range map[string][][2]string{
		"first to last": {{one, "conv-42"}, {two, one}},
		"last to first": {{two, one}, {one, "conv-42"}},
		"in a circle":   {{two, one}, {one, two}},
	} {
		run(t, func(t *testing.T, in *ingest.Ingest) {
			captureSpans(t, in, span(1, 1, 0, 0), span(2, 1, 0, 1))
			for i, step := range steps {
				s := span(1, 50+i, 0, 2)
				s.Trace, s.Naming = step[0], step[1]
				captureSpans(t, in, s)
			}
			captureSpans(t, in, span(1, 2, 0, 3), span(2, 2, 0, 4))
			sessions, _, err := in.Sessions(ctx, project, ingest.Filter{}, ingest.SessionPosition{}, 10)
			if err != nil || len(sessions) != 1 || sessions[0].Events != 6 {
				t.Errorf("%s: %v %+v", name, err, sessions)
			}
		})
	}
}

// Spans whose parents never come are forgotten; none of them stops the walk up.
func TestSpansAboveThatNeverCome(t *testing.T) {
	run(t, func(t *testing.T, in *ingest.Ingest) {
		captureSpans(t, in, call(span(1, 5, 9, 0), 1, 1), call(span(1, 6, 9, 0), 1, 1))
		circle := []ingest.Span{call(span(3, 1, 2, 0), 1, 1), call(span(3, 2, 1, 0), 1, 1)}
		captureSpans(t, in, circle[0])
		captureSpans(t, in, circle[1])
		self := span(4, 1, 1, 0)
		captureSpans(t, in, self)
		s, tree, err := in.SessionTree(ctx, project, self.Trace, ingest.Filter{}, nil, false)
		if err != nil {
			s, tree, err = in.SessionTree(ctx, project, fmt.Sprintf("%032x", 4), ingest.Filter{}, nil, false)
		}
		if err != nil || s.Events != 1 || tree.Roots[0].Parent != "" {
			t.Errorf("%v %+v", err, s)
		}
	})
}

func TestBadSpans(t *testing.T) {
	run(t, func(t *testing.T, in *ingest.Ingest) {
		for want, change := range map[string]func(s *ingest.Span){
			"trace_id must not be zero":                                    func(s *ingest.Span) { s.Trace = strings.Repeat("0", 32) },
			"trace_id must be 16 bytes":                                    func(s *ingest.Span) { s.Trace = "12" },
			"trace_id must be hexadecimal":                                 func(s *ingest.Span) { s.Trace = strings.Repeat("x", 32) },
			"span_id must be 8 bytes":                                      func(s *ingest.Span) { s.Span = "" },
			"timestamp must not be more than 24 hours ahead of the server": func(s *ingest.Span) { s.Time = 32_503_680_000_000 },
		} {
			s := span(1, 1, 0, 0)
			change(&s)
			if err := in.CheckSpan(project, &s, in.Now()); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", want, err)
			}
		}
		odd := span(1, 1, 0, 0)
		odd.Name, odd.Naming, odd.User = strings.Repeat("é", 200)+"\x00", strings.Repeat("s", 500), strings.Repeat("u", 500)
		captureSpans(t, in, odd)
	})
}
