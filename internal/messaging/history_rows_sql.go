package messaging

import "understudy/internal/platform/store"

// listed selects the messages in a channel's history; its arguments are those of
// historyRange.arguments.
const listed = ` FROM msg_message WHERE workspace = ? AND channel = ? AND listed = TRUE AND ts >= ? AND ts <= ? ORDER BY ts DESC LIMIT ?`

func (r historyRange) arguments(ch *Channel) []any {
	return []any{ch.Workspace, ch.ID, r.oldest, r.latest, r.limit}
}

// historyColumns are the columns that rendering a message needs.
const historyColumns = `ts, body, reactions, reply_count`

// eachListed calls fn with the messages of a range, newest first, with
// historyColumns set. A message and its bytes are valid only until fn returns.
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
		if len(ids) == 0 || id != ids[0] { // a row between them: a reply in a thread or a deleted message
			return nil
		}
		ids = ids[1:]
		return show()
	})
}

const (
	// minWalk is the shortest page for which scanning the rows can be faster.
	minWalk = 16
	// roomToBegin is the slack of near for the first messages of a range.
	roomToBegin = 12
)

// near reports whether scanning rows of the table is faster than looking up the
// messages among them: skipping two rows takes as long as one lookup.
func near(rows, messages int) bool { return rows <= messages+messages/2 }

// adjacent returns the ids of a range of messages, newest first, if their rows
// are adjacent in the table or nearly so, as after many posts to one channel.
// Otherwise it returns nil; also on PostgreSQL, where it would cost a round trip.
func adjacent(tx *store.Tx, ch *Channel, r historyRange) ([]int64, error) {
	if r.limit < minWalk || tx.Dialect() != store.SQLite {
		return nil, nil
	}
	ids, walk := make([]int64, 0, min(r.limit, 128)), true
	var id int64
	place := []any{&id} // one for all rows: what Scan receives is allocated
	err := tx.Each(`SELECT id`+listed, r.arguments(ch), func(row store.Row) error {
		if err := row.Scan(place...); err != nil {
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

// span returns the largest possible number of rows from the last id to the first.
func span(ids []int64) int { return int(ids[0]-ids[len(ids)-1]) + 1 }
