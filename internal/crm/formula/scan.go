package formula

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

type wordKind int

const (
	end wordKind = iota
	name
	number
	quoted
	symbol
)

// word is a token of a formula; the text of a quoted one excludes its quotes.
type word struct {
	kind wordKind
	text string
	at   int
}

var symbols = []string{"<=", ">=", "!=", "==", "&&", "||", "<", ">", "=", "!", "+", "-", "*", "/", "(", ")", ","}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

// scan splits a formula into words and appends an end word.
func scan(text string) (out []word, err error) {
	for i := 0; i < len(text); {
		c, begin := text[i], i
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
			continue
		case isLetter(c):
			for i < len(text) && (isLetter(text[i]) || isDigit(text[i])) {
				i++
			}
			out = append(out, word{name, text[begin:i], begin})
		case isDigit(c) || c == '.' && i+1 < len(text) && isDigit(text[i+1]):
			for i < len(text) && (isDigit(text[i]) || text[i] == '.') {
				i++
			}
			out = append(out, word{number, text[begin:i], begin})
		case c == '\'' || c == '"':
			n := strings.IndexByte(text[i+1:], c)
			if n < 0 {
				return nil, &Error{i, "the text does not end"}
			}
			out = append(out, word{quoted, text[i+1 : i+1+n], begin})
			i += n + 2
		default:
			s := symbolAt(text[i:])
			if s == "" {
				r, _ := utf8.DecodeRuneInString(text[i:])
				return nil, &Error{i, fmt.Sprintf("%q does not fit here", r)}
			}
			out = append(out, word{symbol, s, begin})
			i += len(s)
		}
	}
	return append(out, word{end, "end of the formula", len(text)}), nil
}

func symbolAt(text string) string {
	for _, s := range symbols {
		if strings.HasPrefix(text, s) {
			return s
		}
	}
	return ""
}
