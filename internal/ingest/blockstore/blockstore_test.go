package blockstore

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"testing"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var schemas = []store.Schema{Schema()}

func open(t *testing.T, w *store.World) *Store {
	t.Helper()
	s := Open(w, slog.New(slog.DiscardHandler))
	return s
}

func id(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012x", n) }

func event(n int) ingest.Event {
	return ingest.Event{ID: id(n), Session: fmt.Sprintf("session-%d", n%7), Name: fmt.Sprintf("tool-%d", n%3), Type: "tool",
		Args: fmt.Sprintf("args %d", n), Result: strings.Repeat("é", n%50), Time: 1_700_000_000_000 + int64(n)*1000, Received: 1_700_000_100_000,
		Success: n%5 != 0, Latency: int64(n % 90), InputTokens: ingest.Absent, OutputTokens: int64(n)}
}

func events(from, to int) (out []ingest.Event) {
	for n := from; n < to; n++ {
		out = append(out, event(n))
	}
	return out
}

// all returns the events of a project by id, and fails on one that is there twice.
func all(t *testing.T, s *Store, q ingest.Query) map[string]ingest.Event {
	t.Helper()
	q.Detail = true
	out := map[string]ingest.Event{}
	err := s.Query(context.Background(), q, func(c *ingest.Columns) (bool, error) {
		list, err := c.Detail()
		for _, e := range list {
			if _, twice := out[e.ID]; twice {
				t.Errorf("event %s is there twice", e.ID)
			}
			out[e.ID] = e
		}
		return true, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEventsComeBackAsTheyWentIn(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		s := open(t, w)
		defer s.Close()
		ctx := context.Background()
		list := events(0, 700) // more than 256 different texts in a column
		for i := range list {
			list[i].User = fmt.Sprintf("user-%d", i)
		}
		list[3].Parent, list[4].Parent, list[5].Parent = id(9999), "some text", list[100].ID
		list[6].ID, list[7].Untimed = "conv_1", true
		list[8].Metadata, list[9].Checkpoints = `{"a":1}`, `[{"name":"x","timestamp":1}]`
		if err := s.Append(ctx, "p", list); err != nil {
			t.Fatal(err)
		}
		got := all(t, s, ingest.Query{Project: "p"})
		for _, want := range list {
			if !reflect.DeepEqual(got[want.ID], want) {
				t.Fatalf("got  %+v\nwant %+v", got[want.ID], want)
			}
		}
		if n := len(all(t, s, ingest.Query{Project: "p", Sessions: []string{"session-3"}})); n != 700 { // the group whole
			t.Errorf("%d events in the groups of a session", n)
		}
		if n := len(all(t, s, ingest.Query{Project: "other"})); n != 0 {
			t.Errorf("%d events of another project", n)
		}
		if n := len(all(t, s, ingest.Query{Project: "p", From: list[699].Time + 1})); n != 0 {
			t.Errorf("%d events after the last", n)
		}
	})
}

func TestTheFirstOfTwoEventsWithOneIDIsKept(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		s := open(t, w)
		ctx := context.Background()
		first := events(0, 300)
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(s.Append(ctx, "p", append(first, first[:100]...))) // twice in one batch
		changed := events(200, 400)
		for i := range changed {
			changed[i].Args = "changed"
		}
		must(s.Append(ctx, "p", changed))     // some later
		must(s.Append(ctx, "p", changed[:1])) // and one alone
		must(s.Append(ctx, "q", changed[:1])) // another project has ids of its own
		s.Close()
		s = open(t, w) // it remembers across a restart
		defer s.Close()
		must(s.Append(ctx, "p", changed))
		must(s.Append(ctx, "p", changed[5:6]))
		got := all(t, s, ingest.Query{Project: "p"})
		if len(got) != 400 {
			t.Errorf("%d events, want 400", len(got))
		}
		if got[id(250)].Args != "args 250" || got[id(350)].Args != "changed" {
			t.Errorf("the later one won: %q, %q", got[id(250)].Args, got[id(350)].Args)
		}
		if n := len(all(t, s, ingest.Query{Project: "q"})); n != 1 {
			t.Errorf("%d events in q", n)
		}
	})
}

