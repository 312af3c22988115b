package messaging_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"understudy/internal/messaging"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/bus"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// world is a workspace with people in it.
type world struct {
	t      *testing.T
	ctx    context.Context
	s      *messaging.Service
	deps   messaging.Deps // of s
	w      *store.World
	clock  *clock.Clock
	outbox *outbox.Outbox
	admin  messaging.Caller
	bot    messaging.Caller
}

func run(t *testing.T, test func(w *world)) {
	storetest.Run(t, []store.Schema{auth.Schema(), outbox.Schema(), messaging.Schema()}, func(t *testing.T, db *store.World) {
		c, source, b := clock.At(start), ids.Seeded(1, 0), &bus.Bus{}
		secrets := ids.NewSecrets([]byte("root"), "lineage")
		a := auth.New(db, c, source, b, secrets)
		o := outbox.New(outbox.Deps{World: db, Clock: c, Bus: b, Log: slog.New(slog.DiscardHandler)})
		deps := messaging.Deps{Clock: c, IDs: source, Secrets: secrets, Auth: a, Outbox: o, Log: slog.New(slog.DiscardHandler),
			WorkspaceURL: func(domain string) string { return "https://" + domain + ".example/" }}
		s := messaging.New(db, deps)
		t.Cleanup(s.Close)
		w := &world{t: t, ctx: context.Background(), s: s, deps: deps, w: db, clock: c, outbox: o}
		w.no(s.Provision(w.ctx, []string{"chat:write"}, []string{"chat:write"}))
		p, err := s.Default(w.ctx)
		w.no(err)
		w.admin = messaging.Caller{User: p.Admin}
		w.bot = w.caller(p.Workspace.ID, p.App.BotUserID)
		test(w)
	})
}

func (w *world) no(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) refuses(want, err error) {
	w.t.Helper()
	if !errors.Is(err, want) {
		w.t.Errorf("got %v, want %v", err, want)
	}
}

func (w *world) caller(workspace, user string) messaging.Caller {
	w.t.Helper()
	c, err := w.s.Caller(w.ctx, &auth.Principal{Tenant: workspace, Subject: user})
	w.no(err)
	return c
}

// person joins the workspace of the admin.
func (w *world) person(name string) messaging.Caller {
	w.t.Helper()
	u, err := w.s.Join(w.ctx, auth.Account{ID: "acc-" + name, Email: name + "@example.com", Name: name}, w.admin.Workspace, "")
	w.no(err)
	return messaging.Caller{User: u.User}
}

func (w *world) channel(c messaging.Caller, name string, private bool) string {
	w.t.Helper()
	ch, err := w.s.CreateChannel(w.ctx, c, messaging.CreateChannel{Name: name, Private: private})
	w.no(err)
	return ch.ID
}

func (w *world) post(c messaging.Caller, in messaging.PostMessage) messaging.Posted {
	w.t.Helper()
	p, err := w.s.PostMessage(w.ctx, c, in)
	w.no(err)
	return p
}

type message struct {
	Type       string
	Subtype    string
	User       string
	Text       string
	TS         string
	ThreadTS   string `json:"thread_ts"`
	ParentUser string `json:"parent_user_id"`
	Replies    int    `json:"reply_count"`
	Repliers   []string
	ReplyUsers []string `json:"reply_users"`
	Latest     string   `json:"latest_reply"`
	Reactions  []struct {
		Name  string
		Users []string
		Count int
	}
	Edited *struct{ User, TS string }
	Root   *struct{ TS string }
}

func (w *world) history(c messaging.Caller, channel string) []message {
	w.t.Helper()
	p, err := w.s.History(w.ctx, c, messaging.History{Channel: channel, Limit: 100}, nil)
	w.no(err)
	return w.decode(p.Messages)
}

func (w *world) decode(list []byte) (out []message) {
	w.t.Helper()
	w.no(json.Unmarshal([]byte("["+string(list)+"]"), &out))
	return out
}

