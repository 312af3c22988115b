package messaging

import "understudy/internal/platform/store"

// listed is the condition of the messages in a channel's history, of historyRange.arguments.
const listed = ` FROM msg_message WHERE workspace = ? AND channel = ? AND listed = TRUE AND ts >= ? AND ts <= ? ORDER BY ts DESC LIMIT ?`

func (r historyRange) arguments(ch *Channel) []any {
	return []any{ch.Workspace, ch.ID, r.oldest, r.latest, r.limit}
}

// historyColumns are what rendering a message needs.
const historyColumns = `ts, body, reactions, reply_count`

// eachListed calls fn for the messages of a range, newest first, with what
// historyColumns names of them. They and their bytes are valid until fn returns.
func eachListed(tx *store.Tx, ch *Channel, r historyRange, metadata bool, fn func(*Message) error) error {
	columns := historyColumns
	var m Message
	var id, ts int64
	var body, reactions, meta store.Borrowed
	places := []any{&id, &ts, &body, &reactions, &m.replyCount}
	if metadata {
		columns, places = columns+`, metadata`, append(places, &meta)
	}
	show := func() error {
		m.TS, m.body, m.reactions, m.metadata = TS(ts), body, reactions, meta
		return fn(&m)
	}
	ids, err := adjacent(tx, ch, r)
	if err != nil {
		return err
	}
	if ids == nil {
		return tx.Each(`SELECT `+columns+listed, r.arguments(ch), func(row store.Row) error {
			if err := row.Scan(places[1:]...); err != nil {
				return err
			}
			return show()
		})
	}
	between, args := `id BETWEEN ? AND ?`, []any{ids[len(ids)-1], ids[0]}
	if span(ids) > len(ids) {
		between, args = between+` AND channel = ?`, append(args, ch.ID)
	}
	return tx.Each(`SELECT id, `+columns+` FROM msg_message WHERE `+between+` ORDER BY id DESC`, args, func(row store.Row) error {
		if err := row.Scan(places...); err != nil {
			return err
		}
		if len(ids) == 0 || id != ids[0] { // stands between them: a reply in a thread, a deleted message
			return nil
		}
		ids = ids[1:]
		return show()
	})
}

const (
	// minWalk is the length of a page from which looking for its ids first pays.
	minWalk = 16
	// roomToBegin is by how many more rows the first messages may be apart.
	roomToBegin = 12
)

// near reports whether walking over so many rows of the table takes less than looking
// up so many messages among them: stepping over two rows that do not belong to a page
// takes as long as one search.
func near(rows, messages int) bool { return rows <= messages+messages/2 }

// adjacent returns the ids of a range of messages, newest first, when the rows
// stand next to each other in the table, or nearly, and in that order, as those of a channel
// do to which many messages were posted one after another. It returns nil for others, and on PostgreSQL, where
// it would cost a conversation.
func adjacent(tx *store.Tx, ch *Channel, r historyRange) ([]int64, error) {
	if r.limit < minWalk || tx.Dialect() != store.SQLite {
		return nil, nil
	}
	ids, walk := make([]int64, 0, min(r.limit, 128)), true
	err := tx.Each(`SELECT id`+listed, r.arguments(ch), func(row store.Row) error {
		var id int64
		if err := row.Scan(&id); err != nil {
			return err
		}
		n := len(ids)
		if ids = append(ids, id); n > 0 {
			walk = id < ids[n-1] && near(span(ids)-roomToBegin, n)
		}
		if !walk {
			return store.Stop()
		}
		return nil
	})
	if err != nil || !walk || len(ids) == 0 || !near(span(ids), len(ids)) {
		return nil, err
	}
	return ids, nil
}

// span returns how many rows of the table there are at most from the last id to the first.
func span(ids []int64) int { return int(ids[0]-ids[len(ids)-1]) + 1 }
