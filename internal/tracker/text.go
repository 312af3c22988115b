package tracker

import (
	"slices"
	"strings"
	"unicode"

	"understudy/internal/platform/store"
)

func lower(s string) string { return strings.ToLower(s) }

// nameKey is the form in which names are compared.
func nameKey(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// slug gives the last part of a URL for a title: lower case, runs of other
// characters one hyphen, signs inside a number gone, at most limit characters, cut at a word.
func slug(title string, limit int) string {
	var b strings.Builder
	gap := false
	text := []rune(store.Fold(title))
	for i, r := range text {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case r == '/' || r == '\'' || r == '.' && i+1 < len(text) && unicode.IsDigit(text[i+1]):
		default:
			gap = true
		}
	}
	s := b.String()
	if len(s) <= limit {
		return s
	}
	if cut := strings.LastIndexByte(s[:limit+1], '-'); cut > 0 {
		return s[:cut]
	}
	return s[:limit]
}

// join gives the list column of ids.
func join(ids []string) string { return strings.Join(ids, " ") }

// unique gives ids without repetition, in lower case, in their order.
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

// checkColor returns BadArgument for what is no #rrggbb.
func checkColor(s string) error {
	if len(s) == 7 && s[0] == '#' && strings.Trim(s[1:], "0123456789abcdefABCDEF") == "" {
		return nil
	}
	return badArgument("color", "color must be a hexadecimal color")
}
