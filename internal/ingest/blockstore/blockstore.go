// Package blockstore stores ingested events in SQLite or PostgreSQL as blocks of
// columns: the events of one append are a few rows, not thousands, and a query
// over millions of events reads a dozen bytes of each.
//
// It implements only one rule: of several events of a project with the same id it
// stores the first.
package blockstore

import (
	"context"
	"embed"
	"io/fs"
	"log/slog"
	"sync"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"understudy/internal/ingest"
	"understudy/internal/platform/background"
	"understudy/internal/platform/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Schema declares the tables of the store.
func Schema() store.Schema {
	sub, _ := fs.Sub(migrations, "migrations")
	return store.Schema{Name: "event", Migrations: sub, Tables: map[string]store.Class{
		"event_block": store.WorldClass, "event_detail": store.WorldClass, "event_session": store.WorldClass,
		"event_session_block": store.WorldClass, "event_counter": store.WorldClass, "event_key": store.WorldClass,
		"event_key_run": store.WorldClass, "event_key_page": store.WorldClass,
		"event_run": store.WorldClass, "event_run_term": store.WorldClass, "event_erasure": store.WorldClass}}
}

// Store is an ingest.EventStore.
type Store struct {
	blocks
	log   *slog.Logger
	mu    sync.RWMutex // locked by Close and start, read-locked by appends
	ended bool

	keys keyIndex // made at the first append

	small    *background.Worker // writes gathered appends
	gathered gatherer

	sessions sessionNumbers
	// linkEvents is the constant with this name, except in tests.
	linkEvents int64

	// Upkeep is the maintenance of the store.
	Upkeep *Upkeep

	// Lazy postpones indexing until a query needs the index.
	Lazy bool

	// Damaged is called once for each damaged block that is found; nil for nothing.
	Damaged func()

	// Rebuilt is called once for each damaged part of an index that is found and
	// rebuilt from the blocks; nil for nothing.
	Rebuilt func()
}

// blocks runs queries on the stored blocks.
type blocks struct {
	world      *store.World
	quarantine quarantine
	index      *index
}

// keyIndex finds events by the hashes of their ids. It returns candidates: the
// store also compares the ids themselves.
type keyIndex interface {
	find(tx *store.Tx, hashes []uint64) (map[uint64][]int64, error)
	// add adds hashes: the first is that of event seq, the next that of the event
	// after it. The hashes may stay in the index when the transaction fails.
	add(tx *store.Tx, hashes []uint64, seq int64) error
	// remove removes events of a project from the index, where that is necessary.
	remove(tx *store.Tx, project string, events []ingest.Event, numbers []int64) error
	// merge shrinks the index by a step. It reports whether there may be more to do.
	merge(ctx context.Context) (more bool, err error)
	// mend rebuilds a damaged part of the index; no merge may be in progress.
	mend(ctx context.Context, bad damagedKeys) error
	close()
}

// Open returns the store of a world that holds Schema. It reads nothing: most
// environments never receive an event.
func Open(w *store.World, log *slog.Logger) *Store {
	s := &Store{blocks: blocks{world: w}, log: log, sessions: newSessionNumbers(), linkEvents: linkEvents}
	s.Upkeep = &Upkeep{store: s, merged: map[string]int64{}}
	s.quarantine = quarantine{log: log, damaged: &s.Damaged}
	s.index = newIndex(&s.blocks, log, &s.Rebuilt)
	s.small = background.New(func(*background.Worker) { s.writeGathered() })
	return s
}

// start prepares the store for the first append.
func (s *Store) start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return store.Unavailable
	}
	if s.keys != nil {
		return nil
	}
	var err error
	s.keys, err = openKeys(ctx, s.world, s.log, &s.Rebuilt)
	return err
}

