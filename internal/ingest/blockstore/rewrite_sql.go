package blockstore

import "understudy/internal/platform/store"

// blockOf returns the number of the block that contains an event of a project, if
// any does.
func blockOf(tx *store.Tx, project string, number int64) (first int64, err error) {
	_, err = tx.Get(`SELECT seq FROM event_block WHERE project = ? AND seq <= ? ORDER BY seq DESC LIMIT 1`, []any{project, number}, &first)
	return first, err
}

// columnsAt returns the columns and ids of a block.
func columnsAt(tx *store.Tx, first int64) (columns, idents []byte, err error) {
	_, err = tx.Get(`SELECT b.columns, d.idents FROM event_block b JOIN event_detail d ON d.seq = b.seq WHERE b.seq = ?`,
		[]any{first}, &columns, &idents)
	return columns, idents, err
}

func setColumns(tx *store.Tx, first int64, columns []byte) error {
	head, owned := prefixes(columns)
	_, err := tx.Exec(`UPDATE event_block SET columns = ?, head = ?, owned = ? WHERE seq = ?`, store.Blob(columns), head, owned, first)
	return err
}

// blocksOfSession returns the numbers of the blocks that hold events of a session.
func blocksOfSession(tx *store.Tx, no int64) (blocks []int64, err error) {
	err = tx.Each(`SELECT block FROM event_session_block WHERE session = ?`, []any{no}, func(r store.Row) error {
		var block int64
		err := r.Scan(&block)
		blocks = append(blocks, block)
		return err
	})
	return blocks, err
}

// shareSessionBlocks adds a session to the blocks of another one.
func shareSessionBlocks(tx *store.Tx, from, to int64) error {
	_, err := tx.Exec(`INSERT INTO event_session_block (session, block) SELECT ?, block FROM event_session_block WHERE session = ?
		ON CONFLICT DO NOTHING`, to, from)
	return err
}

func deleteSessionBlocks(tx *store.Tx, no int64) error {
	_, err := tx.Exec(`DELETE FROM event_session_block WHERE session = ?`, no)
	return err
}
