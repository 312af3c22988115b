package messaging_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"understudy/internal/messaging"
	"understudy/internal/platform/store"
)

// emitted returns the newest events, oldest first.
func (w *world) emitted(n int) (out []map[string]any) {
	w.t.Helper()
	w.no(w.w.Read(w.ctx, func(tx *store.Tx) error {
		all, err := w.outbox.Recent(tx, n)
		for _, e := range all {
			inner := map[string]any{}
			w.no(json.Unmarshal(e.Payload, &inner))
			out = append(out, inner)
		}
		return err
	}))
	return out
}

func (w *world) update(c messaging.Caller, in messaging.UpdateMessage) (map[string]any, error) {
	w.t.Helper()
	up, err := w.s.UpdateMessage(w.ctx, c, in)
	out := map[string]any{}
	if err == nil {
		w.no(json.Unmarshal(up.Message, &out))
	}
	return out, err
}

func TestUpdateOfMetadataAlone(t *testing.T) {
	run(t, func(w *world) {
		ch := w.channel(w.admin, "metadata", false)
		p := w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "one", Metadata: []byte(`{"event_type":"a","event_payload":{}}`)})
		got, err := w.update(w.admin, messaging.UpdateMessage{Channel: ch, TS: p.TS.String(), Metadata: []byte(`{"event_type":"b","event_payload":{"n":1}}`)})
		w.no(err)
		same(t, "the metadata", got["metadata"], map[string]any{"event_type": "b", "event_payload": map[string]any{"n": 1.0}})
		same(t, "the text", got["text"], "one")
		same(t, "the edited mark", got["edited"], nil)
		got, err = w.update(w.admin, messaging.UpdateMessage{Channel: ch, TS: p.TS.String(), Metadata: []byte(`{}`)})
		w.no(err)
		same(t, "removed metadata", got["metadata"], nil)
	})
}

func TestAnEditIsMarkedInWholeSeconds(t *testing.T) {
	run(t, func(w *world) {
		ch := w.channel(w.admin, "edits", false)
		p := w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "one"})
		w.clock.Advance(1500 * time.Millisecond)
		got, err := w.update(w.admin, messaging.UpdateMessage{Channel: ch, TS: p.TS.String(), Text: new("two")})
		w.no(err)
		same(t, "the edited mark", got["edited"], map[string]any{"user": w.admin.ID, "ts": fmt.Sprint(start.Unix()+1, ".000000")})
	})
}

func TestThePersonsEditNamesTheTeams(t *testing.T) {
	run(t, func(w *world) {
		ch := w.channel(w.admin, "teams", false)
		teams := func(c messaging.Caller) []any {
			ts := w.post(c, messaging.PostMessage{Channel: ch, Text: "before"}).TS.String()
			got, err := w.update(c, messaging.UpdateMessage{Channel: ch, TS: ts, Text: new("after")})
			w.no(err)
			e := w.emitted(1)[0]
			now, was := e["message"].(map[string]any), e["previous_message"].(map[string]any)
			return []any{now["text"], now["source_team"], now["user_team"], was["source_team"], got["source_team"]}
		}
		same(t, "a person's", teams(w.admin), []any{"after", w.admin.Workspace, w.admin.Workspace, nil, nil})
		_, _, err := w.s.JoinChannel(w.ctx, w.bot, ch)
		w.no(err)
		same(t, "a bot's", teams(w.bot), []any{"after", nil, nil, nil, nil})
	})
}

func TestNoUpdateEmptiesAMessage(t *testing.T) {
	run(t, func(w *world) {
		ch := w.channel(w.admin, "empty", false)
		only := w.post(w.admin, messaging.PostMessage{Channel: ch, Attachments: []byte(`[{"text":"more"}]`)}).TS.String()
		_, err := w.update(w.admin, messaging.UpdateMessage{Channel: ch, TS: only, Attachments: []byte(`[]`)})
		w.refuses(messaging.NoText, err)
		got, err := w.update(w.admin, messaging.UpdateMessage{Channel: ch, TS: only, Attachments: []byte(`[{"text":"other"}]`)})
		w.no(err)
		same(t, "the attachment", got["attachments"].([]any)[0].(map[string]any)["text"], "other")
		got, err = w.update(w.admin, messaging.UpdateMessage{Channel: ch, TS: only, Text: new("words"), Attachments: []byte(`[]`)})
		w.no(err)
		same(t, "the attachments that go", got["attachments"], nil)
		text := w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "words", Attachments: []byte(`[]`), Blocks: []byte(`[]`)}).TS.String()
		_, err = w.update(w.admin, messaging.UpdateMessage{Channel: ch, TS: text, Text: new(string)})
		w.refuses(messaging.NoText, err)
		got, err = w.update(w.admin, messaging.UpdateMessage{Channel: ch, TS: text, Blocks: []byte(`[]`)})
		w.no(err)
		same(t, "the text that stays", got["text"], "words")
		same(t, "the blocks that go", got["blocks"], nil)
		_, err = w.update(w.admin, messaging.UpdateMessage{Channel: ch, TS: text})
		w.refuses(messaging.NoText, err)
	})
}

