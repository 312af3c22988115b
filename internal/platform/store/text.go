package store

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold returns a text without case and accents, like the SQL of Dialect.Fold.
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

// Lower returns the SQL expression for a text in lower case, in all scripts.
func (d *Dialect) Lower(expr string) string {
	return d.Pick("understudy_lower("+expr+")", "lower("+expr+` COLLATE "und-x-icu")`)
}

// Fold returns the SQL expression for a text without case and accents.
func (d *Dialect) Fold(expr string) string {
	return d.Pick("understudy_fold("+expr+")",
		`regexp_replace(normalize(lower(`+expr+` COLLATE "und-x-icu"), NFD), '[\u0300-\u036f]', '', 'g')`)
}

// Contains returns the SQL expression for the position of one text in another, 0
// for none.
func (d *Dialect) Contains(text, part string) string {
	return d.Pick("instr("+text+", "+part+")", "strpos("+text+", "+part+")")
}
