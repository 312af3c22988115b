package blockstore

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
)

// counter is the row of event_counter that appends use.
type counter struct {
	next   int64 // the number of the next event
	linked int64 // the blocks from this number on are not linked to their sessions yet
}

// lockCounter returns the counter, and locks it until the end of the transaction.
func lockCounter(tx *store.Tx) (c counter, err error) {
	_, err = tx.Get(`SELECT next, linked FROM event_counter WHERE id = 1`+tx.Dialect().ForUpdate, nil, &c.next, &c.linked)
	return c, err
}

func setCounter(tx *store.Tx, c counter) error {
	_, err := tx.Exec(`UPDATE event_counter SET next = ?, linked = ? WHERE id = 1`, c.next, c.linked)
	return err
}

func insertBlock(tx *store.Tx, seq int64, b *batch) error {
	head, owned := prefixes(b.columns)
	_, err := tx.Exec(`INSERT INTO event_block (seq, project, events, min_ms, max_ms, columns, head, owned) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		seq, b.project, len(b.events), b.min, b.max, store.Blob(b.columns), head, owned)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO event_detail (seq, idents, payload) VALUES (?, ?, ?)`, seq, store.Blob(b.idents), store.Blob(b.payload))
	return err
}

// sessionNumber returns the number of a session. It creates an unknown session if create
// is set, and returns 0 for it otherwise.
func sessionNumber(tx *store.Tx, project, id string, create bool) (no int64, err error) {
	found, err := tx.Get(`SELECT no FROM event_session WHERE project = ? AND id = ?`, []any{project, id}, &no)
	if err != nil || found || !create {
		return no, err
	}
	_, err = tx.Get(`INSERT INTO event_session (project, id) VALUES (?, ?) RETURNING no`, []any{project, id}, &no)
	return no, err
}

// eachUnlinked calls fn for the blocks from a number on, in order. Columns are valid until
// fn returns.
func eachUnlinked(tx *store.Tx, linked int64, fn func(first int64, project string, columns []byte)) error {
	return tx.Each(`SELECT seq, project, columns FROM event_block WHERE seq >= ? ORDER BY seq`, []any{linked}, func(r store.Row) error {
		var first int64
		var project string
		var columns store.Borrowed
		err := r.Scan(&first, &project, &columns)
		if err == nil {
			fn(first, project, columns)
		}
		return err
	})
}

// eachUnlinkedOf calls fn for the blocks of a project that are not linked, in order.
// Columns are valid until fn returns.
func eachUnlinkedOf(tx *store.Tx, project string, fn func(first int64, columns []byte)) error {
	return tx.Each(`SELECT seq, columns FROM event_block WHERE project = ? AND seq >= (SELECT linked FROM event_counter WHERE id = 1) ORDER BY seq`,
		[]any{project}, func(r store.Row) error {
			var first int64
			var columns store.Borrowed
			err := r.Scan(&first, &columns)
			if err == nil {
				fn(first, columns)
			}
			return err
		})
}

// idsAt returns the ids of the last block of a project that begins with a number or
// before it: the block of the event with that number, if the event exists. Without such
// a block it returns no ids. The ids of events that are being erased are empty.
func idsAt(tx *store.Tx, project string, number int64, m *mask) (c blockIDs, err error) {
	c.mask = m
	var columns, idents []byte
	var n int
	found, err := tx.Get(`SELECT b.seq, b.project, b.events, b.columns, d.idents FROM event_block b JOIN event_detail d ON d.seq = b.seq
		WHERE b.project = ? AND b.seq <= ? ORDER BY b.seq DESC LIMIT 1`, []any{project, number}, &c.first, &c.project, &n, &columns, &idents)
	if err != nil || !found {
		return blockIDs{mask: m}, err
	}
	c.read(n, columns, idents)
	return c, nil
}

// eachIdents calls fn for the ids of all blocks with events from a number on, in the
// order of the blocks. A block may also contain earlier events.
func eachIdents(tx *store.Tx, number int64, fn func(c blockIDs) error) error {
	parts, err := selectionsOf(tx, ingest.Query{After: number - 1})
	for _, part := range parts {
		if err != nil {
			break
		}
		err = tx.Each(`SELECT b.seq, b.project, b.events, b.columns, d.idents FROM event_block b JOIN event_detail d ON d.seq = b.seq`+part.where+part.order, part.args, func(r store.Row) error {
			var c blockIDs
			var columns, idents []byte
			var n int
			if err := r.Scan(&c.first, &c.project, &n, &columns, &idents); err != nil {
				return err
			}
			c.read(n, columns, idents)
			return fn(c)
		})
	}
	return err
}

// read decodes the ids of a block of n events. The ids of a damaged block are empty.
func (c *blockIDs) read(n int, columns, idents []byte) {
	var err error
	c.ids, _, err = decodeIDs(idents, n)
	if err == nil && len(columns) > 0 && (hasGaps(columns) || c.mask != nil) {
		all := ingest.Columns{First: c.first}
		err = decodeColumns(columns, &all, allColumns)
		c.numbers = all.Numbers
		for i := 0; err == nil && c.mask != nil && i < n; i++ {
			if c.mask.hides(&all, i) {
				c.ids[i] = ""
			}
		}
	}
	if err != nil {
		c.ids, c.numbers = make([]string, n), nil
	}
}

