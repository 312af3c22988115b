package messaging_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"understudy/internal/messaging"
	"understudy/internal/platform/budget"
)

// A page of matches ends where it would become too long, and End is where the
// next one goes on.
func TestPagesOfLongMatchesEndEarly(t *testing.T) {
	run(t, func(w *world) {
		ch := w.channel(w.admin, "long", false)
		long := []byte(`[{"text":"` + strings.Repeat("x", 200<<10) + `"}]`)
		const n = 90
		for i := range n {
			w.post(w.admin, messaging.PostMessage{Channel: ch, Text: fmt.Sprint("needle ", i), Attachments: long})
		}
		seen := map[string]bool{}
		pages := 0
		for in := (messaging.Search{Query: "needle", Count: 100, ByTime: true}); len(seen) < n && pages < 5; pages++ {
			found, err := w.s.Search(w.ctx, w.admin, in)
			w.no(err)
			same(w.t, "total", found.Total, n)
			size := 0
			for _, m := range found.Matches {
				size += len(m.Attachments)
				seen[m.TS.String()] = true
			}
			if size > budget.PageBytes+1<<20 {
				t.Fatalf("a page has %d bytes", size)
			}
			in.Offset = found.End
		}
		same(w.t, "matches", len(seen), n)
		same(w.t, "pages", pages, 2)
	})
}

// A page of users ends where their profiles fill it.
func TestPagesOfLongProfilesEndEarly(t *testing.T) {
	run(t, func(w *world) {
		fields := map[string]messaging.ProfileField{}
		for i := range 50 {
			fields[fmt.Sprint("Xf", i)] = messaging.ProfileField{Value: strings.Repeat("𝄞", 255), Alt: strings.Repeat("𝄞", 255)}
		}
		profile, err := json.Marshal(map[string]any{"fields": fields})
		w.no(err)
		const n = 200
		for i := range n {
			_, err := w.s.SetProfile(w.ctx, w.person(fmt.Sprint("p", i)), messaging.ProfileChange{Profile: profile})
			w.no(err)
		}
		all, _, err := w.s.ListUsers(w.ctx, w.admin, "", 1)
		w.no(err)
		same(w.t, "one user", len(all), 1)
		seen, robots := map[string]bool{}, 0
		for after, more, pages := "", true, 0; more && pages < 10; pages++ {
			var page []*messaging.User
			page, more, err = w.s.ListUsers(w.ctx, w.admin, after, 1000)
			w.no(err)
			size := 0
			for _, u := range page {
				b, err := json.Marshal(u.Profile)
				w.no(err)
				size += len(b)
				seen[u.ID] = true
				if u.ID == "USLACKBOT" {
					robots++
				}
			}
			if size > budget.PageBytes+1<<20 {
				t.Fatalf("a page has %d bytes", size)
			}
			after = page[len(page)-1].ID
		}
		same(w.t, "the service's own user", robots, 1)
		if len(seen) < n+3 {
			t.Errorf("%d users of %d", len(seen), n+3)
		}
	})
}

func TestProfileFieldsHaveBounds(t *testing.T) {
	run(t, func(w *world) {
		for _, profile := range []string{
			`{"fields":{"Xf1":{"value":"a","alt":"` + strings.Repeat("x", 256) + `"}}}`,
			`{"fields":{"` + strings.Repeat("x", 256) + `":{"value":"a"}}}`,
		} {
			_, err := w.s.SetProfile(w.ctx, w.admin, messaging.ProfileChange{Profile: []byte(profile)})
			w.refuses(messaging.TooLong, err)
		}
	})
}
