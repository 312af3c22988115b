package messaging

import (
	"slices"
	"strings"

	"understudy/internal/messaging/searchquery"
	"understudy/internal/platform/store"
)

// searchWindow is the number of matches that a search reads; clients cannot page
// beyond it (page and count are at most 100 each).
const searchWindow = 10_000

// searchPlan is a query with all names resolved.
type searchPlan struct {
	workspace string
	viewer    string
	all       []searchquery.Term // each must match
	none      []searchquery.Term // none may match
	channels  []string
	authors   []string
	notIn     []string
	notBy     []string
	oldest    TS // inclusive, 0 is open
	latest    TS // exclusive, 0 is open
	notAt     []searchquery.Span
	want, not traits
	nothing   bool // a name in the query does not exist: no match
}

// traits are the conditions of a query other than words, with names resolved.
type traits struct {
	to    []string // users who received the direct message
	with  []string // users who participate in the thread or direct message
	has   []string
	is    []string
	emoji []string // reactions to it
	mine  []string // reactions by the viewer
}

// A condition is a part of a WHERE clause with its arguments.
type condition struct {
	sql  string
	args []any
}

var traitSQL = map[string]string{
	"link":     `(m.body LIKE '%<http%' OR m.body LIKE '%<mailto:%')`,
	"reaction": "m.reactions <> ''",
	"thread":   "(m.thread_ts > 0 OR m.reply_count > 0)",
	"dm":       `m.channel IN (SELECT c.id FROM msg_channel c WHERE c.workspace = m.workspace AND c.kind IN ('im', 'mpim'))`,
}

// conditions returns one group for each modifier. One condition of each group
// must hold.
func (t *traits) conditions(viewer string) (groups [][]condition) {
	add := func(names []string, of func(name string) condition) {
		var group []condition
		for _, name := range names {
			group = append(group, of(name))
		}
		if len(group) > 0 {
			groups = append(groups, group)
		}
	}
	known := func(name string) condition {
		if sql := traitSQL[name]; sql != "" {
			return condition{sql: sql}
		}
		return condition{sql: "1 = 0"} // pins, files, stars and saved messages do not exist here
	}
	const reacted = `EXISTS (SELECT 1 FROM msg_reaction r WHERE r.workspace = m.workspace AND r.channel = m.channel AND r.ts = m.ts AND r.name = ?`
	add(t.has, known)
	add(t.is, known)
	add(t.emoji, func(name string) condition { return condition{reacted + ")", []any{name}} })
	add(t.mine, func(name string) condition { return condition{reacted + " AND r.user_id = ?)", []any{name, viewer}} })
	const direct = `m.channel IN (SELECT x.channel FROM msg_member x JOIN msg_channel c ON c.workspace = x.workspace AND c.id = x.channel
		WHERE x.workspace = m.workspace AND x.user_id = ? AND c.kind IN ('im', 'mpim'))`
	add(t.to, func(user string) condition {
		return condition{"(m.user_id <> ? AND " + direct + ")", []any{user, user}}
	})
	add(t.with, func(user string) condition {
		like := "%" + user + "%"
		return condition{"(" + direct + ` OR (m.reply_count > 0 AND (m.user_id = ? OR m.reply_users LIKE ?))
			OR (m.thread_ts > 0 AND (m.user_id = ? OR EXISTS (SELECT 1 FROM msg_message p WHERE p.workspace = m.workspace
				AND p.channel = m.channel AND p.ts = m.thread_ts AND (p.user_id = ? OR p.reply_users LIKE ?)))))`,
			[]any{user, user, like, user, user, like}}
	})
	return groups
}

// conditions returns those that neither index contains; both databases check them
// on the row.
func (p *searchPlan) conditions() (sql string, args []any) {
	var b strings.Builder
	add := func(condition string, with ...any) {
		b.WriteString(" AND ")
		b.WriteString(condition)
		args = append(args, with...)
	}
	if p.oldest > 0 {
		add("m.ts >= ?", p.oldest)
	}
	if p.latest > 0 {
		add("m.ts < ?", p.latest)
	}
	for _, span := range p.notAt {
		add("(m.ts < ? OR m.ts >= ?)", span.Oldest, span.Latest)
	}
	for _, group := range p.want.conditions(p.viewer) {
		var either []string
		var with []any
		for _, c := range group {
			either, with = append(either, c.sql), append(with, c.args...)
		}
		add("("+strings.Join(either, " OR ")+")", with...)
	}
	for _, group := range p.not.conditions(p.viewer) {
		for _, c := range group {
			add("NOT "+c.sql, c.args...)
		}
	}
	return b.String(), args
}