// eachRaw calls fn for the stored blocks that match a query, until it returns
// false.
func eachRaw(tx *store.Tx, q ingest.Query, fn func(b *rawBlock) (bool, error)) error {
	columns, from := `b.seq, b.project, b.columns`, ` FROM event_block b`
	if q.Detail || q.IDs {
		columns += `, d.idents`
		from += ` JOIN event_detail d ON d.seq = b.seq`
	}
	if q.Detail {
		columns += `, d.payload`
	}
	return eachSelected(tx, q, `SELECT `+columns+from, true, func(r store.Row) (bool, error) {
		var b rawBlock
		dest := []any{&b.first, &b.project, &b.columns}
		if q.Detail || q.IDs {
			dest = append(dest, &b.idents)
		}
		if q.Detail {
			dest = append(dest, &b.payload)
		}
		if err := r.Scan(dest...); err != nil {
			return false, err
		}
		return fn(&b)
	})
}

// eachSelected completes a statement with the selections of the blocks that match a
// query, and calls fn for its rows, until fn returns false. The rows have no defined
// order unless ordered is set.
func eachSelected(tx *store.Tx, q ingest.Query, statement string, ordered bool, fn func(r store.Row) (bool, error)) error {
	parts, err := selectionsOf(tx, q)
	stopped := false
	for _, part := range parts {
		if err != nil || stopped {
			return err
		}
		text := statement + part.where
		if ordered || tx.Dialect() == store.SQLite { // the order makes SQLite choose the right index
			text += part.order
		}
		err = tx.Each(text, part.args, func(r store.Row) error {
			more, err := fn(r)
			if stopped = err == nil && !more; stopped {
				err = store.Stop()
			}
			return err
		})
	}
	return err
}

// spare is a pool of rawBlocks, whose memory for columns is reused: a query over millions
// of events reads thousands of blocks.
var spare = sync.Pool{New: func() any { return &rawBlock{} }}

// eachColumns calls fn for the blocks that match a query, in no defined order, without
// ids and payloads. Their columns may end after the last one in want. fn owns the block,
// and it or a later owner may put the block into spare.
func eachColumns(tx *store.Tx, q ingest.Query, want columnSet, fn func(b *rawBlock) error) error {
	return eachSelected(tx, q, `SELECT b.seq, b.project, `+sliced(tx.Dialect(), want)+` FROM event_block b`, false, func(r store.Row) (bool, error) {
		b := spare.Get().(*rawBlock)
		var columns store.Borrowed
		if err := r.Scan(&b.first, &b.project, &columns); err != nil {
			return false, err
		}
		b.columns = append(b.columns[:0], columns...)
		return true, fn(b)
	})
}

// eachPayload calls fn for the blocks that match a query, until it returns false.
// columns and payload are valid until fn returns.
func eachPayload(tx *store.Tx, q ingest.Query, fn func(first int64, project string, columns, payload []byte) (bool, error)) error {
	return eachSelected(tx, q, `SELECT b.seq, b.project, b.columns, d.payload FROM event_block b JOIN event_detail d ON d.seq = b.seq`, true, func(r store.Row) (bool, error) {
		var first int64
		var project string
		var columns, payload store.Borrowed
		if err := r.Scan(&first, &project, &columns, &payload); err != nil {
			return false, err
		}
		return fn(first, project, columns, payload)
	})
}

// selection is the end of a statement that selects blocks, with its arguments. order may
// be "": then the blocks have no defined order.
type selection struct {
	where, order string
	args         []any
}

// selectionsOf returns the selections of the blocks that match a query. With After, the
// blocks that begin with After or before it have a selection of their own: with one
// statement for all blocks, SQLite would read every block.
func selectionsOf(tx *store.Tx, q ingest.Query) ([]selection, error) {
	var begun []any
	var err error
	switch {
	case q.Groups != nil:
		firsts, err := groupsOf(tx, q.Project, q.Groups)
		return numberedBlocks(firsts, ` ORDER BY b.max_ms DESC`), err
	case q.Sessions != nil:
		groups, err := blocksOf(tx, q.Project, q.Sessions)
		return numberedBlocks(store.Arguments(nil, groups), ``), err
	case q.After == 0 && q.Project != "":
		return []selection{{` WHERE b.project = ? AND b.max_ms >= ? AND b.min_ms < ?`, ` ORDER BY b.max_ms DESC`, []any{q.Project, q.From, endOf(q.To)}}}, nil
	case q.After == 0:
	case q.Project != "":
		begun, err = groupsOf(tx, q.Project, []int64{q.After})
	default:
		begun, err = groupsBegun(tx, q.After)
	}
	after := selection{` WHERE b.seq > ?`, ` ORDER BY b.seq`, []any{q.After}}
	if q.Project != "" {
		after = selection{` WHERE b.project = ? AND b.seq > ?`, ` ORDER BY b.seq`, []any{q.Project, q.After}}
	}
	return append(numberedBlocks(begun, ` ORDER BY b.seq`), after), err
}

