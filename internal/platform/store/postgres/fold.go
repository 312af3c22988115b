package postgres

import (
	"slices"
	"strconv"
	"strings"

	"understudy/internal/platform/cache"
)

// message is one statement to send, for one or several queued ones.
type message struct {
	sql   string // with numbered placeholders
	args  []any
	later []int // the positions of the queued statements
	ids   bool  // its reply has an id for each of them
}

// fold returns the messages for queued statements. Inserts into one table become
// one statement with many rows, and updates of one row become one update, unless
// a statement between them mentions their table. Statements of one table keep
// their order, so that the result is the same.
func fold(all []later) []message {
	f := folder{all: all, mentioned: map[string]int{}, inserts: map[insertKey]int{}, updates: map[updateKey]int{}}
	for i := range all {
		f.add(i)
	}
	var out []message
	for _, g := range f.groups {
		out = g.messages(out, all)
	}
	return out
}

// folder groups statements that are sent as one.
type folder struct {
	all       []later
	groups    []*bundle
	mentioned map[string]int // by the tables of groups: the last group that mentions the table
	inserts   map[insertKey]int
	updates   map[updateKey]int
	last      *form // of the previous statement
}

// bundle is a group of statements of one form; updates are of one row.
type bundle struct {
	form  *form
	later []int
}

type insertKey struct {
	sql, column string // column is the generated key to return
}

type updateKey struct{ sql, key string }

func (f *folder) add(i int) {
	l := &f.all[i]
	if f.last == nil || f.last.sql != l.sql {
		f.last = formOf(l.sql)
	}
	form := f.last
	switch form.kind {
	case insertForm:
		addTo(f, f.inserts, insertKey{l.sql, l.column}, form, i)
	case updateForm:
		key, ok := form.key(l.args)
		if !ok {
			f.begin(form, i)
			return
		}
		addTo(f, f.updates, updateKey{l.sql, key}, form, i)
	default:
		f.begin(form, i)
	}
}

// addTo adds a statement to the last group with a key, or begins a group if a
// later one mentions the table.
func addTo[K comparable](f *folder, groups map[K]int, key K, form *form, i int) {
	if at, ok := groups[key]; ok && f.lastMention(form.table) <= at {
		f.groups[at].later = append(f.groups[at].later, i)
		return
	}
	groups[key] = f.begin(form, i)
}

// begin begins a group and returns its index.
func (f *folder) begin(form *form, i int) int {
	at := len(f.groups)
	f.groups = append(f.groups, &bundle{form, []int{i}})
	for table := range f.mentioned {
		if strings.Contains(form.sql, table) {
			f.mentioned[table] = at
		}
	}
	return at
}

// lastMention returns the last group whose text contains the name of a table.
func (f *folder) lastMention(table string) int {
	at, ok := f.mentioned[table]
	if !ok {
		for i, g := range f.groups {
			if strings.Contains(g.form.sql, table) {
				at = i
			}
		}
		f.mentioned[table] = at
	}
	return at
}

// key returns a text for the key of an update, and reports whether several
// updates of the row can be one: they add whole numbers only.
func (f *form) key(args []any) (string, bool) {
	for _, s := range f.sets {
		if s.adds && s.arg >= 0 {
			if n, ok := args[s.arg].(int64); !ok || n > maxAdded || n < -maxAdded {
				return "", false
			}
		}
	}
	var b []byte
	for _, a := range args[f.keys:] {
		switch a := a.(type) {
		case string:
			b = strconv.AppendInt(append(b, 't'), int64(len(a)), 10)
			b = append(append(b, ':'), a...)
		case int64:
			b = append(strconv.AppendInt(append(b, 'i'), a, 10), ';')
		default:
			return "", false
		}
	}
	return string(b), true
}

// maxAdded bounds the number that a foldable update adds, so that the sum of many
// does not overflow.
const maxAdded = 1 << 40

// messages appends the messages of a group.
func (g *bundle) messages(to []message, all []later) []message {
	if len(g.later) > 1 {
		switch g.form.kind {
		case insertForm:
			if m, ok := g.rows(all); ok {
				return append(to, m)
			}
		case updateForm:
			return append(to, g.sum(all))
		}
	}
	for _, i := range g.later {
		to = append(to, all[i].message(i))
	}
	return to
}

