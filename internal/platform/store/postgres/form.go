package postgres

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"understudy/internal/platform/cache"
)

// form is the result of parsing a statement: whether several runs of it can be
// sent as one statement, and how. A form is plain if neither applies.
type form struct {
	sql   string
	table string
	kind  formKind

	// Of an insert: the text before and after the expressions, and the expressions.
	head, tail  string
	expressions string

	// Of an update: its effect on each column, by the position of the argument, and
	// the position of the first argument of the key.
	sets []set
	keys int
}

type formKind uint8

const (
	_ formKind = iota // any other statement
	// insertForm adds one row of arguments and constants.
	insertForm
	// updateForm sets columns of the row with a key, or adds to them.
	updateForm
)

// set is the effect of an update on a column.
type set struct {
	column string
	adds   bool  // to the current value
	by     int64 // added, if there is no argument
	minus  bool
	arg    int // the position of its argument; -1 for none
}

var (
	insertText = regexp.MustCompile(`(?s)^\s*INSERT INTO (\w+)\s*\([\w,\s]+\)\s*VALUES\s*\(`)
	insertTail = regexp.MustCompile(`(?s)^\s*(ON CONFLICT\s*(\([\w,\s]+\))?\s*DO NOTHING)?\s*$`)
	expression = regexp.MustCompile(`^(\?|-?\d+|'[^'?]*'|TRUE|FALSE|NULL|CAST\(\? AS \w+\))$`)

	updateText = regexp.MustCompile(`(?s)^\s*UPDATE (\w+)\s+SET\s+(.+?)\s+WHERE\s+(.+?)\s*$`)
	setText    = regexp.MustCompile(`^(\w+) = \?$`)
	addText    = regexp.MustCompile(`^(\w+) = (\w+) ([+-]) (\?|\d{1,9})$`)
)

// forms caches the forms of statements by their text.
var forms = cache.NewBounded(reboundBytes, func(sql string, f *form) int { return 2*len(sql) + 300 })

func formOf(sql string) *form {
	if f, ok := forms.Get(sql); ok {
		return f
	}
	f := parseForm(sql)
	forms.Put(sql, f)
	return f
}

func parseForm(sql string) *form {
	f := &form{sql: sql}
	if m := insertText.FindStringSubmatchIndex(sql); m != nil {
		f.parseInsert(sql[m[2]:m[3]], m[1])
	} else if m := updateText.FindStringSubmatch(sql); m != nil {
		f.parseUpdate(m[1], m[2], m[3])
	}
	return f
}

// parseInsert parses an insert into a table whose expressions begin at an offset.
func (f *form) parseInsert(table string, begin int) {
	end, depth := begin, 1
	for ; end < len(f.sql); end++ {
		switch f.sql[end] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			break
		}
	}
	if end == len(f.sql) || !insertTail.MatchString(f.sql[end+1:]) {
		return
	}
	f.expressions = f.sql[begin:end]
	for e := range strings.SplitSeq(f.expressions, ",") {
		if !expression.MatchString(strings.TrimSpace(e)) {
			return
		}
	}
	f.kind, f.table, f.tail = insertForm, table, f.sql[end+1:]
	f.head = strings.TrimRight(f.sql[:begin-1], " \t\n")
	f.head = f.head[:len(f.head)-len("VALUES")]
}

func (f *form) parseUpdate(table, items, conditions string) {
	args := 0
	for item := range strings.SplitSeq(items, ",") {
		item = strings.TrimSpace(item)
		s := set{arg: -1}
		if m := setText.FindStringSubmatch(item); m != nil {
			s.column, s.arg = m[1], args
		} else if m := addText.FindStringSubmatch(item); m != nil && m[1] == m[2] {
			s.column, s.adds, s.minus = m[1], true, m[3] == "-"
			if m[4] == "?" {
				s.arg = args
			} else {
				s.by, _ = strconv.ParseInt(m[4], 10, 64) // at most nine digits
			}
		} else {
			return
		}
		if s.arg >= 0 {
			args++
		}
		f.sets = append(f.sets, s)
	}
	for c := range strings.SplitSeq(conditions, " AND ") {
		m := setText.FindStringSubmatch(strings.TrimSpace(c))
		if m == nil || slices.ContainsFunc(f.sets, func(s set) bool { return s.column == m[1] }) {
			return
		}
	}
	f.kind, f.table, f.keys = updateForm, table, args
	f.head, f.tail = "UPDATE "+table+" SET ", " WHERE "+conditions
}
