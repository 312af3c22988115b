package messaging_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/internal/messaging"
	"understudy/internal/messaging/searchquery"
)

// written is a message of the model.
type written struct {
	channel int
	by      string
	ts      messaging.TS
	text    string
}

// Searches find the same messages in the same order, whatever part of them is
// indexed: the same as comparing all texts.
func TestSearchesLookAtWhatIsNotIndexed(t *testing.T) {
	run(t, func(w *world) {
		r := rand.New(rand.NewPCG(3, 8))
		ann, bob := w.person("ann"), w.person("bob")
		open, closed := w.channel(w.admin, "open", false), w.channel(w.admin, "closed", true)
		channels, names := []string{open, closed}, []string{"open", "closed"}
		_, _, err := w.s.JoinChannel(w.ctx, ann, open)
		w.no(err)
		_, _, err = w.s.Invite(w.ctx, w.admin, messaging.Invite{Channel: closed, Users: []string{ann.ID}})
		w.no(err)
		authors := []messaging.Caller{w.admin, ann}
		words := strings.Fields("deploy deployed deploying blue green 部署 署部 ติดตั้ง ตดตง naïve naive straße 7 x Übung ⅷ 𐐀 ᏸ ꭓ")
		text := func() string {
			some := make([]string, 1+r.IntN(8))
			for i := range some {
				some[i] = words[r.IntN(len(words))]
			}
			return strings.Join(some, " ")
		}
		var all []*written
		query := func() (string, func(*written) bool) {
			pick := func() string { return words[r.IntN(len(words))] }
			has := func(m *written, term string, prefix bool) bool {
				term = " " + searchquery.Words(term)
				if !prefix {
					term += " "
				}
				return strings.Contains(" "+searchquery.Words(m.text)+" ", term)
			}
			switch a, b := pick(), pick(); r.IntN(7) {
			case 0:
				return a, func(m *written) bool { return has(m, a, false) }
			case 1:
				return a + " " + b, func(m *written) bool { return has(m, a, false) && has(m, b, false) }
			case 2:
				return `"` + a + " " + b + `"`, func(m *written) bool { return has(m, a+" "+b, false) }
			case 3:
				return "deploy*", func(m *written) bool { return has(m, "deploy", true) }
			case 4:
				return a + " -" + b + " in:open", func(m *written) bool { return has(m, a, false) && !has(m, b, false) && m.channel == 0 }
			case 5:
				return a + " -from:ann", func(m *written) bool { return has(m, a, false) && m.by != ann.ID }
			default:
				return "from:ann -" + a, func(m *written) bool { return !has(m, a, false) && m.by == ann.ID }
			}
		}
		search := func(as messaging.Caller, q string, byTime, ascending bool) (messaging.Found, []messaging.TS) {
			found, err := w.s.Search(w.ctx, as, messaging.Search{Query: q, Count: 1000, ByTime: byTime, Ascending: ascending})
			w.no(err)
			var at []messaging.TS
			for _, m := range found.Matches {
				at = append(at, m.TS)
			}
			return found, at
		}
		for step := range 400 {
			w.clock.Advance(time.Second)
			switch n := r.IntN(10); {
			case n < 6 || len(all) == 0:
				m := &written{channel: r.IntN(2), text: text()}
				by := authors[r.IntN(2)]
				m.by, m.ts = by.ID, w.post(by, messaging.PostMessage{Channel: channels[m.channel], Text: m.text}).TS
				all = append(all, m)
			case n < 8:
				m := all[r.IntN(len(all))]
				by := authors[slices.IndexFunc(authors, func(c messaging.Caller) bool { return c.ID == m.by })]
				m.text = text()
				_, err := w.s.UpdateMessage(w.ctx, by, messaging.UpdateMessage{Channel: channels[m.channel], TS: m.ts.String(), Text: &m.text})
				w.no(err)
			case n < 9:
				at := r.IntN(len(all))
				_, err := w.s.DeleteMessage(w.ctx, w.admin, channels[all[at].channel], all[at].ts.String())
				w.no(err)
				all = slices.Delete(all, at, at+1)
			default:
				w.no(w.s.IndexSome(w.ctx, r.IntN(20)))
			}
			if step%3 > 0 {
				continue
			}
			q, matches := query()
			as := []messaging.Caller{w.admin, ann, bob}[r.IntN(3)]
			ascending := r.IntN(2) == 0
			var want []messaging.TS
			for _, m := range all {
				if matches(m) && (m.channel == 0 || as.ID != bob.ID) {
					want = append(want, m.ts)
				}
			}
			if !ascending {
				slices.Reverse(want)
			}
			where := fmt.Sprintf("step %d: %q by %s in %s", step, q, as.Name, names)
			found, got := search(as, q, true, ascending)
			if found.Total != len(want) || !slices.Equal(got, want) {
				t.Fatalf("%s finds %d, want %d:\n got %v\nwant %v", where, found.Total, len(want), got, want)
			}
			_, before := search(as, q, false, ascending)
			if step%12 == 0 {
				w.no(w.s.Index(w.ctx))
			} else {
				w.no(w.s.IndexSome(w.ctx, r.IntN(5)))
			}
			if _, after := search(as, q, false, ascending); !slices.Equal(before, after) {
				t.Fatalf("%s: by relevance %v before some is indexed, %v after", where, before, after)
			}
			slices.Sort(before)
			slices.Sort(want)
			if !slices.Equal(before, want) {
				t.Fatalf("%s: by relevance %v, by time %v", where, before, want)
			}
		}
	})
}

// The more often a term stands in a message and the shorter that is, the more
// relevant is the message.
func TestSearchesAreInOrderOfRelevance(t *testing.T) {
	run(t, func(w *world) {
		ch := w.channel(w.admin, "words", false)
		texts := []string{"deploy at noon", "deploy deploy at noon today", "deploy", "was there a deploy of the new version at noon or later in the day", "deploy at night"}
		for _, text := range texts {
			w.clock.Advance(time.Second)
			w.post(w.admin, messaging.PostMessage{Channel: ch, Text: text})
		}
		for _, index := range []bool{false, true} {
			if index {
				w.no(w.s.Index(w.ctx))
			}
			for ascending, want := range map[bool][]int{false: {2, 1, 4, 0, 3}, true: {3, 4, 0, 1, 2}} {
				found, err := w.s.Search(w.ctx, w.admin, messaging.Search{Query: "deploy", Count: 10, Ascending: ascending})
				w.no(err)
				var got []int
				for _, m := range found.Matches {
					got = append(got, slices.Index(texts, m.Text))
				}
				if !slices.Equal(got, want) {
					t.Errorf("ascending %v: %v, want %v", ascending, got, want)
				}
			}
		}
	})
}
