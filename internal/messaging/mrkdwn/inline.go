package mrkdwn

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"understudy/internal/messaging/emoji"
	"understudy/internal/platform/jsontext"
)

// The styles of text, as bits.
const (
	Bold = 1 << iota
	Italic
	Strike
	Code
	styles = 1 << iota
)

var styleJSON = func() (out [styles]string) {
	names := []string{"bold", "italic", "strike", "code"}
	for s := 1; s < styles; s++ {
		var on []string
		for bit, name := range names {
			if s&(1<<bit) != 0 {
				on = append(on, `"`+name+`":true`)
			}
		}
		out[s] = `,"style":{` + strings.Join(on, ",") + `}`
	}
	return out
}()

// Elements encodes the elements of a section, quote or code block as JSON. Close
// must follow the last one.
type Elements struct {
	Names emoji.Lookup // nil for the standard emoji
	out   []byte
	plain bool // read only control sequences as markup
	some  bool // an element was written
	open  bool // the last element is a text element that may be extended
	style int  // of the open element
}

// JSON returns the elements, separated by commas.
func (w *Elements) JSON() []byte { return w.out }

// begin writes the separator before an element, and its type.
func (w *Elements) begin(kind string) {
	w.Close()
	if w.some {
		w.out = append(w.out, ',')
	}
	w.some = true
	w.out = append(append(append(w.out, `{"type":"`...), kind...), '"')
}

func (w *Elements) member(name, value string) {
	w.out = append(append(append(w.out, `,"`...), name...), `":`...)
	w.out = jsontext.Append(w.out, value)
}

func (w *Elements) end(style int) {
	w.out = append(append(w.out, styleJSON[style]...), '}')
}

// Text appends to the open text element, or opens one.
func (w *Elements) Text(s string, style int) {
	if s == "" {
		return
	}
	if !w.open || w.style != style {
		w.begin("text")
		w.out = append(w.out, `,"text":"`...)
		w.open, w.style = true, style
	}
	w.out = jsontext.AppendEscaped(w.out, s)
}

// Close ends the open text element.
func (w *Elements) Close() {
	if w.open {
		w.out = append(w.out, '"')
		w.open = false
		w.end(w.style)
	}
}

var inlineAt = [utf8.RuneSelf]bool{'&': true, '<': true, '`': true, ':': true, '*': true, '_': true, '~': true}

// elements writes the elements of a stretch of text that has one style on all of it.
func (w *Elements) elements(s string, style int) {
	var barren [3]int // by style bit: before this index nothing closes what opens
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf || !inlineAt[c] {
			i++
			continue
		}
		end := i
		switch c {
		case '&':
			if decoded, length := entity(s, i); length > 0 {
				end = i + length
				w.Text(s[from:i], style)
				w.Text(string(rune(decoded)), style)
			}
		case '<':
			var ctl Control
			if ctl, end = ControlAt(s, i); end > 0 {
				w.Text(s[from:i], style)
				w.Control(ctl, s[i:end], style)
			}
		case '`':
			var inner string
			if w.plain {
				break
			}
			if inner, end, _ = codeSpan(s, i); inner == "" {
				i = end
				continue
			}
			w.Text(s[from:i], style)
			w.Text(decode(inner), style|Code)
		case ':':
			if w.plain {
				break
			}
			name, length := EmojiAt(s, i, w.Names)
			if length > 0 {
				end = i + length
				w.Text(s[from:i], style)
				w.Emoji(name, style)
			}
		default:
			bit := strings.IndexByte("*_~", c)
			if w.plain || style&(1<<bit) != 0 || i < barren[bit] || !opens(s, i) {
				break
			}
			inner := closer(s, i)
			if inner < 0 {
				barren[bit] = -inner
				break
			}
			w.Text(s[from:i], style)
			w.elements(s[i+1:inner], style|1<<bit)
			end = inner + 1
		}
		if end > i {
			i, from = end, end
		} else {
			i++
		}
	}
	w.Text(s[from:], style)
}

// opens reports whether the mark at s[i] can begin a style.
func opens(s string, i int) bool {
	if i > 0 && (inWord(s[i-1]) || s[i-1] == s[i]) {
		return false
	}
	return i+1 < len(s) && s[i+1] != s[i] && s[i+1] > ' '
}

