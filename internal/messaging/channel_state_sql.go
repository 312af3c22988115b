package messaging

import "understudy/internal/platform/store"

// countedUnread bounds the count of unread messages.
const countedUnread = 1000

// channelStatesOf reads all conversations of the caller, or only channel.
func channelStatesOf(tx *store.Tx, c Caller, channel string) (out []*ChannelState, err error) {
	rest, args := ``, []any{c.Workspace, c.ID}
	if channel != "" {
		rest, args = ` AND m.channel = ?`, append(args, channel)
	}
	type place struct {
		starred bool
		joined  int64
	}
	places := map[string]place{}
	err = tx.Each(`SELECT m.channel, m.starred, m.joined FROM msg_member m WHERE m.workspace = ? AND m.user_id = ?`+rest, args,
		func(r store.Row) error {
			var id string
			var p place
			err := r.Scan(&id, &p.starred, &p.joined)
			places[id] = p
			return err
		})
	if err != nil {
		return nil, err
	}
	var joined []int64
	err = tx.Each(`SELECT `+channelColumns+` FROM msg_member m JOIN msg_channel c ON c.workspace = m.workspace AND c.id = m.channel
		WHERE m.workspace = ? AND m.user_id = ?`+rest+` ORDER BY c.name, c.id`, args, func(r store.Row) error {
		ch, err := scanChannel(r)
		p := places[ch.ID]
		out, joined = append(out, &ChannelState{Channel: ch, Starred: p.starred}), append(joined, p.joined)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, m := range out {
		if err := countUnread(tx, m, c.ID, m.readFrom(joined[i])); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// countUnread counts the messages of others after a ts, and those of them that
// mention the user or everybody.
func countUnread(tx *store.Tx, m *ChannelState, user string, from TS) error {
	if _, err := tx.Get(`SELECT ts FROM msg_message WHERE workspace = ? AND channel = ? AND listed = TRUE ORDER BY ts DESC LIMIT 1`,
		[]any{m.Workspace, m.ID}, &m.Latest); err != nil || m.Latest <= from {
		return err
	}
	_, err := tx.Get(`SELECT COUNT(*), COALESCE(SUM(CASE WHEN body LIKE ? OR body LIKE '%<!here%' OR body LIKE '%<!channel%' OR body LIKE '%<!everyone%'
			THEN 1 ELSE 0 END), 0)
		FROM (SELECT body FROM msg_message WHERE workspace = ? AND channel = ? AND listed = TRUE AND ts > ? AND user_id <> ?
			AND subtype NOT IN ('channel_join', 'channel_leave') ORDER BY ts LIMIT ?) AS unread`,
		[]any{"%<@" + user + "%", m.Workspace, m.ID, from, user, countedUnread}, &m.Unread, &m.Mentions)
	return err
}

func starMember(tx *store.Tx, ch *Channel, user string, starred bool) error {
	_, err := tx.Exec(`UPDATE msg_member SET starred = ? WHERE workspace = ? AND channel = ? AND user_id = ?`, starred, ch.Workspace, ch.ID, user)
	return err
}
