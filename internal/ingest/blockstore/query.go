package blockstore

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"understudy/internal/ingest"
	"understudy/internal/platform/background"
	"understudy/internal/platform/store"
)

// Query calls fn for the blocks that may contain events that match q, until fn returns
// false.
func (s *blocks) Query(ctx context.Context, q ingest.Query, fn func(*ingest.Columns) (bool, error)) error {
	return readBlocks(ctx, s, q, allColumns, fn)
}

// readBlocks is Query, but decodes only the columns in want.
func readBlocks(ctx context.Context, s *blocks, q ingest.Query, want columnSet, fn func(*ingest.Columns) (bool, error)) error {
	return s.world.Read(ctx, func(tx *store.Tx) error {
		return eachBlock(tx, q, want, &s.quarantine, func(c *ingest.Columns) (bool, error) {
			if err := ctx.Err(); err != nil {
				return false, err
			}
			return fn(c)
		})
	})
}

// QueryIn is Query in a transaction.
func (s *blocks) QueryIn(tx *store.Tx, q ingest.Query, fn func(*ingest.Columns) (bool, error)) error {
	return eachBlock(tx, q, allColumns, &s.quarantine, fn)
}

// eachBlock calls fn for the blocks that match a query, without the events that are being
// erased, until fn returns false.
func eachBlock(tx *store.Tx, q ingest.Query, want columnSet, bad *quarantine, fn func(*ingest.Columns) (bool, error)) error {
	d, err := decodingOf(tx, q, want, bad)
	if err != nil {
		return err
	}
	var c ingest.Columns
	return eachRaw(tx, q, func(b *rawBlock) (bool, error) {
		shown := d.columns(b, &c)
		if shown == nil {
			return true, nil
		}
		return fn(shown)
	})
}

// decodingOf returns the parameters for decoding the blocks of a query.
func decodingOf(tx *store.Tx, q ingest.Query, want columnSet, bad *quarantine) (d decoding, err error) {
	d = decoding{want: want, after: q.After, detail: q.Detail || q.IDs, quarantine: bad}
	if d.detail {
		d.want = allColumns
	}
	d.masks, err = readMasks(tx)
	return d, err
}

// maxSessionLookups is the greatest number of sessions whose blocks are looked up. For
// more sessions, all blocks of the period are read.
const maxSessionLookups = 1000

// manySessions is the number of sessions above which a map is faster than a linear search.
const manySessions = 16

// scan calls fn for the blocks with matching events and the rows of these events, until fn
// returns false: the latest block first or, if after is not 0, the events with numbers
// above after in the order of their numbers. want are the columns that fn reads.
func (s *blocks) scan(ctx context.Context, m *ingest.Match, after int64, want columnSet, fn func(c *ingest.Columns, rows []int32) (bool, error)) error {
	match, parts, err := planOf(ctx, s, m, after)
	if err != nil || len(parts) == 0 {
		return err
	}
	return scanParts(ctx, s, &match, parts, want, fn)
}

// scanParts is scan with a plan. It reads all parts in one transaction: a merge between
// them would repeat events.
func scanParts(ctx context.Context, s *blocks, match *matcher, parts []ingest.Query, want columnSet, fn func(c *ingest.Columns, rows []int32) (bool, error)) error {
	return s.world.Read(ctx, func(tx *store.Tx) error {
		again, stopped := repeats(parts), false
		for _, part := range parts {
			err := eachBlock(tx, part, want|match.columns(), &s.quarantine, func(c *ingest.Columns) (bool, error) {
				if err := ctx.Err(); err != nil || again(c.First) {
					return true, err
				}
				rows := match.rows(c)
				if len(rows) == 0 {
					return true, nil
				}
				more, err := fn(c, rows)
				stopped = !more
				return more, err
			})
			if err != nil || stopped {
				return err
			}
		}
		return nil
	})
}

// repeats returns a function that reports whether it was called with a block before. The
// blocks of several parts may have been merged since the parts were planned.
func repeats(parts []ingest.Query) func(block int64) bool {
	if len(parts) < 2 {
		return func(int64) bool { return false }
	}
	seen := map[int64]bool{}
	return func(block int64) bool {
		if seen[block] {
			return true
		}
		seen[block] = true
		return false
	}
}

// handedOver is the number of blocks that the reading goroutine passes at a time to a
// goroutine that processes them: waking a goroutine takes as long as reading a block from
// PostgreSQL.
const handedOver = 16