// findMessages returns the ids of the messages that match a plan, the newest
// first or, if ascending, the oldest, and how many match, at most searchWindow.
// If very many match, it returns only the first need ids.
func findMessages(tx *store.Tx, p *searchPlan, ascending bool, need int) (ids []int64, total int, err error) {
	if p.nothing {
		return nil, 0, nil
	}
	if tx.Dialect().Name == "sqlite" {
		ids, err = p.sqlite(tx, ascending)
		return ids, len(ids), err
	}
	return p.postgres(tx, ascending, need)
}

// selectIDs appends the ids that a statement returns.
func selectIDs(tx *store.Tx, ids []int64, sql string, args []any) ([]int64, error) {
	err := tx.Each(sql, args, func(r store.Row) error {
		var id int64
		err := r.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

func direction(ascending bool) string {
	if ascending {
		return "ASC"
	}
	return "DESC"
}

// searched is the condition on messages that have words; systemSubtype and the
// index implement the same condition.
const searched = `NOT m.deleted AND m.subtype IN ('', 'bot_message', 'thread_broadcast')`

// fewMatches is the number of rows up to which checking the messages is faster
// than intersecting rare words with tags that a million rows have.
const fewMatches = 2000

// sqlite searches the full-text index, and the messages that are not indexed.
func (p *searchPlan) sqlite(tx *store.Tx, ascending bool) ([]int64, error) {
	t, err := readTail(tx)
	if err != nil {
		return nil, err
	}
	sql, args, err := p.indexed(tx, t.changed > 0, ascending)
	if err != nil {
		return nil, err
	}
	ids, err := selectIDs(tx, nil, sql, args)
	n := len(ids)
	if err == nil && t.newest > t.mark {
		sql, args := p.unindexed("m.id > ?", t.mark, ascending)
		ids, err = selectIDs(tx, ids, sql, args)
	}
	if err == nil && t.changed > 0 {
		sql, args := p.unindexed("m.id IN (SELECT message_id FROM msg_search_change WHERE message_id <= ?)", t.mark, ascending)
		ids, err = selectIDs(tx, ids, sql, args)
	}
	if len(ids) == n {
		return ids, err
	}
	slices.Sort(ids)
	if !ascending {
		slices.Reverse(ids)
	}
	return ids[:min(len(ids), searchWindow)], err
}

// indexed returns the statement that searches the full-text index, without
// changed messages if changed. If the words alone leave few rows, the statement
// checks visibility on the messages; otherwise by the tags of the index.
func (p *searchPlan) indexed(tx *store.Tx, changed, ascending bool) (string, []any, error) {
	conditions, more := p.conditions()
	from, query := "msg_search f", ""
	if words := p.words(); words != "" {
		var n int64
		if _, err := tx.Get(`SELECT COUNT(*) FROM (SELECT rowid FROM msg_search WHERE msg_search MATCH ? LIMIT ?)`,
			[]any{words, fewMatches + 1}, &n); err != nil {
			return "", nil, err
		}
		if n <= fewMatches {
			query = words
			rows, args := p.onRows(false)
			conditions, more = rows+conditions, append(args, more...)
		}
	}
	if query == "" {
		closed, err := closedChannels(tx, p.workspace, p.viewer)
		if err != nil {
			return "", nil, err
		}
		query = p.match(append(closed, "public"+p.workspace))
	}
	if conditions != "" {
		from += " CROSS JOIN msg_message m ON m.id = f.rowid" // the index is searched first
	}
	if changed {
		conditions += " AND f.rowid NOT IN (SELECT message_id FROM msg_search_change)"
	}
	return `SELECT f.rowid FROM ` + from + ` WHERE msg_search MATCH ?` + conditions + ` ORDER BY f.rowid ` + direction(ascending) + ` LIMIT ?`,
		append(append([]any{query}, more...), searchWindow), nil
}

// unindexed returns the statement for messages that a condition selects by their
// ids. It compares the words of each message. It prevents the planner from
// choosing the index of conversations, which would read all messages of the
// workspace.
func (p *searchPlan) unindexed(condition string, mark int64, ascending bool) (string, []any) {
	args := []any{mark}
	for _, list := range []struct {
		terms []searchquery.Term
		holds string
	}{{p.all, "> 0"}, {p.none, "= 0"}} {
		for _, t := range list.terms {
			text := " " + strings.Join(t.Words, " ")
			if !t.Prefix {
				text += " "
			}
			condition += " AND instr(' ' || m.words || ' ', ?) " + list.holds
			args = append(args, text)
		}
	}
	rows, visible := p.onRows(false)
	more, with := p.conditions()
	return `SELECT m.id FROM msg_message m NOT INDEXED WHERE ` + condition + ` AND ` + searched + rows + more + ` ORDER BY m.id ` + direction(ascending) + ` LIMIT ?`,
		append(slices.Concat(args, visible, with), searchWindow)
}

// onRows returns the condition on messages that is equivalent to the tags in
// match. If many messages are tested, it lists the conversations that the viewer
// sees once instead of looking up each.
func (p *searchPlan) onRows(many bool) (sql string, args []any) {
	sql = ` AND m.workspace = ? AND (
		EXISTS (SELECT 1 FROM msg_channel c WHERE c.workspace = m.workspace AND c.id = m.channel AND c.kind = 'public')
		OR EXISTS (SELECT 1 FROM msg_member v WHERE v.workspace = m.workspace AND v.channel = m.channel AND v.user_id = ?))`
	args = []any{p.workspace, p.viewer}
	if many {
		sql = ` AND m.workspace = ? AND (
			m.channel IN (SELECT c.id FROM msg_channel c WHERE c.workspace = ? AND c.kind = 'public')
			OR m.channel IN (SELECT v.channel FROM msg_member v WHERE v.workspace = ? AND v.user_id = ?))`
		args = []any{p.workspace, p.workspace, p.workspace, p.viewer}
	}
	for _, list := range []struct {
		condition string
		ids       []string
	}{{"m.channel IN", p.channels}, {"m.user_id IN", p.authors}, {"m.channel NOT IN", p.notIn}, {"m.user_id NOT IN", p.notBy}} {
		if len(list.ids) > 0 {
			sql += " AND " + list.condition + " " + store.In(len(list.ids))
			for _, id := range list.ids {
				args = append(args, id)
			}
		}
	}
	return sql, args
}

// words returns the part of a full-text query for words; "" for none.
func (p *searchPlan) words() string {
	if len(p.all) == 0 {
		return ""
	}
	parts := make([]string, len(p.all))
	for i, t := range p.all {
		parts[i] = "words : " + ftsTerm(t)
	}
	out := "(" + strings.Join(parts, " AND ") + ")"
	for _, t := range p.none {
		out += " NOT words : " + ftsTerm(t)
	}
	return out
}

// match returns the full-text query. All text in it consists of letters, digits
// and our own quotation marks.
func (p *searchPlan) match(visible []string) string {
	var b strings.Builder
	tags := func(list []string) {
		b.WriteString(`tags : ("` + strings.Join(list, `" OR "`) + `")`)
	}
	tags(visible)
	for _, list := range [][]string{p.channels, p.authors} {
		if len(list) > 0 {
			b.WriteString(" AND ")
			tags(list)
		}
	}
	for _, t := range p.all {
		b.WriteString(" AND words : ")
		b.WriteString(ftsTerm(t))
	}
	out := "(" + b.String() + ")"
	for _, t := range p.none {
		out += " NOT words : " + ftsTerm(t)
	}
	for _, id := range append(p.notIn, p.notBy...) {
		out += ` NOT tags : "` + id + `"`
	}
	return out
}

func ftsTerm(t searchquery.Term) string {
	s := `"` + strings.Join(t.Words, " ") + `"`
	if t.Prefix {
		s += " *"
	}
	return s
}

// onMessages returns all conditions of a plan on messages except those on their
// words; many is as in onRows.
func (p *searchPlan) onMessages(many bool) (sql string, args []any) {
	rows, args := p.onRows(many)
	conditions, more := p.conditions()
	return searched + rows + conditions, append(args, more...)
}

func (p *searchPlan) tsquery() string {
	var parts []string
	for _, t := range p.all {
		parts = append(parts, tsTerm(t))
	}
	for _, t := range p.none {
		parts = append(parts, "!("+tsTerm(t)+")")
	}
	return strings.Join(parts, " & ")
}

func tsTerm(t searchquery.Term) string {
	s := "'" + strings.Join(t.Words, "' <-> '") + "'"
	if t.Prefix {
		s += ":*"
	}
	return s
}

// closedChannels returns the conversations of a user that are not public.
func closedChannels(tx *store.Tx, workspace, user string) (out []string, err error) {
	err = tx.Each(`SELECT m.channel FROM msg_member m JOIN msg_channel c ON c.workspace = m.workspace AND c.id = m.channel
		WHERE m.workspace = ? AND m.user_id = ? AND c.kind <> 'public'`, []any{workspace, user}, func(r store.Row) error {
		var id string
		err := r.Scan(&id)
		out = append(out, id)
		return err
	})
	return out, err
}
