package messaging_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"understudy/internal/messaging"
	"understudy/internal/platform/store"
)

// Of very many matches a search finds the first of each page in order, and as many
// as it looks at in all, whoever may see them and wherever they stand.
func TestSearchesOfVeryManyMessages(t *testing.T) {
	run(t, func(w *world) {
		const n = 40_000
		r := rand.New(rand.NewPCG(5, 9))
		ann := w.person("ann")
		open, closed := w.channel(w.admin, "open", false), w.channel(w.admin, "closed", true)
		_, _, err := w.s.JoinChannel(w.ctx, ann, open)
		w.no(err)
		type message struct {
			channel, by, words string
			ts                 messaging.TS
			deleted            bool
		}
		var all []message
		var rows [][]any
		for i := range n {
			m := message{channel: []string{open, closed}[r.IntN(2)], by: []string{w.admin.ID, ann.ID}[r.IntN(2)], words: "common", ts: messaging.TS(w.clock.Micros() + int64(i)), deleted: r.IntN(20) == 0}
			if i < n*2/3 {
				m.words += " early"
			} else {
				m.words += " late"
			}
			if r.IntN(10) == 0 {
				m.words += " rare"
			}
			all = append(all, m)
			rows = append(rows, []any{w.admin.Workspace, m.channel, m.ts, m.by, fmt.Sprintf(`{"text":%q}`, m.words), m.words, m.deleted})
		}
		w.no(w.w.Write(w.ctx, func(tx *store.Tx) error {
			return tx.ExecBatch(`INSERT INTO msg_message (workspace, channel, listed, ts, thread_ts, user_id, subtype, body, metadata, reactions,
				reply_count, reply_users, latest_reply, client_msg_id, words, deleted) VALUES (?, ?, TRUE, ?, 0, ?, '', ?, '', '', 0, '', 0, '', ?, ?)`, rows)
		}))
		has := func(m message, words string) bool { return slices.Contains(strings.Fields(m.words), words) }
		for _, q := range []struct {
			query   string
			matches func(message) bool
		}{
			{"common", func(m message) bool { return true }},
			{"common early", func(m message) bool { return has(m, "early") }},
			{"comm*", func(m message) bool { return true }},
			{"common -rare", func(m message) bool { return !has(m, "rare") }},
			{"common in:open", func(m message) bool { return m.channel == open }},
			{"common -in:closed", func(m message) bool { return m.channel == open }},
			{"common from:ann", func(m message) bool { return m.by == ann.ID }},
			{"common late", func(m message) bool { return has(m, "late") }},
			{"common rare", func(m message) bool { return has(m, "rare") }},
		} {
			for _, as := range []messaging.Caller{w.admin, ann} {
				for _, ascending := range []bool{false, true} {
					var want []messaging.TS
					for _, m := range all {
						if !m.deleted && q.matches(m) && (m.channel == open || as.ID == w.admin.ID) {
							want = append(want, m.ts)
						}
					}
					if !ascending {
						slices.Reverse(want)
					}
					total := min(len(want), 10_000)
					for _, offset := range []int{0, 100, 3000, 9990} {
						found, err := w.s.Search(w.ctx, as, messaging.Search{Query: q.query, Offset: offset, Count: 20, ByTime: true, Ascending: ascending})
						w.no(err)
						var got []messaging.TS
						for _, m := range found.Matches {
							got = append(got, m.TS)
						}
						from := min(offset, total)
						if page := want[from:min(from+20, total)]; found.Total != total || !slices.Equal(got, page) {
							w.t.Fatalf("%q by %s, ascending %v, from %d: %d in all, want %d\n got %v\nwant %v", q.query, as.Name, ascending, offset, found.Total, total, got, page)
						}
					}
				}
			}
		}
	})
}
