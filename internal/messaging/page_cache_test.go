package messaging_test

import (
	"bytes"
	"fmt"
	"testing"

	"understudy/internal/messaging"
)

// A page that is asked for again is kept, and what is kept is not the memory that it was written into.
func TestPagesThatAreAskedForAgainAreKept(t *testing.T) {
	run(t, func(w *world) {
		ch := w.channel(w.admin, "read", false)
		for i := range 20 {
			w.post(w.admin, messaging.PostMessage{Channel: ch, Text: fmt.Sprint("message ", i)})
		}
		scratch := make([]byte, 64<<10)
		read := func(limit int) []byte {
			t.Helper()
			page, err := w.s.History(w.ctx, w.admin, messaging.History{Channel: ch, Limit: limit}, append(scratch[:0], "before"...))
			w.no(err)
			messages, found := bytes.CutPrefix(page.Messages, []byte("before"))
			if !found {
				t.Errorf("the messages are not after what was there: %.40s", page.Messages)
			}
			return bytes.Clone(messages)
		}
		first := read(20)
		same(t, "pages kept", w.s.KeptPages(), 0)
		for range 3 {
			if again := read(20); !bytes.Equal(again, first) {
				t.Fatalf("a page changed from\n%s\nto\n%s", first, again)
			}
			same(t, "pages kept", w.s.KeptPages(), 1)
			clear(scratch)
		}
		read(19)
		same(t, "pages kept", w.s.KeptPages(), 1)
		w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "newer"})
		if bytes.Equal(read(20), first) {
			t.Error("a message that was posted since is missing")
		}
	})
}
