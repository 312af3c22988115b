package messaging_test

import (
	"strings"
	"testing"

	"understudy/internal/messaging"
	"understudy/internal/platform/budget"
)

// A page ends where it would become too long, and the next one goes on there.
func TestPagesOfLongMessagesEndEarly(t *testing.T) {
	run(t, func(w *world) {
		ch := w.channel(w.admin, "long", false)
		long := []byte(`[{"text":"` + strings.Repeat("x", 200<<10) + `"}]`)
		parent := w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "parent"})
		const n = 90
		for range n {
			w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "reply", Attachments: long, ThreadTS: parent.TS.String(), Broadcast: true})
		}
		read := func(page messaging.Page) int {
			if len(page.Messages) > budget.PageBytes+1<<20 {
				t.Errorf("a page has %d bytes", len(page.Messages))
			}
			return len(w.decode(page.Messages))
		}
		for in, got, more := (messaging.History{Channel: ch, Limit: 999}), 0, true; more; {
			page, err := w.s.History(w.ctx, w.admin, in, nil)
			w.no(err)
			got += read(page)
			if in.Before, more = page.Next, page.More; !more {
				same(w.t, "messages of the channel", got, n+2) // the parent, and the notice of joining
			}
		}
		for in, got, more := (messaging.Replies{Channel: ch, TS: parent.TS, Limit: 999}), 0, true; more; {
			page, err := w.s.Replies(w.ctx, w.admin, in)
			w.no(err)
			got += read(page) - 1 // the parent stands on each page
			if in.After, more = page.Next, page.More; !more {
				same(w.t, "replies", got, n)
			}
		}
	})
}
