package messaging

import (
	"slices"
	"strings"

	"understudy/internal/platform/store"
)

const channelColumns = `c.workspace, c.id, c.kind, c.name, c.creator, c.created, c.updated, c.archived, c.is_general,
	c.topic, c.topic_creator, c.topic_set, c.purpose, c.purpose_creator, c.purpose_set, c.previous_names, c.member_key, c.members,
	c.last_ts, c.version, COALESCE(m.last_read, -1)`

func scanChannel(r store.Row) (*Channel, error) {
	ch := &Channel{}
	var previous string
	err := r.Scan(&ch.Workspace, &ch.ID, &ch.Kind, &ch.Name, &ch.Creator, &ch.Created, &ch.Updated, &ch.Archived, &ch.IsGeneral,
		&ch.Topic.Value, &ch.Topic.Creator, &ch.Topic.Set, &ch.Purpose.Value, &ch.Purpose.Creator, &ch.Purpose.Set,
		&previous, &ch.MemberKey, &ch.Members, &ch.LastTS, &ch.Version, &ch.LastRead)
	if previous != "" {
		ch.PreviousNames = strings.Split(previous, ",")
	}
	ch.CallerIsMember = ch.LastRead >= 0
	ch.LastRead = max(ch.LastRead, 0)
	return ch, err
}

func queryChannel(tx *store.Tx, sql string, args ...any) (ch *Channel, err error) {
	err = tx.Each(sql, args, func(r store.Row) (err error) {
		ch, err = scanChannel(r)
		return err
	})
	return ch, err
}

// getChannelFor returns a channel with the membership of a user, or nil.
func getChannelFor(tx *store.Tx, workspace, id, user string) (*Channel, error) {
	return queryChannel(tx, `SELECT `+channelColumns+` FROM msg_channel c
		LEFT JOIN msg_member m ON m.workspace = c.workspace AND m.channel = c.id AND m.user_id = ?
		WHERE c.workspace = ? AND c.id = ?`, user, workspace, id)
}

func getChannel(tx *store.Tx, workspace, id string) (*Channel, error) {
	return getChannelFor(tx, workspace, id, "")
}

func channelByMembers(tx *store.Tx, workspace, key, user string) (*Channel, error) {
	return queryChannel(tx, `SELECT `+channelColumns+` FROM msg_channel c
		LEFT JOIN msg_member m ON m.workspace = c.workspace AND m.channel = c.id AND m.user_id = ?
		WHERE c.workspace = ? AND c.member_key = ? AND c.member_key <> ''`, user, workspace, key)
}

func channelIDByName(tx *store.Tx, workspace, name string) (string, error) {
	var id string
	_, err := tx.Get(`SELECT id FROM msg_channel WHERE workspace = ? AND name = ? AND name <> ''`, []any{workspace, name}, &id)
	return id, err
}

func generalChannel(tx *store.Tx, workspace string) (string, error) {
	var id string
	_, err := tx.Get(`SELECT id FROM msg_channel WHERE workspace = ? AND is_general`, []any{workspace}, &id)
	return id, err
}

func channelNameTaken(tx *store.Tx, workspace, name string) (bool, error) {
	id, err := channelIDByName(tx, workspace, name)
	return id != "", err
}

func insertChannel(tx *store.Tx, ch *Channel) (bool, error) {
	n, err := tx.Exec(`INSERT INTO msg_channel (workspace, id, kind, name, creator, created, updated, archived, is_general,
		topic, topic_creator, topic_set, purpose, purpose_creator, purpose_set, previous_names, member_key, members, last_ts, version)
		VALUES (?, ?, ?, ?, ?, ?, ?, FALSE, ?, '', '', 0, ?, ?, ?, '', ?, 0, 0, 0) ON CONFLICT DO NOTHING`,
		ch.Workspace, ch.ID, ch.Kind, ch.Name, ch.Creator, ch.Created, ch.Updated, ch.IsGeneral,
		ch.Purpose.Value, ch.Purpose.Creator, ch.Purpose.Set, ch.MemberKey)
	return n > 0, err
}

// The columns that each change of a channel writes.
var (
	nameColumns    = []string{"name", "previous_names"}
	topicColumns   = []string{"topic", "topic_creator", "topic_set"}
	purposeColumns = []string{"purpose", "purpose_creator", "purpose_set"}
	archiveColumns = []string{"archived"}
)

// updateChannel writes some columns of a channel, and the time of the change. It
// writes no others because a diff attributes every column that a statement writes
// to the request.
func updateChannel(tx *store.Tx, ch *Channel, columns ...string) error {
	values := map[string]any{"name": ch.Name, "previous_names": strings.Join(ch.PreviousNames, ","), "archived": ch.Archived,
		"topic": ch.Topic.Value, "topic_creator": ch.Topic.Creator, "topic_set": ch.Topic.Set,
		"purpose": ch.Purpose.Value, "purpose_creator": ch.Purpose.Creator, "purpose_set": ch.Purpose.Set}
	set, args := "updated = ?", []any{ch.Updated}
	for _, name := range columns {
		set, args = set+", "+name+" = ?", append(args, values[name])
	}
	_, err := tx.Exec(`UPDATE msg_channel SET `+set+` WHERE workspace = ? AND id = ?`, append(args, ch.Workspace, ch.ID)...)
	return err
}

func listChannels(tx *store.Tx, c Caller, in ListChannels) ([]*Channel, error) {
	join, visible := "JOIN", "TRUE" // channels that are not public are found through the memberships
	if slices.Contains(in.Kinds, Public) {
		join, visible = "LEFT JOIN", "(c.kind = 'public' OR m.user_id IS NOT NULL)"
	}
	if in.ExcludeArchived {
		visible += " AND NOT c.archived"
	}
	args := []any{c.ID, c.Workspace, in.After}
	for _, k := range in.Kinds {
		args = append(args, k)
	}
	var out []*Channel
	err := tx.Each(`SELECT `+channelColumns+` FROM msg_channel c
		`+join+` msg_member m ON m.workspace = c.workspace AND m.channel = c.id AND m.user_id = ?
		WHERE c.workspace = ? AND c.id > ? AND c.kind IN `+store.In(len(in.Kinds))+` AND `+visible+`
		ORDER BY c.id LIMIT ?`, append(args, in.Limit+1), func(r store.Row) error {
		ch, err := scanChannel(r)
		out = append(out, ch)
		return err
	})
	return out, err
}

// touchChannel allocates the next ts of a channel: now, or one microsecond after
// the last. It locks the channel's row, so that timestamps are in the order of
// commits.
func touchChannel(tx *store.Tx, workspace, id string, now int64) (ts TS, err error) {
	_, err = tx.Get(`UPDATE msg_channel SET last_ts = CASE WHEN last_ts >= ? THEN last_ts + 1 ELSE ? END, version = version + 1
		WHERE workspace = ? AND id = ? RETURNING last_ts`, []any{now, now, workspace, id}, &ts)
	return ts, err
}

// bumpVersion increments the version of a channel after a change of a message.
func bumpVersion(tx *store.Tx, workspace, id string) error {
	_, err := tx.Exec(`UPDATE msg_channel SET version = version + 1 WHERE workspace = ? AND id = ?`, workspace, id)
	return err
}
