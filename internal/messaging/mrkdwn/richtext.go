package mrkdwn

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"understudy/internal/messaging/emoji"
	"understudy/internal/platform/jsontext"
)

// RichText returns the blocks of a stored text: a JSON array with one rich_text
// block. Without mrkdwn only control sequences are parsed, and all else is text.
// names resolves emoji; nil for the standard ones. The result is valid JSON for
// every text.
func RichText(text, blockID string, mrkdwn bool, names emoji.Lookup) []byte {
	w := writer{text: text}
	w.Names = names
	w.out = make([]byte, 0, len(text)+len(text)/4+160)
	w.out = append(w.out, `[{"type":"rich_text","block_id":`...)
	w.out = jsontext.Append(w.out, blockID)
	w.out = append(w.out, `,"elements":[`...)
	switch {
	case text == "":
	case isPlain(text):
		w.out = append(w.out, `{"type":"rich_text_section","elements":[{"type":"text","text":`...)
		w.out = append(jsontext.Append(w.out, text), `}]}`...)
	case mrkdwn:
		w.blocks()
	default:
		w.plain = true
		w.section(text)
	}
	return append(w.out, `]}]`...)
}

// isPlain reports whether a text contains no markup.
func isPlain(s string) bool {
	if c := s[0]; c == '-' || c == '>' || c <= ' ' || c >= '0' && c <= '9' || strings.HasPrefix(s, "•") {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < utf8.RuneSelf && inlineAt[c] || c == '\n' {
			return false
		}
	}
	return true
}

// A writer splits text into sections, quotes, lists and code, and encodes them.
type writer struct {
	Elements
	text  string
	parts int // written
}

func (w *writer) blocks() {
	// s[from:i] is the current section.
	s, from := w.text, 0
	for i := 0; i < len(s); {
		if next := w.block(s, from, i); next > i {
			i, from = next, next
			continue
		}
		line := lineEnd(s, i)
		if n := fenceIn(s, i, line); n >= 0 {
			w.section(s[from:n])
			inner, end, _ := codeSpan(s, n)
			w.preformatted(inner)
			if end < len(s) && s[end] == '\n' {
				end++
			}
			i, from = end, end
			continue
		}
		i = line
	}
	w.section(s[from:])
}

// block writes the section s[from:i] and then the quote or list that begins at i.
// It returns the index after it, or i when there is none.
func (w *writer) block(s string, from, i int) int {
	if mark := quoteMark(s[i:]); mark > 0 {
		w.section(s[from:i])
		return w.quote(s, i)
	}
	if it := itemAt(s, i); it.end > 0 {
		w.section(s[from:i])
		return w.list(s, i, it)
	}
	return i
}

// lineEnd returns the index after the line that s[i] is in.
func lineEnd(s string, i int) int {
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(s)
}

// fenceIn returns the start of a code block in s[i:end]; -1 for none.
func fenceIn(s string, i, end int) int {
	for i < end {
		n := strings.IndexByte(s[i:end], '`')
		if n < 0 {
			return -1
		}
		i += n
		_, after, fence := codeSpan(s, i)
		if fence {
			return i
		}
		i = after
	}
	return -1
}

func (w *writer) begin(kind string) {
	if w.parts > 0 {
		w.out = append(w.out, ',')
	}
	w.parts++
	w.out = append(append(append(w.out, `{"type":"`...), kind...), `","elements":[`...)
	w.some = false
}

func (w *writer) section(s string) {
	if s == "" {
		return
	}
	w.begin("rich_text_section")
	w.elements(s, 0)
	w.Close()
	w.out = append(w.out, `]}`...)
}

func (w *writer) preformatted(s string) {
	s = strings.TrimSuffix(strings.TrimPrefix(s, "\n"), "\n")
	w.begin("rich_text_preformatted")
	w.Text(decode(s), 0)
	w.Close()
	w.out = append(w.out, `],"border":0}`...)
}

// quoteMark returns the length of the mark of a quote at the start of s: 4 for
// "&gt;", 1 for ">", 0 for none.
func quoteMark(s string) int {
	switch {
	case strings.HasPrefix(s, "&gt;"):
		return 4
	case strings.HasPrefix(s, ">"):
		return 1
	}
	return 0
}

// quote writes the lines from i on that are quoted; after three marks all the rest is.
func (w *writer) quote(s string, i int) int {
	w.begin("rich_text_quote")
	mark := quoteMark(s[i:])
	if three := strings.Repeat(s[i:i+mark], 3); strings.HasPrefix(s[i:], three) {
		w.elements(strings.TrimPrefix(s[i+len(three):], " "), 0)
		i = len(s)
	}
	for first := true; i < len(s); first = false {
		mark := quoteMark(s[i:])
		if mark == 0 {
			break
		}
		if !first {
			w.Text("\n", 0)
		}
		end := lineEnd(s, i)
		w.elements(strings.TrimPrefix(strings.TrimSuffix(s[i+mark:end], "\n"), " "), 0)
		i = end
	}
	w.Close()
	w.out = append(w.out, `]}`...)
	return i
}

// An item is one line of a list.
type item struct {
	ordered bool
	number  int
	indent  int
	start   int // of its text
	end     int // of its line; 0 for what is no item
}

// itemAt reads the line at i as an item: "• x", "- x" or "1. x", four blanks
// before it for each level.
func itemAt(s string, i int) item {
	j := i
	for j < len(s) && s[j] == ' ' {
		j++
	}
	it := item{indent: min((j-i)/4, 8)}
	rest := s[j:]
	switch {
	case strings.HasPrefix(rest, "• "):
		it.start = j + len("• ")
	case strings.HasPrefix(rest, "- "):
		it.start = j + 2
	default:
		n := 0
		for n < len(rest) && n < 3 && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if n == 0 || !strings.HasPrefix(rest[n:], ". ") {
			return item{}
		}
		it.ordered, it.start = true, j+n+2
		it.number, _ = strconv.Atoi(rest[:n])
	}
	end := lineEnd(s, i)
	if strings.TrimSpace(s[it.start:end]) == "" || fenceIn(s, it.start, end) >= 0 {
		return item{}
	}
	it.end = end
	return it
}

// list writes the items from it on that have the same style and depth.
func (w *writer) list(s string, i int, it item) int {
	first := it
	w.begin("rich_text_list")
	for n := 0; it.end > 0 && it.ordered == first.ordered && it.indent == first.indent; n++ {
		if n > 0 {
			w.out = append(w.out, ',')
		}
		w.out = append(w.out, `{"type":"rich_text_section","elements":[`...)
		w.some = false
		w.elements(strings.TrimSuffix(s[it.start:it.end], "\n"), 0)
		w.Close()
		w.out = append(w.out, `]}`...)
		if i = it.end; i == len(s) {
			break
		}
		it = itemAt(s, i)
	}
	w.out = append(w.out, `],"style":"`...)
	if first.ordered {
		w.out = append(w.out, `ordered"`...)
	} else {
		w.out = append(w.out, `bullet"`...)
	}
	w.out = strconv.AppendInt(append(w.out, `,"indent":`...), int64(first.indent), 10)
	if first.ordered && first.number > 1 {
		w.out = strconv.AppendInt(append(w.out, `,"offset":`...), int64(first.number-1), 10)
	}
	w.out = append(w.out, `,"border":0}`...)
	return i
}