func TestAReplyIsBroadcastLater(t *testing.T) {
	run(t, func(w *world) {
		ch := w.channel(w.admin, "later", false)
		parent := w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "parent"})
		reply := w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "reply", ThreadTS: parent.TS.String()})
		listed := len(w.history(w.admin, ch))
		text := "changed"
		_, err := w.update(w.admin, messaging.UpdateMessage{Channel: ch, TS: reply.TS.String(), Text: &text, Broadcast: true})
		w.refuses(messaging.BroadcastAndContent, err)
		_, err = w.update(w.admin, messaging.UpdateMessage{Channel: ch, TS: parent.TS.String(), Broadcast: true})
		w.refuses(messaging.CannotBroadcast, err)
		got, err := w.update(w.admin, messaging.UpdateMessage{Channel: ch, TS: reply.TS.String(), Broadcast: true})
		w.no(err)
		same(t, "the subtype", got["subtype"], "thread_broadcast")
		same(t, "the root", got["root"].(map[string]any)["ts"], parent.TS.String())
		page := w.history(w.admin, ch)
		same(t, "messages of the history", len(page), listed+1)
		same(t, "the newest", page[0].TS, reply.TS.String())
		same(t, "the event", w.emitted(1)[0]["subtype"], "message_changed")
		_, err = w.update(w.admin, messaging.UpdateMessage{Channel: ch, TS: reply.TS.String(), Text: &text, Broadcast: true})
		w.no(err) // it stands in the channel already
	})
}

func TestADeletedParentLeavesATombstone(t *testing.T) {
	run(t, func(w *world) {
		ch := w.channel(w.admin, "tombs", false)
		parent := w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "parent"})
		first := w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "first", ThreadTS: parent.TS.String()})
		_, err := w.s.DeleteMessage(w.ctx, w.admin, ch, parent.TS.String())
		w.no(err)
		e := w.emitted(1)[0]
		same(t, "the event", e["subtype"], "message_changed")
		same(t, "deleted_ts", e["deleted_ts"], nil)
		same(t, "the tombstone", e["message"], map[string]any{"type": "message", "subtype": "tombstone", "text": "This message was deleted.",
			"user": "USLACKBOT", "hidden": true, "thread_ts": parent.TS.String(), "reply_count": 1.0, "reply_users_count": 1.0,
			"latest_reply": first.TS.String(), "reply_users": []any{w.admin.ID}, "is_locked": false, "ts": parent.TS.String()})
		same(t, "what it was", e["previous_message"].(map[string]any)["text"], "parent")

		second := w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "second", ThreadTS: parent.TS.String()})
		page, err := w.s.Replies(w.ctx, w.admin, messaging.Replies{Channel: ch, TS: parent.TS, Limit: 10})
		w.no(err)
		thread := w.decode(page.Messages)
		same(t, "messages of the thread", len(thread), 3)
		same(t, "replies counted", thread[0].Replies, 2)
		same(t, "the author of a reply's parent", thread[2].ParentUser, "USLACKBOT")
		w.refuses(messaging.MessageNotFound, w.s.AddReaction(w.ctx, w.admin, messaging.Reaction{Channel: ch, TS: parent.TS, Name: "tada"}))
		_, err = w.update(w.admin, messaging.UpdateMessage{Channel: ch, TS: parent.TS.String(), Blocks: []byte(`[]`)})
		w.refuses(messaging.MessageNotFound, err)
		_, err = w.s.DeleteMessage(w.ctx, w.admin, ch, parent.TS.String())
		w.refuses(messaging.MessageNotFound, err)

		for _, reply := range []messaging.TS{first.TS, second.TS} {
			_, err = w.s.DeleteMessage(w.ctx, w.admin, ch, reply.String())
			w.no(err)
		}
		last := w.emitted(2)
		same(t, "the reply goes", []any{last[0]["subtype"], last[0]["deleted_ts"]}, []any{"message_deleted", second.TS.String()})
		same(t, "and its tombstone", []any{last[1]["subtype"], last[1]["deleted_ts"]}, []any{"message_deleted", parent.TS.String()})
		for _, m := range w.history(w.admin, ch) {
			if m.Subtype == "tombstone" {
				t.Errorf("a tombstone without replies is listed: %+v", m)
			}
		}
	})
}

