package otlp_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy/internal/ingest"
	"understudy/internal/ingest/blockstore"
	"understudy/internal/ingest/otlp"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/bus"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var update = flag.Bool("update", false, "write the trees in testdata anew")

var ctx = context.Background()

type wire struct {
	*otlp.Handler
	in     *ingest.Ingest
	events *blockstore.Store
	key    string
}

func open(t testing.TB) *wire {
	t.Helper()
	return openAt(t, clock.At(time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)))
}

// openAt opens a service with the clock of an environment.
func openAt(t testing.TB, c *clock.Clock) *wire {
	t.Helper()
	source, secrets, log := ids.Seeded(1, 0), ids.NewSecrets([]byte("root"), "l"), slog.New(slog.DiscardHandler)
	state := storetest.SQLite(t, []store.Schema{auth.Schema(), ingest.StateSchema()})
	world := storetest.SQLite(t, []store.Schema{blockstore.Schema(), ingest.EventsSchema()})
	events := blockstore.Open(world, log)
	a := auth.New(state, c, source, &bus.Bus{}, secrets)
	in := ingest.New(ingest.Deps{State: state, Events: world, Store: events, Upkeep: events.Upkeep, Auth: a, Clock: c, IDs: source, Secrets: secrets, Log: log})
	t.Cleanup(func() { in.Close(); events.Close() })
	if err := in.Provision(ctx); err != nil {
		t.Fatal(err)
	}
	return &wire{otlp.NewHandler(otlp.Deps{Ingest: in, Auth: a, Log: log}), in, events, in.DefaultKey("")}
}

const (
	protobuf = "application/x-protobuf"
	jsonType = "application/json"
)

// send posts a body. headers are pairs of names and values.
func (w *wire) send(kind string, body []byte, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/v1/traces", struct{ io.Reader }{bytes.NewReader(body)}) // of unknown length, like requests of Node
	r.Header.Set("Content-Type", kind)
	r.Header.Set("X-Api-Key", w.key)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	return rec
}

// tree returns everything that is stored, in the form of the reading API.
func (w *wire) tree(t testing.TB) string {
	t.Helper()
	project := w.in.DefaultProject()
	sessions, _, err := w.in.Sessions(ctx, project, ingest.Filter{}, ingest.SessionPosition{}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, s := range sessions {
		fmt.Fprintf(&b, "session %s user %q client %q events %d errors %d tokens %d/%d traits", s.ID, s.User, s.Client, s.Events, s.Errors, s.InputTokens, s.OutputTokens)
		for _, name := range []string{"plan", "tier", "tags"} {
			if v, ok := s.Traits[name]; ok {
				fmt.Fprintf(&b, " %s=%s", name, v)
			}
		}
		fmt.Fprintf(&b, " (%d)\n", len(s.Traits))
		_, forest, err := w.in.SessionTree(ctx, project, s.ID, ingest.Filter{}, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		draw(&b, "  ", forest.Roots)
	}
	return b.String()
}

func draw(b *strings.Builder, indent string, nodes []*ingest.Node) {
	for _, n := range nodes {
		fmt.Fprintf(b, "%s%s %s %q", indent, n.ID, n.Type, n.Name)
		if n.Model != "" {
			fmt.Fprintf(b, " model %s", n.Model)
		}
		if n.InputTokens >= 0 || n.OutputTokens >= 0 {
			fmt.Fprintf(b, " tokens %d/%d", n.InputTokens, n.OutputTokens)
		}
		fmt.Fprintf(b, " at %d for %d user %q", n.Time, n.Latency, n.User)
		if !n.Success {
			b.WriteString(" FAILED")
		}
		if n.ParentMissing {
			b.WriteString(" parent missing")
		}
		for _, line := range [][2]string{{"args", n.Args}, {"result", n.Result}, {"metadata", n.Metadata}, {"checkpoints", n.Checkpoints}} {
			if line[1] != "" {
				fmt.Fprintf(b, "\n%s    %s %s", indent, line[0], line[1])
			}
		}
		b.WriteByte('\n')
		draw(b, indent+"  ", n.Children)
	}
}

// The recorded requests of real clients result in the trees in the files beside them.
// Sending them twice changes nothing.
func TestRecordedRequests(t *testing.T) {
	bodies, _ := filepath.Glob("testdata/*.body.*")
	byStem := map[string][]string{}
	for _, path := range bodies {
		stem, _, _ := strings.Cut(filepath.Base(path), ".")
		if strings.HasPrefix(stem, "traceloop") {
			stem = "traceloop" // one request for each span
		}
		byStem[stem] = append(byStem[stem], path)
	}
	if len(byStem) != 10 {
		t.Fatalf("%d recordings: %v", len(byStem), byStem)
	}
	for stem, paths := range byStem {
		t.Run(stem, func(t *testing.T) {
			w := open(t)
			for range 2 {
				for _, path := range paths {
					body, err := os.ReadFile(path)
					if err != nil {
						t.Fatal(err)
					}
					kind, headers := protobuf, []string(nil)
					if strings.HasSuffix(path, ".json") {
						kind = jsonType
					}
					if strings.HasSuffix(path, ".gz") {
						headers = []string{"Content-Encoding", "gzip"}
					}
					rec := w.send(kind, body, headers...)
					if rec.Code != 200 || rec.Header().Get("Content-Type") != kind || kind == protobuf && rec.Body.Len() != 0 || kind == jsonType && rec.Body.String() != "{}" {
						t.Fatalf("%s: %d %s %q", path, rec.Code, rec.Header(), rec.Body)
					}
				}
			}
			got, golden := w.tree(t), filepath.Join("testdata", stem+".tree")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || got != string(want) {
				t.Errorf("%v\n%s", err, got)
			}
		})
	}
}

func zipped(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(b)
	_ = z.Close()
	return out.Bytes()
}
