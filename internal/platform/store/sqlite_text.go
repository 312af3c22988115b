package store

import (
	"database/sql/driver"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"modernc.org/sqlite"
)

// SQLite's lower() knows ASCII alone. These two functions are what PostgreSQL
// has built in; Dialect.Lower and Dialect.Fold give the text for either.
func init() {
	one := func(f func(string) string) func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) {
		return func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			if s, ok := args[0].(string); ok {
				return f(s), nil
			}
			return args[0], nil
		}
	}
	sqlite.MustRegisterDeterministicScalarFunction("understudy_lower", 1, one(strings.ToLower))
	sqlite.MustRegisterDeterministicScalarFunction("understudy_fold", 1, one(Fold))
}

// Fold gives a text without case and accents, as Dialect.Fold does in SQL.
func Fold(s string) string {
	s = strings.ToLower(s)
	for _, r := range s {
		if r > unicode.MaxASCII {
			return strings.Map(func(r rune) rune {
				if r >= 0x300 && r <= 0x36f {
					return -1
				}
				return r
			}, norm.NFD.String(s))
		}
	}
	return s
}

// Lower gives the SQL for a text in lower case, in every script.
func (d *Dialect) Lower(expr string) string {
	return d.Pick("understudy_lower("+expr+")", "lower("+expr+` COLLATE "und-x-icu")`)
}

// Fold gives the SQL for a text without case and accents.
func (d *Dialect) Fold(expr string) string {
	return d.Pick("understudy_fold("+expr+")",
		`regexp_replace(normalize(lower(`+expr+` COLLATE "und-x-icu"), NFD), '[\u0300-\u036f]', '', 'g')`)
}

// Contains gives the SQL for the position of one text in another, 0 when it is not there.
func (d *Dialect) Contains(text, part string) string {
	return d.Pick("instr("+text+", "+part+")", "strpos("+text+", "+part+")")
}