// events returns the types of the newest events, oldest first.
func (w *world) events(n int) (out []string) {
	w.t.Helper()
	w.no(w.w.Read(w.ctx, func(tx *store.Tx) error {
		all, err := w.outbox.Recent(tx, n)
		for _, e := range all {
			var inner struct{ Type, Subtype string }
			if json.Unmarshal(e.Payload, &inner) != nil || inner.Type != e.Type {
				w.t.Errorf("event %s has payload %s", e.Type, e.Payload)
			}
			name := inner.Type
			if inner.Subtype != "" {
				name += "/" + inner.Subtype
			}
			out = append(out, name)
		}
		return err
	}))
	return out
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestAThreadIsCountedOnItsParent(t *testing.T) {
	run(t, func(w *world) {
		ann := w.person("ann")
		ch := w.channel(ann, "plans", false)
		parent := w.post(ann, messaging.PostMessage{Channel: ch, Text: "who comes?"})
		_, _, err := w.s.JoinChannel(w.ctx, w.admin, ch)
		w.no(err)
		w.clock.Advance(time.Second)
		first := w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "I do", ThreadTS: parent.TS.String()})
		second := w.post(ann, messaging.PostMessage{Channel: ch, Text: "good", ThreadTS: first.TS.String(), Broadcast: true})
		h := w.history(ann, ch)
		same(w.t, "listed first", h[0].Subtype+" root "+h[0].Root.TS, "thread_broadcast root "+parent.TS.String())
		got := h[2]
		same(w.t, "parent", []any{got.TS, got.ThreadTS, got.Replies, got.ReplyUsers, got.Latest},
			[]any{parent.TS, parent.TS, 2, []string{w.admin.ID, ann.ID}, second.TS})
		page, err := w.s.Replies(w.ctx, ann, messaging.Replies{Channel: ch, TS: second.TS, Limit: 10})
		w.no(err)
		thread := w.decode(page.Messages)
		same(w.t, "thread", []string{thread[0].TS, thread[1].TS, thread[2].TS}, []messaging.TS{parent.TS, first.TS, second.TS})
		same(w.t, "parent's author", thread[1].ParentUser, ann.ID)

		_, err = w.s.DeleteMessage(w.ctx, ann, ch, second.TS.String())
		w.no(err)
		got = w.history(ann, ch)[1]
		same(w.t, "after a reply is gone", []any{got.Replies, got.ReplyUsers, got.Latest}, []any{1, []string{w.admin.ID}, first.TS})
		_, err = w.s.DeleteMessage(w.ctx, ann, ch, parent.TS.String())
		w.no(err)
		got = w.history(ann, ch)[1]
		same(w.t, "tombstone", []any{got.Subtype, got.User, got.Replies, got.ThreadTS}, []any{"tombstone", "USLACKBOT", 1, parent.TS})
		_, err = w.s.DeleteMessage(w.ctx, ann, ch, parent.TS.String())
		w.refuses(messaging.MessageNotFound, err)
		_, err = w.s.DeleteMessage(w.ctx, w.admin, ch, first.TS.String())
		w.no(err)
		same(w.t, "the tombstone goes with the last reply", len(w.history(ann, ch)), 2)
		_, err = w.s.PostMessage(w.ctx, ann, messaging.PostMessage{Channel: ch, Text: "x", ThreadTS: "1700000000.000001"})
		w.refuses(messaging.ThreadNotFound, err)
	})
}

func TestTimestampsAreUniqueAndGrowWithTheCommits(t *testing.T) {
	run(t, func(w *world) {
		ch := w.channel(w.admin, "busy", false)
		var wg sync.WaitGroup
		for range 8 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for range 25 {
					if _, err := w.s.PostMessage(w.ctx, w.admin, messaging.PostMessage{Channel: ch, Text: "now"}); err != nil {
						t.Error(err)
					}
				}
			}()
		}
		wg.Wait()
		page, err := w.s.History(w.ctx, w.admin, messaging.History{Channel: ch, Limit: 999}, nil)
		w.no(err)
		all := w.decode(page.Messages)
		same(w.t, "messages", len(all), 201)
		for i := 1; i < len(all); i++ {
			if all[i].TS >= all[i-1].TS {
				t.Fatalf("%s stands after %s", all[i].TS, all[i-1].TS)
			}
		}
	})
}

