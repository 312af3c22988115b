// Package markdown converts Markdown to blocks: headings to header blocks, tables
// to table blocks, rules to dividers, and everything between them to one
// rich_text block. Upstream's control sequences (<@U1>, <#C1>, <!here>,
// <https://x|label>) and :emoji: are recognized.
package markdown

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"understudy/internal/messaging/emoji"
	"understudy/internal/messaging/mrkdwn"
	"understudy/internal/platform/jsontext"
)

const (
	maxHeading = 150 // characters of a header block
	maxLevel   = 4   // of a header block
	maxIndent  = 8   // of a list
)

// Blocks returns the blocks of a text as a JSON array, without block_ids. names
// resolves emoji; nil for the standard ones.
func Blocks(source string, names emoji.Lookup) []byte {
	source = strings.ToValidUTF8(strings.ReplaceAll(source, "\x00", ""), "\uFFFD")
	src := []byte(source)
	w := &writer{src: src, names: names}
	doc := syntax().Parse(text.NewReader(src))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			w.heading(n)
		case *ast.ThematicBreak:
			w.endRun()
			w.block(`{"type":"divider"}`)
		case *east.Table:
			w.table(n)
		default:
			w.part(n, 0)
		}
	}
	w.endRun()
	return append(append([]byte{'['}, w.blocks...), ']')
}

// A writer collects blocks, and the parts of the open rich_text block.
type writer struct {
	src    []byte
	names  emoji.Lookup
	blocks []byte
	run    []byte // parts, separated by commas

	section *mrkdwn.Elements // the open section, nil for none
}

func (w *writer) block(json string) {
	if len(w.blocks) > 0 {
		w.blocks = append(w.blocks, ',')
	}
	w.blocks = append(w.blocks, json...)
}

// endRun writes the open rich_text block unless it is empty.
func (w *writer) endRun() {
	w.endSection()
	if len(w.run) > 0 {
		w.block(`{"type":"rich_text","elements":[` + string(w.run) + `]}`)
	}
	w.run = nil
}

func (w *writer) endSection() {
	if w.section != nil {
		s := w.section
		w.section = nil
		w.add("rich_text_section", s, "")
	}
}

// add adds a part to the open run: its type, its elements, and additional
// members.
func (w *writer) add(kind string, e *mrkdwn.Elements, more string) {
	e.Close()
	if len(w.run) > 0 {
		w.run = append(w.run, ',')
	}
	w.run = append(w.run, `{"type":"`+kind+`","elements":[`...)
	w.run = append(w.run, e.JSON()...)
	w.run = append(w.run, `]`+more+`}`...)
}

// heading writes a header block, or a bold line of text if the heading is too
// long for one.
func (w *writer) heading(n *ast.Heading) {
	title := strings.TrimSpace(w.plain(n))
	switch {
	case title == "":
		return
	case utf8.RuneCountInString(title) > maxHeading:
		w.endSection()
		w.section = &mrkdwn.Elements{}
		w.inline(w.section, n, mrkdwn.Bold)
		w.endSection()
		return
	}
	w.endRun()
	w.block(`{"type":"header","text":{"type":"plain_text","text":` + string(jsontext.Append(nil, title)) +
		`,"emoji":true},"level":` + strconv.Itoa(min(n.Level, maxLevel)) + `}`)
}

// part writes a node to the open run: a paragraph, list, quote or code block.
func (w *writer) part(n ast.Node, indent int) {
	switch n := n.(type) {
	case *ast.List:
		w.endSection()
		w.list(n, indent)
	case *ast.Blockquote:
		w.endSection()
		e := &mrkdwn.Elements{}
		w.quoted(e, n, "")
		w.add("rich_text_quote", e, "")
	case *ast.FencedCodeBlock:
		w.endSection()
		e := &mrkdwn.Elements{}
		e.Text(w.lines(n), 0)
		more := `,"border":0`
		if language := string(n.Language(w.src)); language != "" {
			more += `,"language":` + string(jsontext.Append(nil, language))
		}
		w.add("rich_text_preformatted", e, more)
	default:
		if w.section == nil {
			w.section = &mrkdwn.Elements{}
		} else {
			w.section.Text("\n\n", 0)
		}
		w.inline(w.section, n, 0)
	}
}

// lines returns the text of a code block without its final newline.
func (w *writer) lines(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(w.src))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// quoted writes the content of a quote, whose parts become lines of one element.
func (w *writer) quoted(e *mrkdwn.Elements, quote ast.Node, mark string) {
	for n := quote.FirstChild(); n != nil; n = n.NextSibling() {
		if n != quote.FirstChild() {
			_, list := quote.(*ast.List)
			_, item := quote.(*ast.ListItem)
			_, inner := n.(*ast.List)
			if list || item && inner {
				e.Text("\n", 0)
			} else {
				e.Text("\n\n", 0)
			}
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			e.Text(w.lines(n), mrkdwn.Code)
		case *ast.List:
			w.quoted(e, n, mark)
		case *ast.ListItem:
			e.Text(mark+bullet(quote.(*ast.List), n), 0)
			w.quoted(e, n, mark+"    ")
		case *ast.Blockquote:
			w.quoted(e, n, mark)
		case *ast.Heading:
			w.inline(e, n, mrkdwn.Bold)
		default:
			w.inline(e, n, 0)
		}
	}
}

// bullet returns the plain-text prefix of a list item.
func bullet(list *ast.List, item ast.Node) string {
	if !list.IsOrdered() {
		return "• "
	}
	return strconv.Itoa(list.Start+position(item)) + ". "
}

// position returns the number of siblings before a node.
func position(n ast.Node) (at int) {
	for n = n.PreviousSibling(); n != nil; n = n.PreviousSibling() {
		at++
	}
	return at
}
