package blockstore

import (
	"slices"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
)

// listedBlocks bounds how many blocks a merge lists at a time.
const listedBlocks = mergedEvents + 64

// listProjects returns the projects that have blocks.
func listProjects(tx *store.Tx) (out []string, err error) {
	for project := ""; ; {
		found, err := tx.Get(`SELECT project FROM event_block WHERE project > ? ORDER BY project LIMIT 1`, []any{project}, &project)
		if err != nil || !found {
			return out, err
		}
		out = append(out, project)
	}
}

// smallAndBetween returns the blocks of a project from the first small one on,
// in order, at most listedBlocks.
func smallAndBetween(tx *store.Tx, project string, from, upTo int64) (out []stored, err error) {
	var first int64
	found, err := tx.Get(`SELECT seq FROM event_block WHERE events < 256 AND project = ? AND seq >= ? AND seq <= ? ORDER BY seq LIMIT 1`,
		[]any{project, from, upTo}, &first)
	if err != nil || !found {
		return nil, err
	}
	err = tx.Each(`SELECT b.seq, b.events, LENGTH(b.columns) + LENGTH(d.idents) + LENGTH(d.payload)
		FROM event_block b JOIN event_detail d ON d.seq = b.seq
		WHERE b.project = ? AND b.seq >= ? AND b.seq <= ? ORDER BY b.seq LIMIT ?`, []any{project, first, upTo, listedBlocks}, func(r store.Row) error {
		var b stored
		err := r.Scan(&b.first, &b.events, &b.bytes)
		out = append(out, b)
		return err
	})
	return out, err
}

// wholeBlock is a stored block with all its parts.
type wholeBlock struct {
	ingest.Columns
	columns, idents, payload []byte
}

// decode reads the events of a block, and its columns.
func (b *wholeBlock) decode() ([]ingest.Event, error) {
	if err := decodeColumns(b.columns, &b.Columns, allColumns); err != nil {
		return nil, err
	}
	if !checkSums(b.columns, b.idents) {
		return nil, errBlock
	}
	return decodeEvents(&b.Columns, b.idents, b.payload)
}

// eachStored calls fn for the blocks of a project whose First is in a range, in
// order. fn may keep a block.
func eachStored(tx *store.Tx, project string, first, last int64, fn func(b wholeBlock) error) error {
	return tx.Each(`SELECT b.seq, b.events, b.columns, d.idents, d.payload FROM event_block b JOIN event_detail d ON d.seq = b.seq
		WHERE b.project = ? AND b.seq >= ? AND b.seq <= ? ORDER BY b.seq`, []any{project, first, last}, func(r store.Row) error {
		b := wholeBlock{}
		b.Project = project
		if err := r.Scan(&b.First, &b.N, &b.columns, &b.idents, &b.payload); err != nil {
			return err
		}
		b.columns, b.idents, b.payload = append([]byte(nil), b.columns...), append([]byte(nil), b.idents...), append([]byte(nil), b.payload...)
		return fn(b)
	})
}

// lockBlocks calls fn for the blocks of a project whose First is in a range, in
// order, and locks them until the end of the transaction.
func lockBlocks(tx *store.Tx, project string, first, last int64, fn func(first int64, columns []byte) error) error {
	return tx.Each(`SELECT seq, columns FROM event_block WHERE project = ? AND seq >= ? AND seq <= ? ORDER BY seq`+tx.Dialect().ForUpdate,
		[]any{project, first, last}, func(r store.Row) error {
			var seq int64
			var columns []byte
			if err := r.Scan(&seq, &columns); err != nil {
				return err
			}
			return fn(seq, columns)
		})
}

// deleteBlocks removes the blocks of a project whose First is in a range.
func deleteBlocks(tx *store.Tx, project string, first, last int64) error {
	_, err := tx.Exec(`DELETE FROM event_detail WHERE seq IN (SELECT seq FROM event_block WHERE project = ? AND seq >= ? AND seq <= ?)`, project, first, last)
	if err == nil {
		_, err = tx.Exec(`DELETE FROM event_block WHERE project = ? AND seq >= ? AND seq <= ?`, project, first, last)
	}
	return err
}

// unlinkSession removes the references of a session to the blocks in a range.
func unlinkSession(tx *store.Tx, session, first, last int64) error {
	_, err := tx.Exec(`DELETE FROM event_session_block WHERE session = ? AND block >= ? AND block <= ?`, session, first, last)
	return err
}

// addRemoved counts numbers that belong to no event any more.
func addRemoved(tx *store.Tx, n int) error {
	_, err := tx.Exec(`UPDATE event_counter SET removed = removed + ? WHERE id = 1`, n)
	return err
}

// unlinkBlock removes the references of all sessions to a block.
func unlinkBlock(tx *store.Tx, block int64) error {
	_, err := tx.Exec(`DELETE FROM event_session_block WHERE block = ?`, block)
	return err
}

// deleteSession removes the number of a session unless a block has events of it.
func deleteSession(tx *store.Tx, no int64) (deleted bool, err error) {
	n, err := tx.Exec(`DELETE FROM event_session WHERE no = ? AND NOT EXISTS (SELECT 1 FROM event_session_block WHERE session = ?)`, no, no)
	return n > 0, err
}

// oldBlocks returns blocks with events from before a time, at most expireStep.
func oldBlocks(tx *store.Tx, project string, before, upTo int64) ([]int64, error) {
	firsts, err := integers(tx, `SELECT seq FROM event_block WHERE project = ? AND max_ms < ? AND seq <= ? ORDER BY max_ms LIMIT ?`,
		project, before, upTo, expireStep)
	if err != nil || len(firsts) > 0 {
		return firsts, err
	}
	return integers(tx, `SELECT seq FROM event_block WHERE project = ? AND min_ms < ? AND seq <= ? ORDER BY min_ms LIMIT ?`,
		project, before-expireSlack, upTo, expireStep)
}

