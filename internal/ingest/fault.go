package ingest

import (
	"strings"
	"unicode"

	"github.com/valyala/fastjson"
)

// maxMessage bounds the stored part of an error's message.
const maxMessage = 300

// ErrorText returns the error message of a failed event, on one line: the member
// error of its metadata, else its result, or the message in it if the result is
// JSON.
func (e *Event) ErrorText() string {
	text := strings.TrimSpace(e.Result)
	if reported := e.Reported(); reported != "" {
		text = reported
	} else if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") || strings.HasPrefix(text, `"`) {
		p := checkpointParsers.Get()
		if v, err := p.Parse(text); err == nil {
			if m := messageIn(v, 0); m != "" {
				text = m
			}
		}
		checkpointParsers.Put(p)
	}
	if len(text) > 4*maxMessage {
		text = strings.ToValidUTF8(text[:4*maxMessage], "")
	}
	return strings.Join(strings.Fields(text), " ")
}

// Reported returns the error in the metadata of a failed event, or "". Searches
// find its words, like those of name, arguments and result.
func (e *Event) Reported() (text string) {
	if e.Success || !strings.Contains(e.Metadata, `"error"`) {
		return ""
	}
	p := checkpointParsers.Get()
	defer checkpointParsers.Put(p)
	if v, err := p.Parse(e.Metadata); err == nil {
		if failure := v.Get("error"); failure != nil {
			text = strings.TrimSpace(messageIn(failure, 0))
		}
	}
	return text
}

// messageIn searches JSON for the message of an error.
func messageIn(v *fastjson.Value, depth int) string {
	if depth > 4 {
		return ""
	}
	switch v.Type() {
	case fastjson.TypeString:
		return strings.Clone(string(v.GetStringBytes()))
	case fastjson.TypeArray:
		if list, _ := v.Array(); len(list) > 0 {
			return messageIn(list[0], depth+1)
		}
	case fastjson.TypeObject:
		for _, name := range [...]string{"error", "message", "error_message", "detail", "reason", "content", "text", "errors", "exception"} {
			if in := v.Get(name); in != nil {
				if m := messageIn(in, depth+1); m != "" {
					return m
				}
			}
		}
	}
	return ""
}

// Template returns an error's message without its variable parts: quoted parts
// become "…", ids <id> and numbers <n>.
func Template(message string) string {
	var b strings.Builder
	for i := 0; i < len(message) && b.Len() < maxMessage; {
		c := message[i]
		if end := quoted(message, i); end > 0 {
			b.WriteString(`"…"`)
			i = end
			continue
		}
		if !isIDByte(c) {
			b.WriteByte(c)
			i++
			continue
		}
		end := i
		for end < len(message) && (isIDByte(message[end]) || isJoint(message, end)) {
			end++
		}
		b.WriteString(plain(message[i:end]))
		i = end
	}
	return strings.ToValidUTF8(b.String(), "")
}

// quoted returns the end of a quoted part that begins at i, 0 if there is none.
func quoted(s string, i int) int {
	if strings.IndexByte("\"'`", s[i]) < 0 || i > 0 && isIDByte(s[i-1]) {
		return 0
	}
	for j := i + 1; j < len(s); j++ {
		if s[j] == s[i] && (j+1 == len(s) || !isIDByte(s[j+1])) {
			return j + 1
		}
	}
	return 0
}

func isIDByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

// isJoint reports whether a hyphen, colon or point joins two parts of an id or a number.
func isJoint(s string, i int) bool {
	return strings.IndexByte("-.:", s[i]) >= 0 && i > 0 && i+1 < len(s) && isIDByte(s[i-1]) && isIDByte(s[i+1])
}

// plain returns a word as it stands in a template.
func plain(word string) string {
	digits, letters := 0, 0
	for _, r := range word {
		if unicode.IsDigit(r) {
			digits++
		} else if unicode.IsLetter(r) {
			letters++
		}
	}
	switch {
	case digits == 0:
		return word
	case letters == 0:
		return "<n>"
	case letters <= 2 && word[0] >= '0' && word[0] <= '9': // a number with its unit
		return "<n>" + strings.TrimLeft(word, "0123456789.,:-")
	}
	return "<id>"
}
