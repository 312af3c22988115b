package messaging_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"understudy/internal/messaging"
)

// installed makes an app of a manifest whose bot is in a channel.
func (w *world) installed(manifest string, channels ...string) *messaging.App {
	w.t.Helper()
	a, err := w.s.CreateApp(w.ctx, w.admin, []byte(manifest))
	w.no(err)
	for _, ch := range channels {
		_, _, err := w.s.Invite(w.ctx, w.admin, messaging.Invite{Channel: ch, Users: []string{a.BotUserID}})
		w.no(err)
	}
	return a
}

// kinds returns the types of the newest events, oldest first, without messages.
func (w *world) kinds(n int) (out []string) {
	for _, e := range w.emitted(n) {
		out = append(out, e["type"].(string))
	}
	return out
}

func TestMentionsOfApps(t *testing.T) {
	run(t, func(w *world) {
		w.routed()
		ch := w.channel(w.admin, "mentions", false)
		a := w.installed(`{"display_information":{"name":"helper"},"oauth_config":{"scopes":{"bot":["app_mentions:read","channels:history","im:history"]}}}`, ch)
		deaf := w.installed(`{"display_information":{"name":"deaf"},"oauth_config":{"scopes":{"bot":["channels:history"]}}}`, ch)
		sub, other := w.subscribe(a, "app_mention"), w.subscribe(deaf, "app_mention")
		bot := "<@" + a.BotUserID + ">"
		w.say(w.admin, ch, "nothing")
		p := w.post(w.admin, messaging.PostMessage{Channel: ch, Text: bot + " help, and <@" + deaf.BotUserID + "> too"})
		e := w.emitted(2)[0]
		same(t, "the type", []any{e["type"], e["channel_type"], e["subtype"]}, []any{"app_mention", nil, nil})
		same(t, "where and when", []any{e["channel"], e["ts"], e["event_ts"], e["user"]}, []any{ch, p.TS.String(), p.TS.String(), w.admin.ID})
		if _, ok := e["blocks"].([]any); !ok {
			t.Errorf("no blocks: %v", e)
		}
		// Blocks count, a broadcast reply is a mention without its root, an edit counts when the mention is new.
		w.post(w.admin, messaging.PostMessage{Channel: ch, Blocks: []byte(`[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"user","user_id":"` + a.BotUserID + `"}]}]}]`)})
		w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "in a thread " + bot, ThreadTS: p.TS.String(), Broadcast: true})
		e = w.emitted(1)[0]
		same(t, "of a broadcast", []any{e["type"], e["subtype"], e["root"], e["thread_ts"]}, []any{"app_mention", nil, nil, p.TS.String()})
		later := w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "no one"})
		text := "now " + bot
		for range 2 {
			_, err := w.update(w.admin, messaging.UpdateMessage{Channel: ch, TS: later.TS.String(), Text: &text})
			w.no(err)
		}
		// Not in an im with the bot, not where it is no member, not its own.
		w.say(w.admin, a.BotUserID, "you "+bot)
		elsewhere := w.channel(w.admin, "elsewhere", false)
		w.say(w.admin, elsewhere, bot)
		w.say(w.caller(a.Workspace, a.BotUserID), ch, "I am "+bot)
		same(t, "mentions sent", len(w.told(sub)), 4)
		same(t, "without the scope", len(w.told(other)), 0)
	})
}

func TestEventsBesideTheNine(t *testing.T) {
	run(t, func(w *world) {
		ann := w.person("ann")
		ch, private := w.channel(w.admin, "one", false), w.channel(w.admin, "two", true)
		for _, c := range []struct {
			name string
			act  func() error
			want []string
		}{
			{"rename", func() error { _, err := w.s.Rename(w.ctx, w.admin, ch, "uno"); return err }, []string{"channel_rename", "message"}},
			{"rename private", func() error { _, err := w.s.Rename(w.ctx, w.admin, private, "due"); return err }, []string{"group_rename", "message"}},
			{"leave", func() error { _, err := w.s.Leave(w.ctx, w.admin, ch); return err }, []string{"channel_left", "message", "member_left_channel"}},
			{"open", func() error {
				_, err := w.s.Open(w.ctx, w.admin, messaging.OpenConversation{Users: []string{ann.ID}})
				return err
			}, []string{"im_created", "im_open"}},
			{"status", func() error {
				_, err := w.s.SetProfile(w.ctx, w.admin, messaging.ProfileChange{Name: "status_text", Value: "away"})
				return err
			}, []string{"user_status_changed", "user_change"}},
			{"title", func() error {
				_, err := w.s.SetProfile(w.ctx, ann, messaging.ProfileChange{Name: "title", Value: "captain"})
				return err
			}, []string{"user_profile_changed", "user_change"}},
		} {
			if err := c.act(); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if got := w.kinds(len(c.want)); !slices.Equal(got, c.want) {
				t.Errorf("%s: %q, want %q", c.name, got, c.want)
			}
		}
		w.no(w.s.Archive(w.ctx, w.admin, private))
		same(t, "archive of a private channel", w.kinds(2), []string{"message", "group_archive"})
		w.person("eve")
		same(t, "a new person", w.kinds(3), []string{"team_join", "message", "member_joined_channel"})
	})
}

