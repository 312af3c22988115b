package emoji

import (
	"strings"
	"unicode/utf8"
)

const (
	joiner       = '\u200D'
	variantText  = '\uFE0E'
	variantEmoji = '\uFE0F'
	keycap       = '\u20E3'
	toneFirst    = '\U0001F3FB'
	toneLast     = '\U0001F3FF'
	tagFirst     = '\U000E0020'
	tagLast      = '\U000E007F'
	regionFirst  = '\U0001F1E6'
	regionLast   = '\U0001F1FF'
)

// MayBegin reports whether an emoji may begin with r. It is fast, and may return
// true for other runes.
func MayBegin(r rune) bool {
	return r >= 0xA9 && (r < 0x3300 || r >= 0x1F000) || r == '#' || r == '*' || r >= '0' && r <= '9'
}

// Match returns the name of the longest emoji at the start of s, with its skin
// tone if any, and its length in bytes; 0 when s does not begin with an emoji.
// Characters that are text by default ("©", "↔", digits) count only with a
// variation selector.
func Match(s string) (name string, length int) {
	r, size := utf8.DecodeRuneInString(s)
	if !MayBegin(r) {
		return "", 0
	}
	t := index()
	if !t.first[r] {
		return "", 0
	}
	m := matcher{t: t}
	m.key = utf8.AppendRune(m.buf[:0], r)
	m.runes = 1
	i := size
	m.try(i)
	for len(m.key) < len(m.buf)-2*utf8.UTFMax {
		next, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case n == 0:
			return m.name, m.length
		case next == variantText:
			if i == size {
				return "", 0
			}
			return m.name, m.length
		case next == variantEmoji:
			m.shown = true
		case next >= toneFirst && next <= toneLast:
			if m.toneCount == 2 {
				return m.name, m.length
			}
			m.tones[m.toneCount] = byte('2' + next - toneFirst)
			m.toneCount++
		case next == joiner:
			after, afterSize := utf8.DecodeRuneInString(s[i+n:])
			if afterSize == 0 {
				return m.name, m.length
			}
			m.key = utf8.AppendRune(utf8.AppendRune(m.key, next), after)
			m.runes += 2
			n += afterSize
		case next == keycap, next >= tagFirst && next <= tagLast,
			next >= regionFirst && next <= regionLast && m.runes == 1 && r >= regionFirst && r <= regionLast:
			m.key = utf8.AppendRune(m.key, next)
			m.runes++
		default:
			return m.name, m.length
		}
		i += n
		m.try(i)
	}
	return m.name, m.length
}

type matcher struct {
	t         *tables
	buf       [80]byte
	key       []byte // the text read, without variants and tones
	runes     int    // in key
	tones     [2]byte
	toneCount int
	shown     bool // U+FE0F was read
	name      string
	length    int
}

// try records the text read so far if it is an emoji.
func (m *matcher) try(end int) {
	id, ok := m.t.sequences[string(m.key)]
	if !ok {
		return
	}
	e := &m.t.entries[id]
	if m.runes == 1 && !m.shown && m.key[0] < 0xF0 && m.toneCount == 0 && len(e.unified) > 5 {
		return // below U+10000, and an emoji only with U+FE0F
	}
	if m.toneCount > int(e.tones) {
		return
	}
	m.length = end
	switch m.toneCount {
	case 0:
		m.name = e.name
	case 1:
		m.name = e.name + tonePrefix + string(m.tones[:1])
	case 2:
		m.name = e.name + tonePrefix + string([]byte{m.tones[0], '-', m.tones[1]})
	}
}

// Names replaces the emoji of a text by their names, as in stored text.
func Names(text string) string {
	if strings.IndexFunc(text, MayBegin) < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		name, n := Match(text[i:])
		if n == 0 {
			_, n = utf8.DecodeRuneInString(text[i:])
			b.WriteString(text[i : i+n])
		} else {
			b.WriteString(":" + name + ":")
		}
		i += n
	}
	return b.String()
}