func TestAPrivateChannelIsNotThereForOthers(t *testing.T) {
	run(t, func(w *world) {
		ann, bob := w.person("ann"), w.person("bob")
		ch := w.channel(ann, "secret", true)
		p := w.post(ann, messaging.PostMessage{Channel: ch, Text: "hush"})
		_, err := w.s.Channel(w.ctx, bob, ch)
		w.refuses(messaging.ChannelNotFound, err)
		_, err = w.s.History(w.ctx, bob, messaging.History{Channel: ch, Limit: 1}, nil)
		w.refuses(messaging.ChannelNotFound, err)
		_, err = w.s.PostMessage(w.ctx, bob, messaging.PostMessage{Channel: ch, Text: "hi"})
		w.refuses(messaging.ChannelNotFound, err)
		_, err = w.s.PostMessage(w.ctx, bob, messaging.PostMessage{Channel: "#secret", Text: "hi"})
		w.refuses(messaging.ChannelNotFound, err)
		w.refuses(messaging.ChannelNotFound, w.s.AddReaction(w.ctx, bob, messaging.Reaction{Channel: ch, TS: p.TS, Name: "eyes"}))
		_, _, err = w.s.JoinChannel(w.ctx, bob, ch)
		w.refuses(messaging.ChannelNotFound, err)
		list, _, err := w.s.ListChannels(w.ctx, bob, messaging.ListChannels{Kinds: []messaging.Kind{messaging.Public, messaging.Private}, Limit: 100})
		w.no(err)
		for _, c := range list {
			if c.ID == ch {
				t.Error("the private channel is listed")
			}
		}
		_, err = w.s.CreateChannel(w.ctx, bob, messaging.CreateChannel{Name: "secret"})
		w.refuses(messaging.NameTaken, err)
		_, _, err = w.s.Invite(w.ctx, ann, messaging.Invite{Channel: ch, Users: []string{bob.ID}})
		w.no(err)
		same(w.t, "bob reads", w.history(bob, ch)[1].Text, "hush")
	})
}

func TestWorkspacesNeverSeeEachOther(t *testing.T) {
	run(t, func(w *world) {
		other, err := w.s.ProvisionWorkspace(w.ctx, "Elsewhere", []string{"chat:write"}, nil)
		w.no(err)
		them := w.caller(other.Workspace.ID, other.Admin.ID)
		ch := w.channel(w.admin, "ours", false)
		p := w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "only here"})
		_, err = w.s.Channel(w.ctx, them, ch)
		w.refuses(messaging.ChannelNotFound, err)
		_, err = w.s.PostMessage(w.ctx, them, messaging.PostMessage{Channel: ch, Text: "x"})
		w.refuses(messaging.ChannelNotFound, err)
		_, err = w.s.UpdateMessage(w.ctx, them, messaging.UpdateMessage{Channel: ch, TS: p.TS.String(), Text: new(string)})
		w.refuses(messaging.ChannelNotFound, err)
		_, err = w.s.UserByID(w.ctx, them, w.admin.ID)
		w.refuses(messaging.UserNotFound, err)
		_, err = w.s.Open(w.ctx, them, messaging.OpenConversation{Users: []string{w.admin.ID}})
		w.refuses(messaging.UserNotFound, err)
		users, _, err := w.s.ListUsers(w.ctx, them, "", 100)
		w.no(err)
		same(w.t, "their users", len(users), 3) // with the service's own
		if _, err := w.s.CreateChannel(w.ctx, them, messaging.CreateChannel{Name: "ours"}); err != nil {
			t.Errorf("a name of another workspace is taken: %v", err)
		}
	})
}

func TestUpdateKeepsWhatIsLeftOut(t *testing.T) {
	run(t, func(w *world) {
		ch := w.channel(w.admin, "edits", false)
		p := w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "one", Attachments: []byte(`[{"text":"more"}]`)})
		text := "two"
		up, err := w.s.UpdateMessage(w.ctx, w.admin, messaging.UpdateMessage{Channel: ch, TS: p.TS.String(), Text: &text})
		w.no(err)
		var got struct {
			Text        string
			TS          string
			Attachments []struct{ Text string }
			Edited      struct{ User string }
		}
		w.no(json.Unmarshal(up.Message, &got))
		same(w.t, "updated", []any{got.Text, got.TS, got.Attachments, got.Edited.User}, []any{"two", p.TS, "[{more}]", w.admin.ID})
		up, err = w.s.UpdateMessage(w.ctx, w.admin, messaging.UpdateMessage{Channel: ch, TS: p.TS.String(), Text: &text, Attachments: []byte(`[]`)})
		w.no(err)
		got.Attachments = nil
		w.no(json.Unmarshal(up.Message, &got))
		same(w.t, "attachments", len(got.Attachments), 0)
		_, err = w.s.UpdateMessage(w.ctx, w.bot, messaging.UpdateMessage{Channel: ch, TS: p.TS.String(), Text: &text})
		w.refuses(messaging.CannotUpdate, err)
		_, err = w.s.DeleteMessage(w.ctx, w.bot, ch, p.TS.String())
		w.refuses(messaging.CannotDelete, err)
		same(w.t, "events", w.events(2), "[message/message_changed message/message_changed]")
	})
}