// Close waits for appends that are in progress. The world stays open.
func (s *Store) Close() {
	s.index.follower.Close()
	s.mu.Lock()
	idle := s.ended || s.keys == nil
	s.ended = true
	s.mu.Unlock()
	if idle {
		return
	}
	s.small.Close()
	s.writeGathered() // the appends that arrived after its last round
	s.keys.close()
}

// hashID returns the hash by which an event is found.
func hashID(project, id string) uint64 {
	var d xxhash.Digest
	d.Reset()
	_, _ = d.WriteString(project)
	_, _ = d.Write([]byte{0})
	_, _ = d.Write(unsafe.Slice(unsafe.StringData(id), len(id)))
	return d.Sum64()
}

// batch is the events of one project that are written together.
type batch struct {
	project string
	events  []ingest.Event
	hashes  []uint64
	sources []source // by the index of their first event
	block
}

// source is the request that sent the events of a batch from an index on, up to
// the next source.
type source struct {
	at  int
	ctx context.Context
}

// block is a batch in its stored form.
type block struct {
	columns, idents, payload []byte
	min, max                 int64
}

// blockBytes is the size of the payloads from which a block accepts no further
// event: reading one event decodes its whole block.
const blockBytes = 4 << 20

// newBatches divides events into blocks.
func newBatches(project string, events []ingest.Event, sources []source) (out []*batch) {
	for len(events) > 0 {
		n, size := 0, 0
		for ; n < len(events) && size < blockBytes; n++ {
			size += bytesOf(events[n : n+1])
		}
		first, next := cut(sources, n)
		out = append(out, newBatch(project, events[:n:n], first))
		events, sources = events[n:], next
	}
	return out
}

// cut returns the sources of the first n events, and those of the others.
func cut(sources []source, n int) (first, rest []source) {
	for i, s := range sources {
		end := n + 1
		if i+1 < len(sources) {
			end = sources[i+1].at
		}
		if s.at < n {
			first = append(first, s)
		}
		if end > n {
			rest = append(rest, source{max(0, s.at-n), s.ctx})
		}
	}
	return first, rest
}

// newBatch returns a batch without events whose ids are repeated.
func newBatch(project string, events []ingest.Event, sources []source) *batch {
	b := &batch{project: project, events: events, sources: sources, hashes: make([]uint64, len(events))}
	seen := make(map[string]struct{}, len(events))
	for i := range events {
		b.hashes[i] = hashID(project, events[i].ID)
		seen[events[i].ID] = struct{}{}
	}
	if len(seen) < len(events) {
		b.keep(func(i int) bool {
			_, first := seen[events[i].ID]
			delete(seen, events[i].ID)
			return first
		})
	}
	b.block = encode(b.events, 0, nil)
	return b
}

// keep keeps only the events for which ok returns true, in new slices, because a
// retried write needs the old ones.
func (b *batch) keep(ok func(i int) bool) {
	events, hashes := make([]ingest.Event, 0, len(b.events)), make([]uint64, 0, len(b.events))
	var sources []source
	for i, next := 0, 0; i < len(b.events); i++ {
		if !ok(i) {
			continue
		}
		for ; next < len(b.sources) && b.sources[next].at <= i; next++ {
			if n := len(sources); n > 0 && sources[n-1].at == len(events) { // none of its events is left
				sources = sources[:n-1]
			}
			sources = append(sources, source{len(events), b.sources[next].ctx})
		}
		events, hashes = append(events, b.events[i]), append(hashes, b.hashes[i])
	}
	b.events, b.hashes, b.sources = events, hashes, sources
}

// encode returns the stored form of events. numbers are those of encodeColumns.
func encode(events []ingest.Event, first int64, numbers []int64) block {
	if len(events) == 0 {
		return block{}
	}
	k := block{idents: encodeIdents(events), payload: encodePayload(events), min: events[0].Time, max: events[0].Time}
	k.columns = encodeColumns(events, first, numbers, k.idents)
	for i := range events {
		k.min, k.max = min(k.min, events[i].Time), max(k.max, events[i].Time)
	}
	return k
}