// message returns the message for one statement.
func (l *later) message(i int) message {
	text := l.sql
	if l.id != nil {
		text += " RETURNING " + l.column
	}
	return message{rebind(text), l.args, []int{i}, l.id != nil}
}

// rows returns one insert for a whole group, with columns as its arguments. It
// reports false if a column has values of several types or none.
func (g *bundle) rows(all []later) (message, bool) {
	first := &all[g.later[0]]
	columns, types := make([]any, len(first.args)), make([]byte, len(first.args))
	for c := range columns {
		if columns[c], types[c] = column(all, g.later, c); types[c] == 0 {
			return message{}, false
		}
	}
	if len(columns) == 0 {
		return message{}, false
	}
	returning := ""
	if first.id != nil {
		returning = first.column
	}
	return message{g.form.ofRows(string(types), returning), columns, g.later, first.id != nil}, true
}

// column returns the arguments at one position as an array, and the letter of
// their type.
func column(all []later, at []int, c int) (any, byte) {
	for _, i := range at {
		switch all[i].args[c].(type) {
		case string:
			return array[string](all, at, c, 't')
		case int64:
			return array[int64](all, at, c, 'i')
		case bool:
			return array[bool](all, at, c, 'b')
		case float64:
			return array[float64](all, at, c, 'f')
		case nil:
		default:
			return nil, 0
		}
	}
	return nil, 0
}

// array is column for one type.
func array[T any](all []later, at []int, c int, letter byte) (any, byte) {
	values, null := make([]T, len(at)), false
	for r, i := range at {
		switch v := all[i].args[c].(type) {
		case T:
			values[r] = v
		case nil:
			null = true
		default:
			return nil, 0
		}
	}
	if !null {
		return values, letter
	}
	pointers := make([]*T, len(at))
	for r, i := range at {
		if all[i].args[c] != nil {
			pointers[r] = &values[r]
		}
	}
	return pointers, letter
}

var typeNames = map[byte]string{'t': "TEXT", 'i': "BIGINT", 'b': "BOOLEAN", 'f': "DOUBLE PRECISION"}

// rowsKey is the cache key of an insert of many rows.
type rowsKey struct{ sql, types, returning string }

var rowsTexts = cache.NewBounded(reboundBytes, func(k rowsKey, text string) int { return len(k.sql) + len(text) + 200 })

// ofRows returns the text of an insert whose arguments are columns of the types.
func (f *form) ofRows(types, returning string) string {
	key := rowsKey{f.sql, types, returning}
	if text, ok := rowsTexts.Get(key); ok {
		return text
	}
	var b strings.Builder
	b.WriteString(f.head)
	b.WriteString("SELECT ")
	n := 0
	for _, c := range []byte(f.expressions) {
		if c != '?' {
			b.WriteByte(c)
			continue
		}
		n++
		b.WriteString("d.a")
		b.WriteString(strconv.Itoa(n))
	}
	b.WriteString(" FROM unnest(")
	names := make([]string, len(types))
	for i := range types {
		if i > 0 {
			b.WriteString(", ")
		}
		names[i] = "a" + strconv.Itoa(i+1)
		b.WriteString("CAST($" + strconv.Itoa(i+1) + " AS " + typeNames[types[i]] + "[])")
	}
	b.WriteString(") d (" + strings.Join(names, ", ") + ")" + f.tail)
	if returning != "" {
		b.WriteString(" RETURNING " + returning)
	}
	rowsTexts.Put(key, b.String())
	return b.String()
}

// sum returns one update for a whole group: with the values of the last one, and
// the sums of all.
func (g *bundle) sum(all []later) message {
	last := &all[g.later[len(g.later)-1]]
	var b strings.Builder
	b.WriteString(g.form.head)
	var args []any
	for i, s := range g.form.sets {
		if i > 0 {
			b.WriteString(", ")
		}
		if !s.adds {
			b.WriteString(s.column + " = ?")
			args = append(args, last.args[s.arg])
			continue
		}
		total := int64(0)
		for _, at := range g.later {
			n := s.by
			if s.arg >= 0 {
				n = all[at].args[s.arg].(int64)
			}
			if s.minus {
				n = -n
			}
			total += n
		}
		b.WriteString(s.column + " = " + s.column + " + ?")
		args = append(args, total)
	}
	b.WriteString(g.form.tail)
	return message{rebind(b.String()), slices.Concat(args, last.args[g.form.keys:]), g.later, false}
}