func TestPagesOfOneReply(t *testing.T) {
	run(t, func(w *world) {
		ch := w.channel(w.admin, "ones", false)
		parent := w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "0"})
		for _, text := range []string{"1", "2", "3"} {
			w.post(w.admin, messaging.PostMessage{Channel: ch, Text: text, ThreadTS: parent.TS.String()})
		}
		for limit, want := range map[int]string{1: "0 | 1 | 2 | 3", 2: "0 1 | 0 2 | 0 3", 3: "0 1 2 | 0 3", 4: "0 1 2 3"} {
			var pages []string
			in := messaging.Replies{Channel: ch, TS: parent.TS, Limit: limit}
			for more := true; more; {
				p, err := w.s.Replies(w.ctx, w.admin, in)
				w.no(err)
				var texts []string
				for _, m := range w.decode(p.Messages) {
					texts = append(texts, m.Text)
				}
				pages = append(pages, strings.Join(texts, " "))
				more, in.After = p.More, p.Next
			}
			same(t, "the pages", strings.Join(pages, " | "), want)
		}
	})
}

func TestAGroupConversationIsOpenedAgain(t *testing.T) {
	run(t, func(w *world) {
		ann, bob := w.person("ann"), w.person("bob")
		people := messaging.OpenConversation{Users: []string{ann.ID, bob.ID}}
		o, err := w.s.Open(w.ctx, w.admin, people)
		w.no(err)
		id := o.Channel.ID
		_, err = w.s.Leave(w.ctx, w.admin, id)
		w.no(err)
		for _, again := range []messaging.OpenConversation{people, {Channel: id}} {
			o, err = w.s.Open(w.ctx, w.admin, again)
			w.no(err)
			same(t, "the conversation", o.Channel.ID, id)
			same(t, "a member", o.Channel.CallerIsMember, true)
			same(t, "it was there", o.Existed, false)
			w.post(w.admin, messaging.PostMessage{Channel: id, Text: "back"})
			_, err = w.s.Leave(w.ctx, w.admin, id)
			w.no(err)
		}
		_, err = w.s.Open(w.ctx, w.person("eve"), messaging.OpenConversation{Channel: id})
		w.refuses(messaging.ChannelNotFound, err)

		w.no(w.s.Archive(w.ctx, ann, id))
		o, err = w.s.Open(w.ctx, ann, messaging.OpenConversation{Users: []string{w.admin.ID, bob.ID}})
		w.no(err)
		same(t, "archived", o.Channel.Archived, false)
		w.post(ann, messaging.PostMessage{Channel: id, Text: "open again"})
		o, err = w.s.Open(w.ctx, ann, messaging.OpenConversation{Channel: id})
		w.no(err)
		same(t, "it was there", o.Existed, true)
	})
}

func TestTheServicesOwnUser(t *testing.T) {
	run(t, func(w *world) {
		u, err := w.s.UserByID(w.ctx, w.admin, "USLACKBOT")
		w.no(err)
		same(t, "its name", []string{u.Name, u.Profile.RealName}, []string{"slackbot", "Slackbot"})
		var seen []string
		for after, more := "", true; more; {
			var page []*messaging.User
			page, more, err = w.s.ListUsers(w.ctx, w.admin, after, 1)
			w.no(err)
			same(t, "users of a page", len(page), 1)
			after = page[0].ID
			seen = append(seen, after)
		}
		same(t, "users", len(seen), 3)
		same(t, "the last", seen[2], "USLACKBOT")
	})
}
