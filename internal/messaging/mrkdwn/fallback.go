package mrkdwn

import (
	"strings"

	"understudy/internal/messaging/rawjson"
)

// FallbackText gives the text of a message that has blocks and no text, as
// stored text: one line for each text that the blocks show, with rich text
// written as markup. What is no array of blocks gives "".
func FallbackText(blocks []byte) string {
	if !rawjson.Valid(blocks, maxBlockDepth) {
		return ""
	}
	var f fallback
	for _, block := range rawjson.Elements(blocks) {
		f.block(block)
	}
	return Normalize(strings.Join(f.lines, "\n"), Options{})
}

const maxBlockDepth = 64

type fallback struct{ lines []string }

// stringMember gives a member of an object as text, "" for what is none.
func stringMember(object []byte, name string) string {
	if v := member(object, name); len(v) > 0 && v[0] == '"' {
		return rawjson.Unquote(v)
	}
	return ""
}

func member(object []byte, name string) []byte {
	var found []byte
	for k, v := range rawjson.Members(object) {
		if rawjson.Unquote(k) == name {
			found = v
		}
	}
	return found
}

func (f *fallback) add(line string) {
	if strings.TrimSpace(line) != "" {
		f.lines = append(f.lines, line)
	}
}

// textObject adds a text object, or a plain string in the place of one.
func (f *fallback) textObject(v []byte) {
	if len(v) == 0 {
		return
	}
	if v[0] == '"' {
		f.add(entityEncoder.Replace(rawjson.Unquote(v)))
		return
	}
	text := stringMember(v, "text")
	if stringMember(v, "type") != "mrkdwn" {
		text = entityEncoder.Replace(text)
	}
	f.add(text)
}

func (f *fallback) block(b []byte) {
	switch stringMember(b, "type") {
	case "header", "markdown":
		f.textObject(member(b, "text"))
	case "section":
		f.textObject(member(b, "text"))
		for _, field := range rawjson.Elements(member(b, "fields")) {
			f.textObject(field)
		}
		f.element(member(b, "accessory"))
	case "context", "actions":
		for _, e := range rawjson.Elements(member(b, "elements")) {
			f.element(e)
		}
	case "image":
		f.textObject(member(b, "title"))
		f.textObject(member(b, "alt_text"))
	case "video":
		f.textObject(member(b, "title"))
		f.textObject(member(b, "description"))
	case "input":
		f.textObject(member(b, "label"))
	case "rich_text":
		for _, part := range rawjson.Elements(member(b, "elements")) {
			f.add(richPart(part))
		}
	}
}

func (f *fallback) element(e []byte) {
	switch stringMember(e, "type") {
	case "mrkdwn", "plain_text":
		f.textObject(e)
	case "button":
		f.textObject(member(e, "text"))
	case "image":
		f.textObject(member(e, "alt_text"))
	}
}

// richPart writes one section, list, quote or code block as markup.
func richPart(part []byte) string {
	elements := member(part, "elements")
	switch stringMember(part, "type") {
	case "rich_text_list":
		var items []string
		for _, item := range rawjson.Elements(elements) {
			items = append(items, "• "+richInline(member(item, "elements")))
		}
		return strings.Join(items, "\n")
	case "rich_text_quote":
		return "&gt; " + strings.ReplaceAll(richInline(elements), "\n", "\n&gt; ")
	case "rich_text_preformatted":
		return "```" + richInline(elements) + "```"
	}
	return strings.TrimSuffix(richInline(elements), "\n")
}

func richInline(elements []byte) string {
	var b strings.Builder
	for _, e := range rawjson.Elements(elements) {
		text := entityEncoder.Replace(stringMember(e, "text"))
		switch stringMember(e, "type") {
		case "text":
			b.WriteString(styled(text, member(e, "style")))
		case "link":
			b.WriteString("<" + entityEncoder.Replace(stringMember(e, "url")))
			if text != "" {
				b.WriteString("|" + text)
			}
			b.WriteByte('>')
		case "user":
			b.WriteString("<@" + stringMember(e, "user_id") + ">")
		case "channel":
			b.WriteString("<#" + stringMember(e, "channel_id") + ">")
		case "usergroup":
			b.WriteString("<!subteam^" + stringMember(e, "usergroup_id") + ">")
		case "broadcast":
			b.WriteString("<!" + stringMember(e, "range") + ">")
		case "emoji":
			b.WriteString(":" + stringMember(e, "name") + ":")
		case "date":
			b.WriteString(entityEncoder.Replace(stringMember(e, "fallback")))
		}
	}
	return b.String()
}

// styled puts the marks of its style around a text, inside its outer blanks.
func styled(text string, style []byte) string {
	inner := strings.TrimSpace(text)
	if inner == "" {
		return text
	}
	marked := inner
	for _, s := range [...]struct{ name, mark string }{{"code", "`"}, {"strike", "~"}, {"italic", "_"}, {"bold", "*"}} {
		if string(member(style, s.name)) == "true" {
			marked = s.mark + marked + s.mark
		}
	}
	before, after, _ := strings.Cut(text, inner)
	return before + marked + after
}
