package mrkdwn

import (
	"strings"
	"unicode/utf8"

	"understudy/internal/messaging/emoji"
)

// MaxText is the longest stored text, in characters.
const MaxText = 40_000

// Parse is the argument parse: which parts of a text become links.
type Parse uint8

const (
	ParseClient Parse = iota // addresses become links
	ParseNone                // nothing becomes a link
	ParseFull                // addresses, @names and #names become links
)

// A Resolver resolves names to ids. It returns false for a name that does not
// exist or that the author cannot see.
type Resolver interface {
	UserID(name string) (id string, ok bool)
	ChannelID(name string) (id string, ok bool)
}

// Options are the arguments of a post that affect its text.
type Options struct {
	Parse     Parse
	LinkNames bool
	Resolver  Resolver // nil: names stay text
}

// Normalize converts received text to stored text. It cuts the text to MaxText
// characters, drops NUL, replaces invalid UTF-8, escapes '&', '<' and '>' outside
// control sequences (never twice), wraps bare addresses as links, and replaces
// emoji by their names. Code is only escaped. Stored text is returned unchanged,
// and plain text without a copy.
func Normalize(text string, opts Options) string {
	if strings.IndexByte(text, 0) >= 0 {
		text = strings.ReplaceAll(text, "\x00", "")
	}
	text = truncate(strings.ToValidUTF8(text, "\uFFFD"))
	n := normalizer{s: text, opts: opts, names: opts.Resolver != nil && (opts.LinkNames || opts.Parse == ParseFull)}
	for n.i < len(text) {
		if c := text[n.i]; c >= utf8.RuneSelf || normalizeAt[c] {
			n.step(c)
		} else {
			n.i++
		}
	}
	if n.from == 0 {
		return text
	}
	return string(append(n.out, text[n.from:]...))
}

func truncate(s string) string {
	if len(s) <= MaxText {
		return s
	}
	count := 0
	for i := range s {
		if count == MaxText {
			return s[:i]
		}
		count++
	}
	return s
}

var normalizeAt = [utf8.RuneSelf]bool{'&': true, '<': true, '>': true, '`': true, ':': true, '@': true, '#': true}

// A normalizer copies runs of its text: s[from:i] has been read and not yet
// written, so that a link can still begin inside it.
type normalizer struct {
	s       string
	opts    Options
	names   bool
	i, from int
	out     []byte
}

// put writes what was read up to start, then each of texts, and goes on at end.
func (n *normalizer) put(start, end int, texts ...string) {
	if n.out == nil {
		n.out = make([]byte, 0, len(n.s)+len(n.s)/8+32)
	}
	n.out = append(n.out, n.s[n.from:start]...)
	for _, t := range texts {
		n.out = append(n.out, t...)
	}
	n.i, n.from = end, end
}

func (n *normalizer) step(c byte) {
	i := n.i
	switch c {
	case '&':
		if _, length := entity(n.s, i); length > 0 {
			n.i += length
			return
		}
		n.put(i, i+1, "&amp;")
	case '<':
		if _, end := ControlAt(n.s, i); end > 0 {
			n.put(i, end, "<", escapeAmpersands(n.s[i+1:end-1]), ">")
			return
		}
		n.put(i, i+1, "&lt;")
	case '>':
		n.put(i, i+1, "&gt;")
	case '`':
		inner, end, fence := codeSpan(n.s, i)
		if inner == "" {
			n.i = end
			return
		}
		mark := "`"
		if fence {
			mark = "```"
		}
		n.put(i, end, mark, escapeCode(inner), mark)
	case ':':
		n.address()
	case '@', '#':
		n.name(c)
	default:
		n.emoji()
	}
}

// escapeAmpersands escapes ampersands that do not begin an entity.
func escapeAmpersands(s string) string {
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		b.WriteByte(s[i])
		if s[i] == '&' {
			if _, length := entity(s, i); length == 0 {
				b.WriteString("amp;")
			}
		}
	}
	return b.String()
}

// escapeCode escapes the content of code except for control sequences.
func escapeCode(s string) string {
	if !strings.ContainsAny(s, "&<>") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '<':
			if _, end := ControlAt(s, i); end > 0 {
				b.WriteString("<" + escapeAmpersands(s[i+1:end-1]) + ">")
				i = end - 1
				continue
			}
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteByte(c)
			if _, length := entity(s, i); length == 0 {
				b.WriteString("amp;")
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func (n *normalizer) emoji() {
	start := n.i
	r, size := utf8.DecodeRuneInString(n.s[start:])
	// A keycap begins with a digit, which the loop has already passed.
	if (r == '\uFE0F' || r == '\u20E3') && start > n.from && emoji.MayBegin(rune(n.s[start-1])) {
		start--
	}
	name, length := "", 0
	if start < n.i || emoji.MayBegin(r) {
		name, length = emoji.Match(n.s[start:])
	}
	if length == 0 {
		n.i += size
		return
	}
	n.put(start, start+length, ":", name, ":")
}
