package tracker

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"understudy/internal/platform/store"
	"understudy/internal/tracker/entity"
)

func lower(s string) string { return strings.ToLower(s) }

// nameKey returns the form in which names are compared.
func nameKey(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// slug returns the last part of a URL for a title: in lower case, with a hyphen
// for each run of other characters but none for signs inside a number, cut at a
// word to at most limit characters.
func slug(title string, limit int) string {
	return string(appendSlug(make([]byte, 0, 80), title, limit))
}

func appendSlug(b []byte, title string, limit int) []byte {
	start, gap := len(b), false
	text := title
	if !ascii(text) {
		text = store.Fold(text)
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			if gap && len(b) > start {
				b = append(b, '-')
			}
			gap = false
			b = append(b, c)
		case c == '/' || c == '\'' || c == '.' && digitAt(text[i+1:]):
		default:
			gap = true
		}
	}
	s := b[start:]
	if len(s) <= limit {
		return b
	}
	if cut := bytes.LastIndexByte(s[:limit+1], '-'); cut > 0 {
		return b[:start+cut]
	}
	return b[:start+limit]
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// digitAt reports whether a text begins with a digit, of any script.
func digitAt(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsDigit(r)
}

// relist returns ids as a list column. If the old column contains the same ids, it
// returns the old column, with its order.
func relist(old string, ids []string) string {
	if had := entity.Split(old); len(had) == len(ids) && len(without(had, ids)) == 0 {
		return old
	}
	return entity.Join(ids)
}

// unique returns ids in lower case without repetition, in their order.
func unique(ids []string) []string {
	out := make([]string, 0, len(ids))
	for _, id := range ids {
		if id = lower(id); !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// required returns BadArgument for a text that is empty or longer than limit.
func required(field, s string, limit int) error {
	if strings.TrimSpace(s) == "" {
		return badArgument(field, "%s should not be empty", field)
	}
	return within(field, s, limit)
}

func within(field, s string, limit int) error {
	if len([]rune(s)) > limit {
		return badArgument(field, "%s must be shorter than or equal to %d characters", field, limit)
	}
	return nil
}

// checkColor returns BadArgument unless the text is #rrggbb.
func checkColor(s string) error {
	if len(s) == 7 && s[0] == '#' && strings.Trim(s[1:], "0123456789abcdefABCDEF") == "" {
		return nil
	}
	return badArgument("color", "color must be a hexadecimal color")
}

func pick[T any](yes bool, a, b T) T {
	if yes {
		return a
	}
	return b
}

func digits(n int64) string { return strconv.FormatInt(n, 10) }
