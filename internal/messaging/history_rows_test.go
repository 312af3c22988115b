package messaging_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"understudy/internal/messaging"
	"understudy/internal/platform/store"
)

// A page is read by walking over the table where its messages stand near to each other in it,
// and by their places in the index otherwise. Both show what messages read one after the other do.
func TestPagesAreTheSameHoweverTheyAreRead(t *testing.T) {
	run(t, func(w *world) {
		dense, mixed, sparse := w.channel(w.admin, "dense", false), w.channel(w.admin, "mixed", false), w.channel(w.admin, "sparse", false)
		var parent messaging.Posted
		for i := range 240 {
			w.clock.Advance(time.Second)
			in := messaging.PostMessage{Channel: dense, Text: fmt.Sprint("message ", i)}
			if i%8 == 3 {
				in.Metadata = []byte(`{"event_type":"made","event_payload":{"n":1}}`)
			}
			p := w.post(w.admin, in)
			switch i % 20 {
			case 1:
				w.post(w.admin, messaging.PostMessage{Channel: sparse, Text: fmt.Sprint("sparse ", i)})
			case 5:
				parent = p
			case 6, 8:
				w.post(w.admin, messaging.PostMessage{Channel: dense, Text: "reply", ThreadTS: parent.TS.String(), Broadcast: i%20 == 8})
			case 10:
				w.no(w.s.AddReaction(w.ctx, w.admin, messaging.Reaction{Channel: dense, TS: p.TS, Name: "tada"}))
			case 12:
				_, err := w.s.DeleteMessage(w.ctx, w.admin, dense, p.TS.String())
				w.no(err)
			}
			if i%4 == 0 {
				w.post(w.admin, messaging.PostMessage{Channel: mixed, Text: fmt.Sprint("mixed ", i)})
			}
		}
		walks := func(channel string, want bool) {
			t.Helper()
			got, onSQLite, err := w.s.Walks(w.ctx, w.admin.Workspace, channel, 100)
			w.no(err)
			if onSQLite && got != want {
				t.Errorf("channel %s: walked over %t, want %t", channel, got, want)
			}
		}
		samePages := func(channel string) {
			t.Helper()
			for _, in := range []messaging.History{{}, {Limit: 999}, {Metadata: true}, {Limit: 17, Metadata: true}, {Latest: parent.TS},
				{Latest: parent.TS, Inclusive: true}, {Oldest: parent.TS - 100e6, Latest: parent.TS - 20e6, Limit: 999}, {Oldest: parent.TS}} {
				in.Channel, in.Limit = channel, max(in.Limit, 40)
				for more := true; more; {
					page, err := w.s.History(w.ctx, w.admin, in, nil)
					w.no(err)
					one := in
					one.Limit = 1 // too short to walk
					var want []byte
					n := 0
					for goesOn := true; goesOn && n < in.Limit; n++ {
						p, err := w.s.History(w.ctx, w.admin, one, nil)
						w.no(err)
						if want = append(want, p.Messages...); p.More && n+1 < in.Limit {
							want = append(want, ',')
						}
						one.Before, goesOn = p.Next, p.More
					}
					if !bytes.Equal(page.Messages, want) || page.Next != one.Before {
						t.Fatalf("page %+v:\n%s, then %v,\nmessage by message:\n%s, then %v", in, page.Messages, page.Next, want, one.Before)
					}
					in.Before, more = page.Next, page.More
				}
			}
		}
		walks(dense, true)
		walks(mixed, false)
		walks(sparse, false)
		for _, channel := range []string{dense, mixed, sparse} {
			samePages(channel)
		}
		// Rows that came in another order than their times, as an import could leave them.
		w.no(w.w.Write(w.ctx, func(tx *store.Tx) error {
			var a, b int64
			for at, id := range map[int]*int64{5: &a, 9: &b} {
				if found, err := tx.Get(fmt.Sprintf(`SELECT id FROM msg_message WHERE channel = ? AND listed = TRUE ORDER BY ts DESC LIMIT 1 OFFSET %d`, at),
					[]any{dense}, id); err != nil || !found {
					return fmt.Errorf("no message %d: %w", at, err)
				}
			}
			for _, move := range [][2]int64{{a, -1}, {b, a}, {-1, b}} {
				if _, err := tx.Exec(`UPDATE msg_message SET id = ? WHERE id = ?`, move[1], move[0]); err != nil {
					return err
				}
			}
			_, err := tx.Exec(`UPDATE msg_channel SET version = version + 1 WHERE id = ?`, dense)
			return err
		}))
		walks(dense, false)
		samePages(dense)
	})
}
