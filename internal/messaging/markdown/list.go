package markdown

import (
	"strconv"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"understudy/internal/messaging/mrkdwn"
)

// list writes a list as rich_text_list elements: one for each run of items that
// is not interrupted by a deeper list or a block.
func (w *writer) list(list *ast.List, indent int) {
	var items []byte
	first := 0 // the number of the first item of the run
	flush := func(next int) {
		if len(items) > 0 {
			w.listRun(list, items, indent, first)
		}
		items, first = nil, next
	}
	at := 0
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		e := &mrkdwn.Elements{}
		some := false
		put := func() {
			e.Close()
			if len(items) > 0 {
				items = append(items, ',')
			}
			items = append(items, `{"type":"rich_text_section","elements":[`...)
			items = append(append(items, e.JSON()...), `]}`...)
			some = true
		}
		for n := item.FirstChild(); n != nil; n = n.NextSibling() {
			switch n.(type) {
			case *ast.List, *ast.Blockquote, *ast.FencedCodeBlock:
				if !some {
					put()
				}
				flush(at + 1)
				w.part(n, indent+1)
			case *ast.Heading:
				w.inline(e, n, mrkdwn.Bold)
			default:
				if some { // text after an inner list
					w.part(n, indent)
					w.endSection()
					continue
				}
				if n != item.FirstChild() {
					e.Text("\n", 0)
				}
				w.inline(e, n, 0)
			}
		}
		if !some {
			put()
		}
		at++
	}
	flush(at)
}

func (w *writer) listRun(list *ast.List, items []byte, indent, first int) {
	if len(w.run) > 0 {
		w.run = append(w.run, ',')
	}
	style := "bullet"
	if list.IsOrdered() {
		style = "ordered"
	}
	w.run = append(w.run, `{"type":"rich_text_list","style":"`+style+`","indent":`+strconv.Itoa(min(indent, maxIndent))...)
	if offset := list.Start + first - 1; list.IsOrdered() && offset > 0 {
		w.run = append(w.run, `,"offset":`+strconv.Itoa(offset)...)
	}
	w.run = append(w.run, `,"border":0,"elements":[`...)
	w.run = append(append(w.run, items...), `]}`...)
}

// table writes a table block. The first row is the header.
func (w *writer) table(t *east.Table) {
	w.endRun()
	var rows []byte
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		if len(rows) > 0 {
			rows = append(rows, ',')
		}
		rows = append(rows, '[')
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			if cell != row.FirstChild() {
				rows = append(rows, ',')
			}
			e := &mrkdwn.Elements{}
			w.inline(e, cell, 0)
			e.Close()
			rows = append(rows, `{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[`...)
			rows = append(append(rows, e.JSON()...), `]}]}`...)
		}
		rows = append(rows, ']')
	}
	block := `{"type":"table","rows":[` + string(rows) + `]`
	if settings, given := columns(t); given {
		block += `,"column_settings":[` + settings + `]`
	}
	w.block(block + "}")
}

// columns returns the column_settings of a table, and whether any column has an
// alignment.
func columns(t *east.Table) (settings string, given bool) {
	for i, a := range t.Alignments {
		if i > 0 {
			settings += ","
		}
		if a == east.AlignNone {
			settings += `{"align":"left"}`
			continue
		}
		settings += `{"align":"` + a.String() + `"}`
		given = true
	}
	return settings, given
}
