package messaging

import (
	"understudy/internal/platform/budget"
	"understudy/internal/platform/store"
)

// readPage renders the newest messages of a range directly from the rows, because
// it is the most frequent read of the service. It appends to b, and reads the
// additional columns of parents only for parents.
func readPage(tx *store.Tx, ch *Channel, r historyRange, limit int, how render, b []byte) (Page, error) {
	p := Page{Messages: b}
	n, size := 0, 0
	var parents []parentAt
	err := eachListed(tx, ch, r, how.metadata, func(m *Message) error {
		if n++; n > limit || size > budget.PageBytes {
			p.More, p.Next = true, m.TS
			return store.Stop()
		}
		if n > 1 {
			p.Messages = append(p.Messages, ',')
		}
		size += m.size()
		if m.replyCount > 0 {
			parents = append(parents, parentAt{len(p.Messages), m.TS})
			return nil
		}
		p.Messages = m.appendJSON(p.Messages, how)
		return nil
	})
	if err != nil || len(parents) == 0 {
		return p, err
	}
	return p, p.fillParents(tx, ch, parents, how)
}

// parentAt is the position in a page where the parent of a thread belongs.
type parentAt struct {
	offset int
	ts     TS
}

func (p *Page) fillParents(tx *store.Tx, ch *Channel, parents []parentAt, how render) error {
	out := make([]byte, 0, len(p.Messages)+1024*len(parents))
	from := 0
	for _, at := range parents {
		m, err := messageAt(tx, ch, at.ts)
		if err != nil {
			return err
		}
		out = append(out, p.Messages[from:at.offset]...)
		out = m.appendJSON(out, how)
		from = at.offset
	}
	p.Messages = append(out, p.Messages[from:]...)
	return nil
}

func queryMessages(tx *store.Tx, ch *Channel, r historyRange) ([]*Message, error) {
	return selectMessages(tx, `WHERE workspace = ? AND channel = ? AND listed = TRUE AND ts >= ? AND ts <= ? ORDER BY ts DESC LIMIT ?`,
		ch.Workspace, ch.ID, r.oldest, r.latest, r.limit)
}

// queryReplies returns the first replies of a thread: at most r.limit, and not
// many more bytes than budget.PageBytes. full reports that either bound was reached.
func queryReplies(tx *store.Tx, ch *Channel, parent TS, r historyRange) (replies []*Message, full bool, err error) {
	size := 0
	err = tx.Each(`SELECT `+messageColumns+` FROM msg_message WHERE workspace = ? AND channel = ? AND thread_ts = ? AND thread_ts > 0
		AND ts >= ? AND ts <= ? AND NOT deleted ORDER BY ts LIMIT ?`, []any{ch.Workspace, ch.ID, parent, r.oldest, r.latest, r.limit},
		func(row store.Row) error {
			m, err := scanMessage(row)
			if err != nil {
				return err
			}
			replies = append(replies, m)
			if full = len(replies) == r.limit || size > budget.PageBytes; full {
				return store.Stop()
			}
			size += m.size()
			return nil
		})
	return replies, full, err
}

// size returns the approximate size of a message in a reply, in bytes.
func (m *Message) size() int { return len(m.body) + len(m.reactions) + len(m.metadata) }

func peekChannel(tx *store.Tx, workspace, id, user string) (*Channel, error) {
	ch := &Channel{Workspace: workspace, ID: id}
	var lastRead int64
	found, err := tx.Get(`SELECT c.kind, c.version, COALESCE(m.last_read, -1) FROM msg_channel c
		LEFT JOIN msg_member m ON m.workspace = c.workspace AND m.channel = c.id AND m.user_id = ?
		WHERE c.workspace = ? AND c.id = ?`, []any{user, workspace, id}, &ch.Kind, &ch.Version, &lastRead)
	if err != nil || !found {
		return nil, err
	}
	ch.CallerIsMember, ch.LastRead = lastRead >= 0, TS(max(lastRead, 0))
	return ch, nil
}

func countAfter(tx *store.Tx, ch *Channel, after TS) (n int64, err error) {
	_, err = tx.Get(`SELECT COUNT(*) FROM (SELECT 1 FROM msg_message WHERE workspace = ? AND channel = ? AND listed = TRUE AND ts > ?
		LIMIT 1000) AS unread`, []any{ch.Workspace, ch.ID, after}, &n)
	return n, err
}
