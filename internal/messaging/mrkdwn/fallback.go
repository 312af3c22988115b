package mrkdwn

import (
	"strings"

	"understudy/internal/messaging/rawjson"
)

// FallbackText returns the stored text for a message with blocks and no text: one
// line for each text in the blocks, with rich text as markup. It returns "" if
// blocks is not an array of blocks.
func FallbackText(blocks []byte) string {
	f := fallback{}
	return f.read(blocks)
}

// PlainText is FallbackText without marks of style, lists and quotes, and without
// addresses of links that have a label.
func PlainText(blocks []byte) string {
	f := fallback{plain: true}
	return f.read(blocks)
}

// ShownText returns all visible text of blocks, for search: PlainText with the
// labels of buttons.
func ShownText(blocks []byte) string {
	f := fallback{plain: true, labels: true}
	return f.read(blocks)
}

const maxBlockDepth = 64

// interactiveNote is appended to the text of blocks with interactive elements.
const interactiveNote = "with interactive elements"

type fallback struct {
	plain       bool
	labels      bool // include the labels of buttons
	lines       []string
	interactive bool
}

func (f *fallback) read(blocks []byte) string {
	if !rawjson.Valid(blocks, maxBlockDepth) {
		return ""
	}
	f.blocks(blocks)
	text := Normalize(strings.Join(f.lines, "\n"), Options{})
	switch {
	case !f.interactive || f.labels:
		return text
	case text == "":
		return interactiveNote
	}
	return text + ", " + interactiveNote
}

func (f *fallback) blocks(list []byte) {
	for _, block := range rawjson.Elements(list) {
		f.block(block)
	}
}

// stringMember returns a string member of an object, "" for any other value.
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

// textObject adds the text of a text object or of a plain string.
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

// shownTexts are the visible members of each block type, in order.
var shownTexts = map[string][]string{
	"header": {"text"}, "markdown": {"text"}, "alert": {"text"}, "section": {"text", "fields", "accessory"},
	"context": {"elements"}, "actions": {"elements"}, "context_actions": {"elements"}, "image": {"title", "alt_text"},
	"video": {"title", "description"}, "input": {"label", "element"}, "rich_text": {"elements"},
	"card": {"title", "subtitle", "body", "subtext", "actions"}, "carousel": {"elements"},
	"container": {"title", "rich_text_title", "subtitle", "child_blocks"}, "table": {"rows"}, "data_table": {"caption", "rows"},
	"plan": {"title", "tasks"}, "task_card": {"title", "details", "output"}, "data_visualization": {"title"},
}

func (f *fallback) block(b []byte) {
	kind := stringMember(b, "type")
	for _, name := range shownTexts[kind] {
		switch v := member(b, name); name {
		case "fields", "accessory", "element", "actions":
			f.elements(v)
		case "rows":
			for _, row := range rawjson.Elements(v) {
				f.row(row)
			}
		case "tasks", "child_blocks":
			f.blocks(v)
		case "details", "output", "rich_text_title":
			if len(v) > 0 {
				f.block(v)
			}
		case "elements":
			switch kind {
			case "rich_text":
				for _, part := range rawjson.Elements(v) {
					f.add(f.richPart(part))
				}
			case "carousel":
				f.blocks(v)
			default:
				f.elements(v)
			}
		default:
			f.textObject(v)
		}
	}
}

// row adds the cells of a table row as one line.
func (f *fallback) row(row []byte) {
	inner := fallback{plain: f.plain, labels: f.labels}
	for _, cell := range rawjson.Elements(row) {
		if stringMember(cell, "type") == "rich_text" {
			inner.block(cell)
		} else {
			inner.textObject(member(cell, "text"))
		}
	}
	f.add(strings.Join(inner.lines, " "))
}

// elements adds the texts of an element or an array of elements, and records
// interactive ones.
func (f *fallback) elements(v []byte) {
	if len(v) > 0 && v[0] == '{' {
		f.element(v)
		return
	}
	for _, e := range rawjson.Elements(v) {
		f.element(e)
	}
}

func (f *fallback) element(e []byte) {
	switch stringMember(e, "type") {
	case "mrkdwn", "plain_text":
		f.textObject(e)
	case "image":
		f.textObject(member(e, "alt_text"))
	default:
		f.interactive = true
		if f.labels {
			f.textObject(member(e, "text"))
		}
	}
}

// richPart writes one section, list, quote or code block as markup.
func (f *fallback) richPart(part []byte) string {
	elements := member(part, "elements")
	switch stringMember(part, "type") {
	case "rich_text_list":
		var items []string
		for _, item := range rawjson.Elements(elements) {
			items = append(items, f.mark("• ")+f.richInline(member(item, "elements")))
		}
		return strings.Join(items, "\n")
	case "rich_text_quote":
		return f.mark("&gt; ") + strings.ReplaceAll(f.richInline(elements), "\n", "\n"+f.mark("&gt; "))
	case "rich_text_preformatted":
		return f.mark("```") + f.richInline(elements) + f.mark("```")
	}
	return strings.TrimSuffix(f.richInline(elements), "\n")
}

func (f *fallback) richInline(elements []byte) string {
	var b strings.Builder
	for _, e := range rawjson.Elements(elements) {
		text := entityEncoder.Replace(stringMember(e, "text"))
		switch stringMember(e, "type") {
		case "text":
			if !f.plain {
				text = styled(text, member(e, "style"))
			}
			b.WriteString(text)
		case "link":
			if f.plain && text != "" {
				b.WriteString(text)
				continue
			}
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
			if tone := member(e, "skin_tone"); len(tone) > 0 {
				b.WriteString(":skin-tone-" + string(tone) + ":")
			}
		case "date":
			b.WriteString(entityEncoder.Replace(stringMember(e, "fallback")))
		}
	}
	return b.String()
}

// mark returns a mark of markup, or "" for plain text.
func (f *fallback) mark(mark string) string {
	if f.plain {
		return ""
	}
	return mark
}

// styled puts the marks of a style around a text, inside its leading and trailing
// blanks.
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
