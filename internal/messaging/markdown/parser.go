package markdown

import (
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"understudy/internal/messaging/mrkdwn"
)

// syntax is a parser for the Markdown that upstream documents. HTML, underlined
// headings, indented code and references are text.
var syntax = sync.OnceValue(func() parser.Parser {
	p := parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(paragraphs{parser.NewParagraphParser()}, 1000)),
		parser.WithInlineParsers(
			util.Prioritized(controlParser{}, 50),
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewEmphasisParser(), 500)))
	return goldmark.New(goldmark.WithParser(p),
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify, extension.TaskList)).Parser()
})

// paragraphs parses paragraphs, which may begin with an indented line because
// there is no indented code.
type paragraphs struct{ parser.BlockParser }

// CanAcceptIndentedLine implements parser.BlockParser.
func (paragraphs) CanAcceptIndentedLine() bool { return true }

// A control is a <…> control sequence in Markdown.
type control struct {
	ast.BaseInline
	sequence mrkdwn.Control
	literal  string
}

var kindControl = ast.NewNodeKind("Control")

// Kind implements ast.Node.
func (c *control) Kind() ast.NodeKind { return kindControl }

// Dump implements ast.Node.
func (c *control) Dump(source []byte, level int) { ast.DumpHelper(c, source, level, nil, nil) }

// controlParser parses control sequences.
type controlParser struct{}

// Trigger implements parser.InlineParser.
func (controlParser) Trigger() []byte { return []byte{'<'} }

// Parse implements parser.InlineParser.
func (controlParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	s := string(line)
	c, end := mrkdwn.ControlAt(s, 0)
	if end == 0 {
		return nil
	}
	block.Advance(end)
	return &control{sequence: c, literal: s[:end]}
}
