package messaging_test

import (
	"slices"
	"strings"
	"testing"

	"understudy/internal/messaging"
	"understudy/internal/platform/store"
)

func TestSearchReadsItsLanguage(t *testing.T) {
	run(t, func(w *world) {
		ann, bob := w.person("ann"), w.person("bob")
		_, err := w.s.SetProfile(w.ctx, ann, messaging.ProfileChange{Profile: []byte(`{"real_name":"Ada Byron","display_name":"Countess"}`)})
		w.no(err)
		ch, other := w.channel(w.admin, "words", false), w.channel(w.admin, "other", false)
		for _, c := range []messaging.Caller{ann, bob} {
			_, _, err := w.s.JoinChannel(w.ctx, c, ch)
			w.no(err)
		}
		posted := map[string]messaging.Posted{}
		for _, p := range []struct {
			by   messaging.Caller
			in   string
			text string
		}{
			{ann, ch, "今天部署了新版本的服务"}, {bob, ch, "デプロイが失敗しました"}, {ann, ch, "배포했습니다 오늘"}, {bob, ch, "การติดตั้งสำเร็จ"},
			{ann, ch, "deploy :thumbsup: done https://x.io"}, {bob, ch, "deploy tada again 🎉"}, {w.admin, other, "deploy elsewhere"},
		} {
			posted[p.text] = w.post(p.by, messaging.PostMessage{Channel: p.in, Text: p.text})
		}
		w.no(w.s.AddReaction(w.ctx, bob, messaging.Reaction{Channel: ch, TS: posted["deploy tada again 🎉"].TS, Name: "eyes"}))
		w.post(ann, messaging.PostMessage{Channel: ch, Text: "deploy in a thread", ThreadTS: posted["deploy tada again 🎉"].TS.String()})
		direct, err := w.s.Open(w.ctx, w.admin, messaging.OpenConversation{Users: []string{bob.ID}})
		w.no(err)
		const toBob, toAdmin = "hand to you", "hand back"
		w.post(w.admin, messaging.PostMessage{Channel: direct.Channel.ID, Text: toBob})
		w.post(bob, messaging.PostMessage{Channel: direct.Channel.ID, Text: toAdmin})
		const chinese, japanese, korean, thai = "今天部署了新版本的服务", "デプロイが失敗しました", "배포했습니다 오늘", "การติดตั้งสำเร็จ"
		const liked, party, elsewhere, reply = "deploy :thumbsup: done <https://x.io>", "deploy tada again :tada:", "deploy elsewhere", "deploy in a thread"
		for query, want := range map[string][]string{
			"部署": {chinese}, "新版本": {chinese}, "服": {chinese}, "署部": nil, `"版本的"`: {chinese}, "部署 服务": {chinese},
			"失敗": {japanese}, "プロイ": {japanese}, "배포": {korean}, "오늘": {korean}, "ติดตั้ง": {thai}, "-部署 from:ann 오늘": {korean},
			":+1:": {liked}, ":thumbsup:": {liked}, "👍": {liked}, ":tada:": {party}, "tada": {party}, "deploy -:tada: in:words": {liked, reply},
			"deploy -in:other":             {liked, party, reply},
			"deploy -from:@ann":            {elsewhere, party},
			"deploy -from:countess":        {elsewhere, party},
			`deploy from:"ada byron"`:      {liked, reply},
			"deploy from:@Countess":        {liked, reply},
			"deploy -has:link in:words":    {party, reply},
			"deploy -has:reaction":         {elsewhere, liked, reply},
			"deploy -has::eyes:":           {elsewhere, liked, reply},
			"deploy has:link has:reaction": {liked, party},
			"deploy -is:thread":            {elsewhere, liked},
			"deploy has:pin":               nil,
			"deploy -has:pin -is:saved":    {elsewhere, liked, party, reply},
			`deploy -"tada again"`:         {elsewhere, liked, reply},
			"deploy -on:2026-03-01":        nil,
			"deploy -during:2025 on:today": {elsewhere, liked, party, reply},
			"deploy -before:2026-03-01":    {elsewhere, liked, party, reply},
			"deploy -after:2026-02-01":     nil,
			"deploy -with:@bob -in:other":  {liked},
			"deploy with:@bob":             {party, reply},
			"deploy from:@me":              {elsewhere},
			"deploy to:me":                 nil,
			"hand to:@bob":                 {toBob},
			"hand to:me":                   {toAdmin},
			"hand -to:me":                  {toBob},
			"hand with:@bob":               {toAdmin, toBob},
		} {
			found, err := w.s.Search(w.ctx, w.admin, messaging.Search{Query: query, Count: 100})
			w.no(err)
			var got []string
			for _, m := range found.Matches {
				got = append(got, m.Text)
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%q finds %q, want %q", query, got, want)
			}
		}
		found, err := w.s.Search(w.ctx, w.admin, messaging.Search{Query: "版本", Count: 1, Highlight: true})
		w.no(err)
		same(t, "highlighted", strings.NewReplacer("\ue000", "[", "\ue001", "]").Replace(found.Matches[0].Text), "今天部署了新[版本]的服务")
	})
}

// A few messages are not worth a step of the index: it begins with more, or with a
// search that finds more, whoever has written them.
func TestFewMessagesWaitForTheIndex(t *testing.T) {
	run(t, func(w *world) {
		general := w.general()
		behind := func(tx *store.Tx) bool { return tx.Dialect() == store.SQLite } // PostgreSQL indexes with each write
		waiting := func() (n int64) {
			w.no(w.w.Read(w.ctx, func(tx *store.Tx) error {
				if !behind(tx) {
					return nil
				}
				_, err := tx.Get(`SELECT (SELECT MAX(id) FROM msg_message) - value FROM msg_search_state WHERE name = 'indexed'`, nil, &n)
				return err
			}))
			return n
		}
		post := func(s *messaging.Service, n int) {
			for range n {
				_, err := s.PostMessage(w.ctx, w.admin, messaging.PostMessage{Channel: general, Text: "needle"})
				w.no(err)
			}
		}
		w.no(w.s.Index(w.ctx))
		fewest := w.s.FewestToIndex()
		if fewest < 100 { // what is written at once waits for a moment of quiet in any case
			w.t.Fatalf("the index begins with %d messages", fewest)
		}
		part := fewest * 2 / 3
		if post(w.s, 1); waiting() == 0 {
			return // no index stands behind the writes
		}
		post(w.s, part-1)
		if waiting() != int64(part) {
			t.Errorf("%d of %d wait for the index", waiting(), part)
		}
		w.s.Close() // which counted them
		again := messaging.New(w.w, w.deps)
		defer again.Close()
		post(again, part)
		if waiting() != int64(2*part) {
			t.Errorf("%d of %d wait for the index", waiting(), 2*part)
		}
		found, err := again.Search(w.ctx, w.admin, messaging.Search{Query: "needle", Count: 1})
		if w.no(err); found.Total != 2*part {
			t.Errorf("%d of %d are found", found.Total, 2*part)
		}
		w.eventually("all are indexed after a search", func() bool { return waiting() == 0 })
		post(again, fewest)
		w.eventually("many are indexed without a search", func() bool { return waiting() == 0 })
	})
}