func TestOneConversationForTheSamePeople(t *testing.T) {
	run(t, func(w *world) {
		ann, bob := w.person("ann"), w.person("bob")
		open := func(c messaging.Caller, users ...string) messaging.Opened {
			o, err := w.s.Open(w.ctx, c, messaging.OpenConversation{Users: users})
			w.no(err)
			return o
		}
		im := open(ann, bob.ID)
		same(w.t, "kind", []any{im.Channel.Kind, im.Existed}, []any{messaging.IM, false})
		again := open(bob, ann.ID)
		same(w.t, "again", []any{again.Channel.ID, again.Existed}, []any{im.Channel.ID, true})
		group := open(ann, bob.ID, w.admin.ID)
		same(w.t, "group", []any{group.Channel.Kind, group.Channel.Name}, []any{messaging.MPIM, "mpdm-ann--bob--admin-1"})
		same(w.t, "group again", open(w.admin, ann.ID, bob.ID).Channel.ID, group.Channel.ID)
		p := w.post(ann, messaging.PostMessage{Channel: bob.ID, Text: "psst"})
		same(w.t, "posted to a user", p.Channel, im.Channel.ID)
		_, err := w.s.Channel(w.ctx, w.admin, im.Channel.ID)
		w.refuses(messaging.ChannelNotFound, err)
		_, err = w.s.Open(w.ctx, ann, messaging.OpenConversation{Users: []string{"U0NOBODY123"}})
		w.refuses(messaging.UserNotFound, err)
	})
}

func TestMembershipHasItsRulesAndTellsOfItself(t *testing.T) {
	run(t, func(w *world) {
		ann, bob := w.person("ann"), w.person("bob")
		ch := w.channel(ann, "club", false)
		same(w.t, "creating", w.events(3), "[channel_created message/channel_join member_joined_channel]")
		_, failed, err := w.s.Invite(w.ctx, ann, messaging.Invite{Channel: ch, Users: []string{bob.ID, "U0NOBODY123"}})
		w.refuses(messaging.UserNotFound, err)
		same(w.t, "failed", failed, "[{U0NOBODY123 false user_not_found}]")
		members, _, err := w.s.Members(w.ctx, ann, ch, "", 10)
		w.no(err)
		same(w.t, "nobody came", members, []string{ann.ID})
		_, failed, err = w.s.Invite(w.ctx, ann, messaging.Invite{Channel: ch, Users: []string{bob.ID, "U0NOBODY123"}, Force: true})
		w.no(err)
		same(w.t, "who could not", len(failed), 1)
		w.refuses(messaging.CannotKickSelf, w.s.Kick(w.ctx, ann, ch, ann.ID))
		w.no(w.s.Kick(w.ctx, ann, ch, bob.ID))
		same(w.t, "kicking", w.events(2), "[message/channel_leave member_left_channel]")
		w.refuses(messaging.NotInChannel, w.s.Kick(w.ctx, ann, ch, bob.ID))
		_, err = w.s.PostMessage(w.ctx, bob, messaging.PostMessage{Channel: ch, Text: "let me in"})
		w.refuses(messaging.NotInChannel, err)
		_, already, err := w.s.JoinChannel(w.ctx, bob, ch)
		w.no(err)
		same(w.t, "was in it", already, false)
		w.no(w.s.Archive(w.ctx, ann, ch))
		same(w.t, "archiving", w.events(2), "[message/channel_archive channel_archive]")
		w.refuses(messaging.AlreadyArchived, w.s.Archive(w.ctx, ann, ch))
		_, err = w.s.PostMessage(w.ctx, ann, messaging.PostMessage{Channel: ch, Text: "late"})
		w.refuses(messaging.IsArchived, err)
		_, err = w.s.SetTopic(w.ctx, ann, ch, "late")
		w.refuses(messaging.IsArchived, err)
		same(w.t, "still readable", w.history(bob, ch)[0].Subtype, "channel_archive")
	})
}