// scanApart calls fns for the blocks with matching events and the rows of these events, in
// no defined order. Each function runs in a goroutine of its own. Each block is passed to
// one function; the block and its texts are valid until that function returns.
func scanApart(ctx context.Context, s *blocks, m *ingest.Match, want columnSet, fns []func(c *ingest.Columns, rows []int32)) error {
	match, parts, err := planOf(ctx, s, m, 0)
	if err != nil || len(parts) == 0 {
		return err
	}
	return s.world.Read(ctx, func(tx *store.Tx) error { // as in scanParts
		again := repeats(parts)
		for _, part := range parts {
			d, err := decodingOf(tx, part, want|match.columns(), &s.quarantine)
			if err != nil {
				return err
			}
			work := func(worker int, several <-chan []*rawBlock) {
				match, c := match, ingest.Columns{} // work space for this goroutine
				for blocks := range several {
					for _, b := range blocks {
						if shown := d.columns(b, &c); shown != nil {
							if rows := match.rows(shown); len(rows) > 0 {
								fns[worker](shown, rows)
							}
						}
						spare.Put(b)
					}
				}
			}
			err = background.Share(len(fns), work, func(do func([]*rawBlock)) error {
				var blocks []*rawBlock
				err := eachColumns(tx, part, d.reads(), func(b *rawBlock) error {
					if again(b.first) {
						spare.Put(b)
						return ctx.Err()
					}
					if blocks = append(blocks, b); len(blocks) == handedOver {
						do(blocks)
						blocks = nil
					}
					return ctx.Err()
				})
				do(blocks)
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// planOf returns a matcher, and the queries for the blocks that may contain matching
// events, in the order in which scan must execute them.
func planOf(ctx context.Context, s *blocks, m *ingest.Match, after int64) (match matcher, parts []ingest.Query, err error) {
	match = matcher{m: m, terms: termsOf(m)}
	if m.None {
		return match, nil, nil
	}
	if m.Users != nil {
		match.users = newTextTable(slices.Collect(maps.Keys(m.Users.IDs)))
	}
	if len(m.Sessions) > manySessions {
		match.sessions = make(map[string]bool, len(m.Sessions))
		for _, id := range m.Sessions {
			match.sessions[id] = true
		}
	}
	q := ingest.Query{Project: m.Project, From: m.From, To: m.To, After: after}
	if after == 0 && len(m.Sessions) > 0 && len(m.Sessions) <= maxSessionLookups {
		q.Sessions = m.Sessions
	}
	if match.terms == nil {
		return match, []ingest.Query{q}, nil
	}
	if match.found, err = s.index.find(ctx, match.terms); err != nil || len(match.found) == 0 {
		return match, nil, err
	}
	if after > 0 || q.Sessions != nil {
		return match, []ingest.Query{q}, nil
	}
	groups, err := holding(ctx, s, q, match.found)
	for _, part := range growing(groups) {
		q.Groups = part
		parts = append(parts, q)
	}
	return match, parts, err
}

// blocksAtOnce bounds the blocks that one query reads by their numbers.
const blocksAtOnce = 100

// growing divides blocks into parts for one query each. The first part has 4 blocks, because a
// list of the newest events mostly needs no more; later parts have up to blocksAtOnce.
func growing(blocks []int64) (parts [][]int64) {
	for n := 4; len(blocks) > 0; n = min(4*n, blocksAtOnce) {
		n = min(n, len(blocks))
		parts, blocks = append(parts, blocks[:n]), blocks[n:]
	}
	return parts
}

// blockRange contains the first number of a block and the time of its latest event, in
// epoch milliseconds.
type blockRange struct{ first, latest int64 }

// holding returns the first numbers of the blocks of a period that may contain events in
// f, the latest block first. It relies on the blocks of a project not overlapping. The
// blocks of few events are looked up, those of many are found in a list of all blocks.
func holding(ctx context.Context, s *blocks, q ingest.Query, f found) (out []int64, err error) {
	var some []blockRange
	err = s.world.Read(ctx, func(tx *store.Tx) (err error) {
		if numbers, few := f.atMost(blocksAtOnce); few {
			some, err = rangesOf(tx, q, numbers)
			return err
		}
		all, err := listRanges(tx, q)
		for i, b := range all {
			last := int64(1) << 62
			if i+1 < len(all) {
				last = all[i+1].first - 1
			}
			if f.any(b.first, last) {
				some = append(some, b)
			}
		}
		return err
	})
	slices.SortFunc(some, func(a, b blockRange) int { return cmp.Compare(b.latest, a.latest) })
	for _, b := range some {
		out = append(out, b.first)
	}
	return out, err
}

// Extent returns the times of a project's first and last event in epoch milliseconds, 0
// without any.
func (s *blocks) Extent(ctx context.Context, project string) (first, last int64, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) (err error) {
		first, last, err = extent(tx, project)
		return err
	})
	return first, last, err
}

// candidates returns the first numbers of the blocks that may contain the event with an
// id.
func (s *Store) candidates(ctx context.Context, project, id string) (blocks []int64, err error) {
	if err := s.start(context.WithoutCancel(ctx)); err != nil {
		return nil, err
	}
	hash := hashID(project, id)
	err = mended(ctx, s, func() error {
		return s.world.Read(ctx, func(tx *store.Tx) error {
			blocks = nil
			found, err := s.keys.find(tx, []uint64{hash})
			for _, seq := range found[hash] {
				ids, err := idsAt(tx, project, seq, nil)
				if err != nil {
					return err
				}
				if len(ids.ids) > 0 {
					blocks = append(blocks, ids.first)
				}
			}
			return err
		})
	})
	return blocks, err
}