// numberedBlocks returns the selection of the blocks with the given first numbers, nil
// for no numbers.
func numberedBlocks(firsts []any, order string) []selection {
	if len(firsts) == 0 {
		return nil
	}
	return []selection{{` WHERE b.seq IN ` + store.In(len(firsts)), order, firsts}}
}

// groupsBegun returns, for each project, the first number of the last group that begins
// with a number or before that number.
func groupsBegun(tx *store.Tx, number int64) (firsts []any, err error) {
	projects, err := listProjects(tx)
	for _, p := range projects {
		if err != nil {
			break
		}
		var begun []any
		begun, err = groupsOf(tx, p, []int64{number})
		firsts = append(firsts, begun...)
	}
	return firsts, err
}

// groupsOf returns the first numbers of the groups of a project that contain, or
// once contained, events with some numbers.
func groupsOf(tx *store.Tx, project string, numbers []int64) (firsts []any, err error) {
	for part := range slices.Chunk(numbers, blocksAtOnce) {
		groups, err := rangesOf(tx, ingest.Query{Project: project}, part)
		if err != nil {
			return nil, err
		}
		for _, b := range groups {
			firsts = append(firsts, b.first)
		}
	}
	return firsts, nil
}

// blocksOf returns the numbers of the blocks that contain events of sessions, ascending
// and without repetition.
func blocksOf(tx *store.Tx, project string, sessions []string) ([]int64, error) {
	blocks, err := unlinkedOf(tx, project, sessions) // first, so that a block that is linked meanwhile is not missed
	if err != nil {
		return nil, err
	}
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

// CountIn returns the number of events.
func (s *Store) CountIn(tx *store.Tx) (n int64, err error) {
	_, err = tx.Get(`SELECT next - 1 - removed FROM event_counter WHERE id = 1`, nil, &n)
	return n, err
}

// detailAt returns the ids and payloads of a block.
func detailAt(tx *store.Tx, seq int64) (idents, payload []byte, err error) {
	_, err = tx.Get(`SELECT idents, payload FROM event_detail WHERE seq = ?`, []any{seq}, &idents, &payload)
	return idents, payload, err
}

// listRanges returns the blocks of a period in the order of their numbers, with the times
// of their latest events. It reads only the index by time.
func listRanges(tx *store.Tx, q ingest.Query) (out []blockRange, err error) {
	err = tx.Each(`SELECT seq, max_ms FROM event_block WHERE project = ? AND max_ms >= ? AND min_ms < ?`,
		[]any{q.Project, q.From, endOf(q.To)}, func(r store.Row) error {
			var b blockRange
			err := r.Scan(&b.first, &b.latest)
			out = append(out, b)
			return err
		})
	slices.SortFunc(out, func(a, b blockRange) int { return cmp.Compare(a.first, b.first) })
	return out, err
}

// rangesOf is listRanges for the blocks that contain, or once contained, events with
// some numbers, at most blocksAtOnce, in no defined order. One statement finds them all:
// PostgreSQL needs a round trip for each statement.
func rangesOf(tx *store.Tx, q ingest.Query, numbers []int64) (out []blockRange, err error) {
	args := store.Arguments([]any{q.From, endOf(q.To), q.Project}, numbers)
	err = tx.Each(`SELECT b.seq, b.max_ms FROM event_block b WHERE b.max_ms >= ? AND b.min_ms < ? AND b.seq IN (
		SELECT (SELECT g.seq FROM event_block g WHERE g.project = ? AND g.seq <= v.column1 ORDER BY g.seq DESC LIMIT 1)
		FROM (VALUES (CAST(? AS BIGINT))`+strings.Repeat(`, (CAST(? AS BIGINT))`, len(numbers)-1)+`) v)`, args, func(r store.Row) error {
		var b blockRange
		err := r.Scan(&b.first, &b.latest)
		out = append(out, b)
		return err
	})
	return out, err
}

// extent returns the times of a project's first and last event in epoch milliseconds, 0
// without any. It reads each of the two from an index.
func extent(tx *store.Tx, project string) (first, last int64, err error) {
	_, err = tx.Get(`SELECT COALESCE((SELECT MIN(min_ms) FROM event_block WHERE project = ?), 0),
		COALESCE((SELECT MAX(max_ms) FROM event_block WHERE project = ?), 0)`, []any{project, project}, &first, &last)
	return first, last, err
}

// LastIn returns the number of the last event, 0 without any.
func (s *blocks) LastIn(tx *store.Tx) (number int64, err error) {
	_, err = tx.Get(`SELECT next - 1 FROM event_counter WHERE id = 1`, nil, &number)
	return number, err
}