func TestReactionsAreListedInTheOrderOfFirstUse(t *testing.T) {
	run(t, func(w *world) {
		ann := w.person("ann")
		ch := w.channel(ann, "votes", false)
		_, _, err := w.s.JoinChannel(w.ctx, w.admin, ch)
		w.no(err)
		p := w.post(ann, messaging.PostMessage{Channel: ch, Text: "vote"})
		react := func(c messaging.Caller, name string) error {
			w.clock.Advance(time.Second)
			return w.s.AddReaction(w.ctx, c, messaging.Reaction{Channel: ch, TS: p.TS, Name: name})
		}
		w.no(react(ann, "tada"))
		w.no(react(w.admin, ":thumbsup:"))
		w.no(react(ann, "+1"))
		w.refuses(messaging.AlreadyReacted, react(ann, "thumbsup"))
		w.refuses(messaging.BadEmojiName, react(ann, "no such emoji"))
		same(w.t, "reactions", w.history(ann, ch)[0].Reactions,
			fmt.Sprintf("[{tada [%s] 1} {+1 [%s %s] 2}]", ann.ID, w.admin.ID, ann.ID))
		gone := messaging.Reaction{Channel: ch, TS: p.TS, Name: "tada"}
		w.refuses(messaging.NoReaction, w.s.RemoveReaction(w.ctx, w.admin, gone))
		w.no(w.s.RemoveReaction(w.ctx, ann, gone))
		same(w.t, "after removal", len(w.history(ann, ch)[0].Reactions), 1)
		same(w.t, "events", w.events(2), "[reaction_added reaction_removed]")
	})
}

func TestReactionsKeepTheirOrder(t *testing.T) {
	run(t, func(w *world) {
		ch := w.channel(w.admin, "votes", false)
		p := w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "vote"})
		_, _, err := w.s.JoinChannel(w.ctx, w.bot, ch)
		w.no(err)
		react := func(c messaging.Caller, name string) { // the clock does not move
			w.no(w.s.AddReaction(w.ctx, c, messaging.Reaction{Channel: ch, TS: p.TS, Name: name}))
		}
		react(w.bot, "zap")
		react(w.bot, "heart")
		react(w.admin, "zap")
		same(w.t, "at one moment", w.history(w.admin, ch)[1].Reactions,
			fmt.Sprintf("[{zap [%s %s] 2} {heart [%s] 1}]", w.bot.ID, w.admin.ID, w.bot.ID))
		w.no(w.s.RemoveReaction(w.ctx, w.bot, messaging.Reaction{Channel: ch, TS: p.TS, Name: "zap"}))
		same(w.t, "without the first person", w.history(w.admin, ch)[1].Reactions,
			fmt.Sprintf("[{zap [%s] 1} {heart [%s] 1}]", w.admin.ID, w.bot.ID))
		w.no(w.s.RemoveReaction(w.ctx, w.admin, messaging.Reaction{Channel: ch, TS: p.TS, Name: "zap"}))
		react(w.admin, "zap")
		same(w.t, "after nobody", w.history(w.admin, ch)[1].Reactions,
			fmt.Sprintf("[{heart [%s] 1} {zap [%s] 1}]", w.bot.ID, w.admin.ID))
	})
}

func TestTheSameClientMessageIsPostedOnce(t *testing.T) {
	run(t, func(w *world) {
		ch := w.channel(w.admin, "once", false)
		in := messaging.PostMessage{Channel: ch, Text: "x", ClientMsgID: "8d3cbe5d-7f39-4d2b-8b58-2f7cbbd0d8a3"}
		first, second := w.post(w.admin, in), w.post(w.admin, in)
		same(w.t, "second", []any{second.TS, second.Duplicate}, []any{first.TS, true})
		same(w.t, "messages", len(w.history(w.admin, ch)), 2)
	})
}

func TestRotationEndsTheOldTokensAndKeepsTheIds(t *testing.T) {
	run(t, func(w *world) {
		before, err := w.s.Default(w.ctx)
		w.no(err)
		after, err := w.s.Rotate(w.ctx, before.Workspace.ID)
		w.no(err)
		_, err = w.s.Auth.Resolve(w.ctx, messaging.Name, before.Secrets.BotToken)
		w.refuses(auth.Revoked, err)
		p, err := w.s.Auth.Resolve(w.ctx, messaging.Name, after.Secrets.BotToken)
		w.no(err)
		same(w.t, "bot", []any{p.Subject, after.App.ID}, []any{before.App.BotUserID, before.App.ID})
		if after.Secrets.SigningSecret == before.Secrets.SigningSecret || after.AdminPassword == before.AdminPassword {
			w.t.Error("signing secret or password stayed")
		}
	})
}

