package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"understudy/internal/messaging/emoji"
	"understudy/internal/messaging/mrkdwn"
)

// inline writes the children of a node, adding a style to each.
func (w *writer) inline(e *mrkdwn.Elements, parent ast.Node, style int) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			w.put(e, unescape(n.Segment.Value(w.src)), style)
			if n.SoftLineBreak() || n.HardLineBreak() {
				e.Text("\n", style)
			}
		case *ast.String:
			w.put(e, string(n.Value), style)
		case *ast.CodeSpan:
			e.Text(w.code(n), style|mrkdwn.Code)
		case *ast.Emphasis:
			if n.Level == 1 {
				w.inline(e, n, style|mrkdwn.Italic)
			} else {
				w.inline(e, n, style|mrkdwn.Bold)
			}
		case *east.Strikethrough:
			w.inline(e, n, style|mrkdwn.Strike)
		case *ast.Link:
			w.link(e, n, string(n.Destination), style)
		case *ast.Image:
			w.link(e, n, string(n.Destination), style)
		case *ast.AutoLink:
			w.autoLink(e, n, style)
		case *east.TaskCheckBox:
			if n.IsChecked {
				e.Text("☑ ", style)
			} else {
				e.Text("☐ ", style)
			}
		case *control:
			e.Control(n.sequence, n.literal, style)
		default:
			w.inline(e, n, style)
		}
	}
}

// link writes a link, or an image as a link to its address. All text of a link
// has one style.
func (w *writer) link(e *mrkdwn.Elements, n ast.Node, to string, style int) {
	label := w.plain(n)
	for inner := n; inner.ChildCount() == 1; {
		switch child := inner.FirstChild().(type) {
		case *ast.Emphasis:
			if child.Level == 1 {
				style |= mrkdwn.Italic
			} else {
				style |= mrkdwn.Bold
			}
		case *east.Strikethrough:
			style |= mrkdwn.Strike
		case *ast.CodeSpan:
			style |= mrkdwn.Code
		}
		inner = inner.FirstChild()
	}
	to = unescape([]byte(to))
	if to == "" {
		e.Text(label, style)
		return
	}
	if label == to {
		label = ""
	}
	e.Link(to, label, style)
}

func (w *writer) autoLink(e *mrkdwn.Elements, n *ast.AutoLink, style int) {
	label, to := string(n.Label(w.src)), string(n.URL(w.src))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(to, "mailto:") {
		to = "mailto:" + to
	}
	if label == to {
		label = ""
	}
	e.Link(to, label, style)
}

// put writes text that may contain emoji.
func (w *writer) put(e *mrkdwn.Elements, s string, style int) {
	s = emoji.Names(s)
	from := 0
	for i := 0; i < len(s); i++ {
		if s[i] != ':' {
			continue
		}
		if name, length := mrkdwn.EmojiAt(s, i, w.names); length > 0 {
			e.Text(s[from:i], style)
			e.Emoji(name, style)
			i += length - 1
			from = i + 1
		}
	}
	e.Text(s[from:], style)
}

// unescape resolves backslash escapes and entities.
func unescape(segment []byte) string {
	return string(util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(segment))))
}

// code returns the text of a code span with newlines replaced by blanks.
func (w *writer) code(n *ast.CodeSpan) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(w.src))
		}
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

// plain returns the text of a node without markup.
func (w *writer) plain(parent ast.Node) string {
	var b strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			b.WriteString(emoji.Names(unescape(n.Segment.Value(w.src))))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.CodeSpan:
			b.WriteString(w.code(n))
		case *ast.AutoLink:
			b.Write(n.Label(w.src))
		case *control:
			b.WriteString(n.literal)
		default:
			b.WriteString(w.plain(n))
		}
	}
	return b.String()
}
