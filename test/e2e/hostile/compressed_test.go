package hostile

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// zeros is a batch of as many values as 20 MiB hold.
var zeros = []byte(`{"events":[` + strings.Repeat("0,", 10<<20-20) + `0]}`)

// packed returns zeros in a Content-Encoding.
func packed(coding string) []byte {
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "zstd":
		w, _ = zstd.NewWriter(&b, zstd.WithWindowSize(8<<20))
	}
	_, _ = w.Write(zeros)
	_ = w.Close()
	return b.Bytes()
}

// wideWindow returns a body of zstd that makes its decoder hold 16 MiB, and has no content.
func wideWindow() []byte {
	return []byte{0x28, 0xb5, 0x2f, 0xfd, 0 /* no size, no checksum */, 14 << 3 /* 1 KiB << 14 */, 1, 0, 0 /* the last block, empty */}
}

// A few kilobytes that become 20 MiB are refused at once, and memory stays.
func TestCompressedBodies(t *testing.T) {
	t.Parallel()
	x := open(t)
	for name, a := range map[string]attack{
		"gzip":             {coding: "gzip", body: packed("gzip")},
		"deflate":          {coding: "deflate", body: packed("deflate")},
		"zstd":             {coding: "zstd", body: packed("zstd")},
		"zstd, wide":       {coding: "zstd", body: wideWindow()},
		"zstd, wide later": {coding: "zstd", body: append(append([]byte{0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0}, "skip"...), wideWindow()...)},
	} {
		if len(a.body) > 40<<10 {
			t.Fatalf("%s: %d bytes", name, len(a.body))
		}
		peak := x.watch()
		var senders sync.WaitGroup
		for range 16 {
			senders.Go(func() {
				began := time.Now()
				r, _ := http.NewRequest("POST", x.s.URL+"/ingest/api/v1/capture-events", bytes.NewReader(a.body))
				r.Header.Set("x-api-key", x.ingest)
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Content-Encoding", a.coding)
				reply, err := x.c.Do(r)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				text, _ := io.ReadAll(reply.Body)
				_ = reply.Body.Close()
				if s := reply.StatusCode; s != 413 && s != 400 && (s != 503 || reply.Header.Get("Retry-After") == "") || time.Since(began) > 10*time.Second {
					t.Errorf("%s: %d after %s: %.200s", name, s, time.Since(began), text)
				}
			})
		}
		senders.Wait()
		if most := peak(); most > 350 {
			t.Errorf("%s: %d MiB", name, most)
		}
	}
	if status := x.post("/ingest/api/v1/capture-events", x.ingest, `{"events":[]}`); status/100 == 5 {
		t.Errorf("afterwards: %d", status)
	}
}

// Uploads that never end hold a share of memory; those of other keys and
// services go on.
func TestHalfOpenUploadsOfOneKey(t *testing.T) {
	t.Parallel()
	x := open(t)
	other := x.newKey("other")
	before := x.s.Resident(t)
	for _, sent := range []int{1, 600_000} {
		half := x.halfOpen(200, sent)
		time.Sleep(500 * time.Millisecond)
		text := strings.Repeat("x", 3000)
		var rows []string
		for i := range 400 {
			rows = append(rows, fmt.Sprintf(`{"event_id":"00000000-0000-4000-8000-%06d%06d","session_id":%q,"primitive_name":"t","args":%q}`, sent, i, session, text))
		}
		batch := `{"events":[` + strings.Join(rows, ",") + `]}`
		for range 5 {
			began := time.Now()
			if status := x.post("/ingest/api/v1/capture-events", other, batch); status != 202 || time.Since(began) > 2*time.Second {
				t.Errorf("after %d bytes on %d uploads a batch of another project: %d after %s", sent, len(half), status, time.Since(began))
			}
			if status := x.post("/messaging/api/chat.postMessage", x.bot, `{"channel":"general","text":"hi","metadata":{"event_type":"x","event_payload":{"a":"`+strings.Repeat("y", 100_000)+`"}}}`); status != 200 {
				t.Errorf("a long post: %d", status)
			}
		}
		if now := x.s.Resident(t); now > before+150 {
			t.Errorf("%d MiB, %d before", now, before)
		}
		for _, c := range half {
			_ = c.Close()
		}
	}
}

// newKey returns an ingestion key of a project of its own.
func (x *target) newKey(name string) string {
	r, _ := http.NewRequest("POST", x.s.URL+"/ingest/api/v1/api-keys", strings.NewReader(fmt.Sprintf(`{"name":%q,"project":%q}`, name, name)))
	r.Header.Set("Authorization", "Bearer "+x.admin)
	var made struct{ Token string }
	x.decode(r, &made)
	return made.Token
}