// blocksFrom returns the numbers of blocks of a project in a range, in order.
func blocksFrom(tx *store.Tx, project string, from, below int64) ([]int64, error) {
	return integers(tx, `SELECT seq FROM event_block WHERE project = ? AND seq >= ? AND seq < ? ORDER BY seq LIMIT ?`, project, from, below, expireStep)
}

// sessionBlocks returns the numbers of blocks that have events of sessions, from a
// number on, in order.
func sessionBlocks(tx *store.Tx, sessions []any, from int64) (out []int64, err error) {
	for part := range slices.Chunk(sessions, 500) {
		some, err := integers(tx, `SELECT DISTINCT block FROM event_session_block WHERE session IN `+store.In(len(part))+` AND block >= ? ORDER BY block LIMIT ?`,
			append(slices.Clone(part), from, expireStep)...)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), expireStep)], nil
}

// wholeBlocks reads blocks of a project, in order.
func wholeBlocks(tx *store.Tx, project string, firsts []int64) (out []wholeBlock, err error) {
	for _, first := range firsts {
		err := eachStored(tx, project, first, first, func(b wholeBlock) error {
			out = append(out, b)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// listErasures returns the numbers of the erasures that are not finished.
func listErasures(tx *store.Tx) ([]int64, error) {
	return integers(tx, `SELECT no FROM event_erasure ORDER BY no`)
}

// blankErasures removes the names from erasures.
func blankErasures(tx *store.Tx, all []int64) error {
	return eachErasure(tx, `UPDATE event_erasure SET session = '', user_id = '' WHERE no = ?`, all)
}

func deleteErasures(tx *store.Tx, all []int64) error {
	return eachErasure(tx, `DELETE FROM event_erasure WHERE no = ?`, all)
}

func eachErasure(tx *store.Tx, sql string, all []int64) error {
	rows := make([][]any, len(all))
	for i, no := range all {
		rows[i] = []any{no}
	}
	return tx.ExecBatch(sql, rows)
}

// integers returns a column of integers.
func integers(tx *store.Tx, sql string, args ...any) (out []int64, err error) {
	err = tx.Each(sql, args, func(r store.Row) error {
		var n int64
		err := r.Scan(&n)
		out = append(out, n)
		return err
	})
	return out, err
}

// readMasks reads the erasures that are not finished; nil without any.
func readMasks(tx *store.Tx) (masks, error) {
	var out masks
	err := tx.Each(`SELECT project, session, user_id, upto FROM event_erasure`, nil, func(r store.Row) error {
		var project, session, user string
		var upto int64
		if err := r.Scan(&project, &session, &user, &upto); err != nil {
			return err
		}
		out = out.with(project, session, user, upto)
		return nil
	})
	return out, err
}

// latestErasure returns the number of the latest erasure that is not finished, 0
// without one. Notes about ranges of the index do not count.
func latestErasure(tx *store.Tx) (no int64, err error) {
	_, err = tx.Get(`SELECT COALESCE(MAX(no), 0) FROM event_erasure WHERE project <> ''`, nil, &no)
	return no, err
}

// isErasing reports whether events are being erased.
func isErasing(tx *store.Tx) (bool, error) {
	no, err := latestErasure(tx)
	return no > 0, err
}

// noteStaleRuns stores that the index of the ranges with some of these numbers
// must be rebuilt: as an erasure without a project, whose upto is the range. An
// existing note is replaced by one with a new number, because a rebuild of the
// range from the old events may be in progress. Numbers without a range get a
// note too: see staleNotes.
func noteStaleRuns(tx *store.Tx, first, last int64) error {
	if _, err := tx.Exec(`DELETE FROM event_erasure WHERE project = '' AND upto IN (SELECT first FROM event_run WHERE first <= ? AND last >= ?)`,
		last, first); err != nil {
		return err
	}
	if _, err := tx.Exec(`INSERT INTO event_erasure (project, session, user_id, upto)
		SELECT '', '', '', first FROM event_run WHERE first <= ? AND last >= ?`, last, first); err != nil {
		return err
	}
	indexed, err := lastIndexed(tx)
	if err != nil || last <= indexed {
		return err
	}
	_, err = tx.Exec(`INSERT INTO event_erasure (project, session, user_id, upto) VALUES ('', '', '', ?)`, last)
	return err
}

// staleNotes returns the number of the latest note about removed events above a
// number, 0 without one. An index of these events in memory that was begun before
// the note must not be stored.
func staleNotes(tx *store.Tx, above int64) (no int64, err error) {
	_, err = tx.Get(`SELECT COALESCE(MAX(no), 0) FROM event_erasure WHERE project = '' AND upto > ?`, []any{above}, &no)
	return no, err
}

// staleRuns returns the ranges whose index must be rebuilt.
func staleRuns(tx *store.Tx) ([]int64, error) {
	return integers(tx, `SELECT upto FROM event_erasure WHERE project = '' ORDER BY upto`)
}

// lastOfRun returns the last number of the range that begins with a number, 0 without one.
func lastOfRun(tx *store.Tx, first int64) (last int64, err error) {
	_, err = tx.Get(`SELECT last FROM event_run WHERE first = ?`, []any{first}, &last)
	return last, err
}

func deleteRun(tx *store.Tx, first int64) error {
	if _, err := tx.Exec(`DELETE FROM event_run_term WHERE run = ?`, first); err != nil {
		return err
	}
	_, err := tx.Exec(`DELETE FROM event_run WHERE first = ?`, first)
	return err
}