func TestMetadataIsSentToWhoAsksForIt(t *testing.T) {
	run(t, func(w *world) {
		w.routed()
		ch := w.channel(w.admin, "metadata", false)
		const manifest = `{"display_information":{"name":"reader"},"oauth_config":{"scopes":{"bot":["metadata.message:read"]}},
			"settings":{"event_subscriptions":{"request_url":"http://x.example/","bot_events":["message_metadata_posted","message_metadata_updated","message_metadata_deleted"],
			"metadata_subscriptions":[{"app_id":"*","event_type":"task"}]}}}`
		w.installed(manifest, ch)
		w.installed(strings.Replace(manifest, `"task"`, `"other"`, 1), ch)
		poster := w.installed(`{"display_information":{"name":"poster"},"oauth_config":{"scopes":{"bot":["chat:write"]}}}`, ch)
		bot := w.caller(poster.Workspace, poster.BotUserID)
		data := func(n string) []byte { return []byte(`{"event_type":"task","event_payload":{"n":` + n + `}}`) }
		p := w.post(bot, messaging.PostMessage{Channel: ch, Text: "one", Metadata: data("1")})
		e := w.emitted(1)[0]
		same(t, "posted", []any{e["type"], e["app_id"], e["bot_id"], e["user_id"], e["channel_id"], e["message_ts"]},
			[]any{"message_metadata_posted", poster.ID, poster.BotID, poster.BotUserID, ch, p.TS.String()})
		_, err := w.update(bot, messaging.UpdateMessage{Channel: ch, TS: p.TS.String(), Metadata: data("2")})
		w.no(err)
		e = w.emitted(1)[0]
		same(t, "updated", []any{e["type"], e["previous_metadata"]}, []any{"message_metadata_updated", map[string]any{"event_type": "task", "event_payload": map[string]any{"n": 1.0}}})
		_, err = w.s.DeleteMessage(w.ctx, bot, ch, p.TS.String())
		w.no(err)
		e = w.emitted(1)[0]
		same(t, "deleted", []any{e["type"], e["metadata"]}, []any{"message_metadata_deleted", nil})
		subs, err := w.s.Subscriptions(w.ctx, w.admin, messaging.Events, messaging.Place{}, 10)
		w.no(err)
		var told [][]string
		for _, s := range subs {
			if slices.Contains(s.EventTypes, "message_metadata_posted") {
				told = append(told, w.told(s.ID))
			}
		}
		slices.SortFunc(told, func(a, b []string) int { return len(a) - len(b) })
		same(t, "told", told, [][]string{nil, {"message_metadata_posted", "message_metadata_updated", "message_metadata_deleted"}})
	})
}

func TestLinksOfAnAppsDomains(t *testing.T) {
	run(t, func(w *world) {
		w.routed()
		ch := w.channel(w.admin, "links", false)
		a := w.installed(`{"display_information":{"name":"links"},"features":{"unfurl_domains":["example.com"]},"oauth_config":{"scopes":{"bot":["links:read"]}}}`)
		sub := w.subscribe(a, "link_shared")
		w.say(w.admin, ch, "see https://other.org and notexample.com")
		w.say(w.admin, ch, "see https://docs.example.com/a?b=1&c=2")
		same(t, "told", w.told(sub), []string{"link_shared"})
		e := w.emitted(1)[0]
		links, _ := json.Marshal(e["links"])
		same(t, "links", string(links), `[{"domain":"example.com","url":"https://docs.example.com/a?b=1\u0026c=2"}]`)
		same(t, "member", e["is_bot_user_member"], false)
	})
}

func TestManifestsAreWarnedOfWhatTheyAskInVain(t *testing.T) {
	run(t, func(w *world) {
		a := w.installed(`{"display_information":{"name":"vain"},"oauth_config":{"scopes":{"bot":["app_mentions:read","channels:history"]}},
			"features":{"slash_commands":[{"command":"/nowhere"}],"app_home":{"home_tab_enabled":true}},
			"settings":{"event_subscriptions":{"bot_events":["app_mention","message.channels","pin_added","no_such_thing","reaction_added"]},"socket_mode_enabled":true}}`)
		all := strings.Join(a.Warnings, "\n")
		for _, want := range []string{"pin_added is never sent", "no event type no_such_thing", "reaction_added is not sent without the scope reactions:read",
			"event_subscriptions.request_url", "/nowhere", "socket_mode_enabled", "home_tab_enabled"} {
			if !strings.Contains(all, want) {
				t.Errorf("no warning of %q in %q", want, a.Warnings)
			}
		}
		if strings.Contains(all, "app_mention") || strings.Contains(all, "message.channels") {
			t.Errorf("a warning of what is served: %q", a.Warnings)
		}
		a = w.installed(`{"display_information":{"name":"plain"}}`)
		same(t, "warnings", len(a.Warnings), 0)
		w.refuses(messaging.UnknownEventType, messaging.CheckEventTypes([]string{"no_such_thing"}))
		w.no(messaging.CheckEventTypes([]string{"app_mention", "pin_added", "message.im"}))
	})
}