func TestPagesOfAHistoryMeet(t *testing.T) {
	run(t, func(w *world) {
		ch := w.channel(w.admin, "long", false)
		for i := range 25 {
			w.post(w.admin, messaging.PostMessage{Channel: ch, Text: fmt.Sprint(i)})
		}
		var got []string
		in := messaging.History{Channel: ch, Limit: 10}
		for {
			page, err := w.s.History(w.ctx, w.admin, in, nil)
			w.no(err)
			for _, m := range w.decode(page.Messages) {
				got = append(got, m.Text)
			}
			if !page.More {
				break
			}
			in.Before = page.Next
			w.post(w.admin, messaging.PostMessage{Channel: ch, Text: "in between"})
		}
		same(w.t, "messages", len(got), 26)
		for i := range 25 {
			same(w.t, "order", got[i], 24-i)
		}
	})
}

func TestSearchFindsWhatTheCallerMaySee(t *testing.T) {
	run(t, func(w *world) {
		ann, bob := w.person("ann"), w.person("bob")
		open, closed := w.channel(ann, "town", false), w.channel(ann, "vault", true)
		w.post(ann, messaging.PostMessage{Channel: open, Text: "the deploy of *Friday* failed, see https://ci.example/run"})
		hidden := w.post(ann, messaging.PostMessage{Channel: closed, Text: "deploy secrets"})
		w.clock.Advance(48 * time.Hour)
		late := w.post(ann, messaging.PostMessage{Channel: open, Text: "deploy again"})
		w.post(ann, messaging.PostMessage{Channel: open, Text: "yes", ThreadTS: late.TS.String()})
		w.no(w.s.AddReaction(w.ctx, ann, messaging.Reaction{Channel: open, TS: late.TS, Name: "tada"}))
		find := func(c messaging.Caller, query string) (out []string) {
			t.Helper()
			f, err := w.s.Search(w.ctx, c, messaging.Search{Query: query, Count: 20, ByTime: true})
			w.no(err)
			same(t, query+": total", f.Total, len(f.Matches))
			for _, m := range f.Matches {
				out = append(out, m.Text)
			}
			return out
		}
		first := "the deploy of *Friday* failed, see <https://ci.example/run>"
		for query, want := range map[string][]string{
			"deploy":                 {"deploy again", first},
			"DEPLOY fri*":            {first},
			`"deploy again"`:         {"deploy again"},
			`"again deploy"`:         nil,
			"deploy -again":          {first},
			"from:@ann":              {"yes", "deploy again", first},
			"from:bob":               nil,
			"from:me deploy":         nil,
			"in:#town deploy":        {"deploy again", first},
			"in:general deploy":      nil,
			"in:nowhere deploy":      nil,
			"-in:town deploy":        nil,
			"has:link":               {first},
			"has::tada:":             {"deploy again"},
			"has:reaction":           {"deploy again"},
			"hasmy::tada:":           nil,
			"is:thread":              {"yes", "deploy again"},
			"deploy before:today":    {first},
			"deploy on:today":        {"deploy again"},
			"deploy after:yesterday": {"deploy again"},
			"joined":                 nil, // system messages are not found
		} {
			same(t, query, find(bob, query), want)
		}
		same(t, "ann sees more", find(ann, "deploy"), []string{"deploy again", "deploy secrets", first})
		text := "moved on"
		_, err := w.s.UpdateMessage(w.ctx, ann, messaging.UpdateMessage{Channel: open, TS: late.TS.String(), Text: &text})
		w.no(err)
		same(t, "after an edit", find(bob, "again"), []string(nil))
		same(t, "the new words", find(bob, "moved"), []string{"moved on"})
		_, err = w.s.DeleteMessage(w.ctx, ann, closed, hidden.TS.String())
		w.no(err)
		same(t, "after a deletion", find(ann, "secrets"), []string(nil))
		_, err = w.s.Search(w.ctx, ann, messaging.Search{Query: " ", Count: 1})
		w.refuses(messaging.NoQuery, err)
	})
}