func TestAppendsAtOnceLoseAndDoubleNothing(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		s := open(t, w)
		defer s.Close()
		var work sync.WaitGroup
		for g := range 8 { // neighbours share half of their events, small and large appends mixed
			work.Go(func() {
				list := events(g*100, g*100+200)
				for len(list) > 0 {
					n := min(len(list), 1+len(list)%90)
					if err := s.Append(context.Background(), "p", list[:n]); err != nil {
						t.Error(err)
					}
					list = list[n:]
				}
			})
		}
		work.Wait()
		if n := len(all(t, s, ingest.Query{Project: "p"})); n != 900 {
			t.Errorf("%d events, want 900", n)
		}
		seq := int64(1) // the numbers have no gap and come in order
		err := s.Query(context.Background(), ingest.Query{}, func(c *ingest.Columns) (bool, error) {
			if c.First != seq {
				t.Errorf("a group begins at %d, want %d", c.First, seq)
			}
			seq += int64(c.N)
			return true, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestKeysInRunsAreFound(t *testing.T) {
	w := storetest.SQLite(t, schemas)
	s := open(t, w)
	ctx := context.Background()
	const batch = 20_000
	for from := 0; from < runKeys+2*batch; from += batch {
		list := make([]ingest.Event, batch)
		for i := range list {
			list[i] = ingest.Event{ID: id(from + i), Session: "s", Time: 1_700_000_000_000, Latency: ingest.Absent,
				InputTokens: ingest.Absent, OutputTokens: ingest.Absent}
		}
		if err := s.Append(ctx, "p", list); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	s = open(t, w)
	defer s.Close()
	if err := s.start(ctx); err != nil {
		t.Fatal(err)
	}
	runs := s.keys.(*keyRuns)
	if len(runs.runs) != 1 || len(runs.recent) >= runKeys {
		t.Fatalf("%d runs, %d recent keys", len(runs.runs), len(runs.recent))
	}
	before := runs.end
	if err := s.Append(ctx, "p", events(1000, 1500)); err != nil { // in the run
		t.Fatal(err)
	}
	if err := s.Append(ctx, "p", events(runKeys+batch, runKeys+batch+500)); err != nil { // after it
		t.Fatal(err)
	}
	if runs.end != before {
		t.Errorf("%d duplicates were kept", runs.end-before)
	}
}

func TestAClosedStoreRefuses(t *testing.T) {
	s := open(t, storetest.SQLite(t, schemas))
	s.Close()
	if err := s.Append(context.Background(), "p", events(0, 1)); err == nil {
		t.Error("an event was taken after the end")
	}
}

func FuzzDecodeColumns(f *testing.F) {
	f.Add(encodeColumns(events(0, 5), 0, nil, nil))
	f.Add(encodeColumns(events(0, 600), 0, nil, nil))
	f.Add([]byte{summed, 1, 0})
	for _, text := range earlier {
		b, _ := base64.StdEncoding.DecodeString(text)
		b[0] = unsummed // no change of a byte makes it another's checksum
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var c ingest.Columns
		if decodeColumns(b, &c, allColumns) != nil {
			return
		}
		for i := range c.N { // whatever was read can be walked over
			_ = c.Session.At(i) + c.Name.At(i) + c.Type.At(i) + c.Model.At(i) + c.Customer.At(i) + c.User.At(i)
			_ = c.Time[i] + c.Latency[i] + c.InputTokens[i] + c.OutputTokens[i]
		}
		_, _ = decodeEvents(&c, b, b)
		_, _ = decodeRows(&c, b, nil, []int{0, c.N - 1}[:min(c.N, 2)])
	})
}
