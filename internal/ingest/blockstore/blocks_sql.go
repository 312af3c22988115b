package blockstore

import (
	"slices"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
)

// lockCounter gives the number of the next event and keeps others from taking it.
func lockCounter(tx *store.Tx) (next int64, err error) {
	_, err = tx.Get(`SELECT next FROM event_counter WHERE id = 1`+tx.Dialect().ForUpdate, nil, &next)
	return next, err
}

func setCounter(tx *store.Tx, next int64) error {
	_, err := tx.Exec(`UPDATE event_counter SET next = ? WHERE id = 1`, next)
	return err
}

func insertBlock(tx *store.Tx, seq int64, b *batch) error {
	_, err := tx.Exec(`INSERT INTO event_block (seq, project, events, min_ms, max_ms, columns) VALUES (?, ?, ?, ?, ?, ?)`,
		seq, b.project, len(b.events), b.min, b.max, store.Blob(b.columns))
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO event_detail (seq, idents, payload) VALUES (?, ?, ?)`, seq, store.Blob(b.idents), store.Blob(b.payload))
	return err
}

// sessionNumber gives the number of a session, 0 for an unknown one that is not to be made.
func sessionNumber(tx *store.Tx, project, id string, create bool) (no int64, err error) {
	found, err := tx.Get(`SELECT no FROM event_session WHERE project = ? AND id = ?`, []any{project, id}, &no)
	if err != nil || found || !create {
		return no, err
	}
	_, err = tx.Get(`INSERT INTO event_session (project, id) VALUES (?, ?) RETURNING no`, []any{project, id}, &no)
	return no, err
}

// idsAt gives the ids of the block that event seq is in, or none.
func idsAt(tx *store.Tx, seq int64) (c blockIDs, err error) {
	var idents []byte
	var n int
	found, err := tx.Get(`SELECT b.seq, b.project, b.events, d.idents FROM event_block b JOIN event_detail d ON d.seq = b.seq
		WHERE b.seq <= ? ORDER BY b.seq DESC LIMIT 1`, []any{seq}, &c.first, &c.project, &n, &idents)
	if err != nil || !found || seq >= c.first+int64(n) {
		return blockIDs{}, err
	}
	if c.ids, _, err = decodeIDs(idents, n); err != nil {
		c.ids = make([]string, n) // a damaged block knows none of its ids
	}
	return c, nil
}

// eachIdents calls fn for the ids of all blocks from event seq on, in order.
func eachIdents(tx *store.Tx, seq int64, fn func(c blockIDs) error) error {
	return tx.Each(`SELECT b.seq, b.project, b.events, d.idents FROM event_block b JOIN event_detail d ON d.seq = b.seq
		WHERE b.seq >= ? ORDER BY b.seq`, []any{seq}, func(r store.Row) error {
		var c blockIDs
		var idents []byte
		var n int
		err := r.Scan(&c.first, &c.project, &n, &idents)
		if err != nil {
			return err
		}
		if c.ids, _, err = decodeIDs(idents, n); err != nil {
			c.ids = make([]string, n) // a damaged block knows none of its ids
		}
		return fn(c)
	})
}

// eachBlock calls fn for the blocks that a query wants.
func eachBlock(tx *store.Tx, q ingest.Query, bad *aside, fn func(c *ingest.Columns) (bool, error)) error {
	columns, from := `b.seq, b.project, b.columns`, ` FROM event_block b`
	if q.Detail {
		columns += `, d.idents, d.payload`
		from += ` JOIN event_detail d ON d.seq = b.seq`
	}
	where, args := ` WHERE b.seq > ? ORDER BY b.seq`, []any{q.After}
	if q.Project != "" {
		where, args = ` WHERE b.project = ? AND b.max_ms >= ? AND b.min_ms < ? ORDER BY b.max_ms DESC`, []any{q.Project, q.From, endOf(q.To)}
	}
	if q.Sessions != nil {
		var err error
		if q.Groups, err = blocksOf(tx, q.Project, q.Sessions); err != nil {
			return err
		}
	}
	if q.Groups != nil {
		where, args = ` WHERE b.seq IN `+store.In(len(q.Groups)), nil
		for _, g := range q.Groups {
			args = append(args, g)
		}
	}
	var c ingest.Columns
	return tx.Each(`SELECT `+columns+from+where, args, func(r store.Row) error {
		var block, idents, payload []byte
		dest := []any{&c.First, &c.Project, &block}
		if q.Detail {
			dest = append(dest, &idents, &payload)
		}
		if err := r.Scan(dest...); err != nil {
			return err
		}
		if bad.has(c.First) {
			return nil
		}
		if err := decodeColumns(block, &c); err != nil {
			bad.add(c.First, err)
			return nil
		}
		if q.Detail {
			c.Bytes = payloadBytes(payload)
			c.Detail = func() ([]ingest.Event, error) {
				if !checkSums(block, idents) {
					bad.add(c.First, errBlock)
					return nil, nil
				}
				events, err := decodeEvents(&c, idents, payload)
				if err != nil {
					bad.add(c.First, err)
				}
				return events, nil
			}
		}
		more, err := fn(&c)
		if err == nil && !more {
			err = store.Stop()
		}
		return err
	})
}

// blocksOf returns the blocks that hold events of sessions, each once.
func blocksOf(tx *store.Tx, project string, sessions []string) ([]int64, error) {
	blocks := []int64{}
	for part := range slices.Chunk(sessions, 200) {
		args := []any{project}
		for _, id := range part {
			args = append(args, id)
		}
		err := tx.Each(`SELECT DISTINCT b.block FROM event_session s JOIN event_session_block b ON b.session = s.no
			WHERE s.project = ? AND s.id IN `+store.In(len(part)), args, func(r store.Row) error {
			var block int64
			err := r.Scan(&block)
			blocks = append(blocks, block)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(blocks)
	return slices.Compact(blocks), nil
}

func endOf(to int64) int64 {
	if to == 0 {
		return 1 << 62
	}
	return to
}

// CountIn tells how many events there are: their numbers have no gaps.
func (s *Store) CountIn(tx *store.Tx) (int64, error) {
	var next int64
	_, err := tx.Get(`SELECT next FROM event_counter WHERE id = 1`, nil, &next)
	return next - 1, err
}

// detailAt gives the ids and payloads of a block.
func detailAt(tx *store.Tx, seq int64) (idents, payload []byte, err error) {
	_, err = tx.Get(`SELECT idents, payload FROM event_detail WHERE seq = ?`, []any{seq}, &idents, &payload)
	return idents, payload, err
}

// extent returns the times of a project's first and last event.
func extent(tx *store.Tx, project string) (first, last int64, err error) {
	_, err = tx.Get(`SELECT COALESCE(MIN(min_ms), 0), COALESCE(MAX(max_ms), 0) FROM event_block WHERE project = ?`, []any{project}, &first, &last)
	return first, last, err
}
