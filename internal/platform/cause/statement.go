package cause

import (
	"slices"
	"strings"

	"understudy/internal/platform/store"
)

// parsed is the parsed text of a statement.
type parsed struct {
	op      store.Op // 0 for a read, or if the statement was not understood
	table   string
	updates []string       // the columns of SET, sorted; nil for all
	set     uint16         // the number of the set
	values  map[string]int // of INSERT and of WHERE: the index of the argument for a column
}

// parse parses an INSERT, UPDATE or DELETE of one table.
func parse(sql string) (p parsed) {
	tokens := tokenize(sql)
	next := func() string {
		if len(tokens) == 0 {
			return ""
		}
		t := tokens[0]
		tokens = tokens[1:]
		return t
	}
	p.values = map[string]int{}
	if len(tokens) > 0 && strings.EqualFold(tokens[0], "WITH") {
		tokens = afterWith(tokens)
	}
	switch strings.ToUpper(next()) {
	case "INSERT", "REPLACE":
		for t := next(); t != "" && !strings.EqualFold(t, "INTO"); t = next() {
		}
		p.op, p.table = store.Inserted, next()
		p.readInsert(tokens)
	case "UPDATE":
		p.op, p.table = store.Updated, next()
		p.updates = setList(tokens)
		p.readWhere(tokens)
	case "DELETE":
		next()
		p.op, p.table = store.Deleted, next()
		p.readWhere(tokens)
	}
	if p.op == store.Inserted {
		p.updates = setList(tokens) // of ON CONFLICT DO UPDATE
	}
	p.table = strings.Trim(p.table, `"`)
	return p
}

// afterWith returns the statement after common table expressions. Placeholders
// before it would count too, so it is treated as changing any row.
func afterWith(tokens []string) []string {
	depth := 0
	for i, t := range tokens {
		switch {
		case t == "(":
			depth++
		case t == ")":
			depth--
		case depth == 0 && slices.Contains([]string{"INSERT", "UPDATE", "DELETE", "SELECT"}, strings.ToUpper(t)):
			return append(slices.Clone(tokens[i:]), "OR")
		}
	}
	return nil
}

// tokenize splits a statement into words, quoted texts and single characters.
// Placeholders are "?".
func tokenize(sql string) (out []string) {
	word := func(c byte) bool {
		return c == '_' || c == '"' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
	}
	for i := 0; i < len(sql); {
		from := i
		switch c := sql[i]; {
		case c == '\'':
			for i++; i < len(sql) && sql[i] != '\''; i++ {
			}
			i++
		case strings.HasPrefix(sql[i:], "--"):
			for i < len(sql) && sql[i] != '\n' {
				i++
			}
			continue
		case word(c):
			for i < len(sql) && word(sql[i]) {
				i++
			}
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			i++
			continue
		default:
			i++
		}
		out = append(out, sql[from:min(i, len(sql))])
	}
	return out
}

// setList returns the columns of the first SET, sorted; nil if it was not
// understood.
func setList(tokens []string) (columns []string) {
	at := slices.IndexFunc(tokens, func(t string) bool { return strings.EqualFold(t, "SET") })
	if at < 0 {
		return nil
	}
	depth, expected := 0, true
	for i := at + 1; i < len(tokens); i++ {
		t := tokens[i]
		switch {
		case expected:
			if i+1 >= len(tokens) || tokens[i+1] != "=" {
				return nil
			}
			columns, expected = append(columns, strings.Trim(t, `"`)), false
		case t == "(":
			depth++
		case t == ")":
			depth--
		case depth == 0 && t == ",":
			expected = true
		case depth == 0 && slices.Contains([]string{"WHERE", "FROM", "RETURNING"}, strings.ToUpper(t)):
			slices.Sort(columns)
			return slices.Compact(columns)
		}
	}
	slices.Sort(columns)
	return slices.Compact(columns)
}

// readInsert records which argument each column receives, for a single row of
// values.
func (p *parsed) readInsert(tokens []string) {
	columns, rest := parts(tokens)
	if columns == nil || len(rest) == 0 || !strings.EqualFold(rest[0], "VALUES") {
		return
	}
	values, rest := parts(rest[1:])
	if len(rest) > 0 && rest[0] == "," { // further rows
		return
	}
	argument := 0
	for i, v := range values {
		if i < len(columns) && len(v) == 1 && v[0] == "?" && len(columns[i]) == 1 {
			p.values[strings.Trim(columns[i][0], `"`)] = argument
		}
		for _, t := range v {
			if t == "?" {
				argument++
			}
		}
	}
}

// parts parses "(a, b, c)" and returns its parts, and the rest.
func parts(tokens []string) (out [][]string, rest []string) {
	if len(tokens) == 0 || tokens[0] != "(" {
		return nil, tokens
	}
	depth := 0
	out = [][]string{nil}
	for i, t := range tokens {
		switch {
		case t == "(":
			if depth++; depth == 1 {
				continue
			}
		case t == ")":
			if depth--; depth == 0 {
				return out, tokens[i+1:]
			}
		case t == "," && depth == 1:
			out = append(out, nil)
			continue
		}
		out[len(out)-1] = append(out[len(out)-1], t)
	}
	return nil, nil
}

// readWhere records which argument a column must equal, for comparisons joined by
// AND.
func (p *parsed) readWhere(tokens []string) {
	argument, depth, in := 0, 0, false
	for i, t := range tokens {
		switch {
		case strings.EqualFold(t, "WHERE") && depth == 0:
			in = true
		case strings.EqualFold(t, "OR") && depth == 0:
			clear(p.values)
			return
		case t == "(":
			depth++
		case t == ")":
			depth--
		case t == "?":
			if in && depth == 0 && i >= 3 && tokens[i-1] == "=" &&
				(strings.EqualFold(tokens[i-3], "WHERE") || strings.EqualFold(tokens[i-3], "AND")) &&
				(i+1 == len(tokens) || slices.Contains([]string{"AND", "RETURNING"}, strings.ToUpper(tokens[i+1]))) {
				p.values[strings.Trim(tokens[i-2], `"`)] = argument
			}
			argument++
		}
	}
}