// closer returns the index of the mark that closes the one at s[i]. A negative
// result -n means that there is none before index n, the end of the line.
func closer(s string, i int) int {
	mark := s[i]
	for j := i + 1; j < len(s); j++ {
		switch c := s[j]; c {
		case '\n':
			return -j
		case '<':
			if _, end := ControlAt(s, j); end > 0 {
				j = end - 1
			}
		case '`':
			if inner, end, _ := codeSpan(s, j); inner != "" {
				j = end - 1
			}
		case mark:
			if j > i+1 && s[j-1] > ' ' && (j+1 == len(s) || !inWord(s[j+1]) && s[j+1] != mark) {
				return j
			}
		}
	}
	return -len(s)
}

// Control writes the element of a control sequence. One of an unknown kind
// becomes its label, or the text as it stands.
func (w *Elements) Control(c Control, literal string, style int) {
	switch c.kind {
	case '@':
		w.begin("user")
		w.member("user_id", c.value)
	case '#':
		w.begin("channel")
		w.member("channel_id", c.value)
	case 'u':
		w.Link(decode(c.value), decode(c.label), style)
		return
	default:
		if !w.special(c) {
			if c.label != "" {
				literal = decode(c.label)
			}
			w.Text(literal, style)
			return
		}
	}
	w.end(style)
}

// Link writes a link; without a text it shows its address.
func (w *Elements) Link(url, text string, style int) {
	w.begin("link")
	w.member("url", url)
	if text != "" {
		w.member("text", text)
	}
	w.end(style)
}

// special begins the element of a <!…> sequence that has one.
func (w *Elements) special(c Control) bool {
	switch c.value {
	case "here", "channel", "everyone":
		w.begin("broadcast")
		w.member("range", c.value)
		return true
	}
	kind, rest, _ := strings.Cut(c.value, "^")
	switch kind {
	case "subteam":
		if rest == "" {
			return false
		}
		w.begin("usergroup")
		w.member("usergroup_id", rest)
		return true
	case "date":
		stamp, rest, _ := strings.Cut(rest, "^")
		seconds, err := strconv.ParseInt(stamp, 10, 64)
		if err != nil {
			return false
		}
		format, link, _ := strings.Cut(rest, "^")
		w.begin("date")
		w.out = strconv.AppendInt(append(w.out, `,"timestamp":`...), seconds, 10)
		w.member("format", decode(format))
		if link != "" {
			w.member("url", decode(link))
		}
		if c.named {
			w.member("fallback", decode(c.label))
		}
		return true
	}
	return false
}

// Emoji writes an emoji by its canonical name.
func (w *Elements) Emoji(name string, style int) {
	points, tone, _ := emoji.Unicode(name)
	w.begin("emoji")
	base, _, _ := strings.Cut(name, "::")
	w.member("name", base)
	if points != "" {
		w.member("unicode", points)
	}
	if tone > 0 {
		w.out = strconv.AppendInt(append(w.out, `,"skin_tone":`...), int64(tone), 10)
	}
	w.end(style)
}

// EmojiAt reads the emoji written at the colon s[i], such as ":wave:" or
// ":wave::skin-tone-2:", and returns its canonical name and length; 0 when there
// is no such emoji.
func EmojiAt(s string, i int, names emoji.Lookup) (name string, length int) {
	if names == nil {
		names = emoji.Canonical
	}
	end := emojiNameEnd(s, i+1)
	if end < 0 {
		return "", 0
	}
	if strings.HasPrefix(s[end:], "::skin-tone-") {
		if tone := emojiNameEnd(s, end+2); tone > 0 {
			if name, ok := names(s[i+1 : tone]); ok {
				return name, tone + 1 - i
			}
		}
	}
	if name, ok := names(s[i+1 : end]); ok {
		return name, end + 1 - i
	}
	return "", 0
}

// emojiNameEnd returns the index of the colon after the name at i; -1 when there
// is none.
func emojiNameEnd(s string, i int) int {
	for j := i; j < len(s) && j-i <= 64; j++ {
		c := s[j]
		if c == ':' && j > i {
			return j
		}
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '+') {
			return -1
		}
	}
	return -1
}
