package sdk

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
)

// app is an app in Go as its makers write them: it verifies, parses and keeps what comes.
type eventApp struct {
	mu     sync.Mutex
	events []slackevents.EventsAPIEvent
	errs   []error
	types  map[string]bool
}

func (a *eventApp) ServeHTTP(w http.ResponseWriter, r *http.Request, secret, token string) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		var v slack.SecretsVerifier
		if v, err = slack.NewSecretsVerifier(r.Header, secret); err == nil {
			_, _ = v.Write(body)
			err = v.Ensure()
		}
	}
	var e slackevents.EventsAPIEvent
	if err == nil {
		e, err = slackevents.ParseEvent(json.RawMessage(body), slackevents.OptionVerifyToken(&slackevents.TokenComparator{VerificationToken: token}))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		a.errs = append(a.errs, err)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	if e.Type == slackevents.URLVerification {
		var c slackevents.ChallengeResponse
		_ = json.Unmarshal(body, &c)
		_, _ = w.Write([]byte(c.Challenge))
		return
	}
	a.events = append(a.events, e)
	kind := e.InnerEvent.Type
	if m, ok := e.InnerEvent.Data.(*slackevents.MessageEvent); ok && m.SubType != "" {
		kind += "/" + m.SubType
	}
	a.types[kind] = true
}

func TestEveryEventParses(t *testing.T) {
	w := newWorld(t)
	a := &eventApp{types: map[string]bool{}}
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		a.ServeHTTP(rw, r, w.cred.SigningSecret, w.cred.VerificationToken)
	}))
	t.Cleanup(s.Close)
	types := []string{"message", "reaction_added", "reaction_removed", "channel_created", "channel_archive", "member_joined_channel",
		"member_left_channel", "user_change", "presence_change"}
	var sub struct{ ID, Status string }
	w.rest("/api/events/subscribe", w.cred.UserToken, map[string]any{"url": s.URL, "event_types": types}, &sub)
	if sub.Status != "active" {
		t.Fatalf("%+v", sub)
	}

	ann, annID := w.person()
	ch, err := w.bot.CreateConversation(slack.CreateConversationParams{ChannelName: name("events")})
	w.must(err)
	_, _, _, err = ann.JoinConversation(ch.ID)
	w.must(err)
	ts := w.post(ann, ch.ID, slack.MsgOptionText("first", false), slack.MsgOptionAttachments(slack.Attachment{Text: "a", Fallback: "b"}))
	w.must(ann.AddReaction("tada", slack.NewRefToMessage(ch.ID, ts)))
	w.must(ann.RemoveReaction("tada", slack.NewRefToMessage(ch.ID, ts)))
	w.post(ann, ch.ID, slack.MsgOptionText("reply", false), slack.MsgOptionTS(ts), slack.MsgOptionBroadcast())
	_, _, _, err = ann.UpdateMessage(ch.ID, ts, slack.MsgOptionText("changed", false))
	w.must(err)
	// The parent of a thread would leave a tombstone, and message_changed.
	_, _, err = ann.DeleteMessage(ch.ID, w.post(ann, ch.ID, slack.MsgOptionText("gone", false)))
	w.must(err)
	w.post(w.bot, ch.ID, slack.MsgOptionText("renamed", false), slack.MsgOptionUsername("robot"))
	_, err = w.bot.SetTopicOfConversation(ch.ID, "topic")
	w.must(err)
	_, err = w.bot.SetPurposeOfConversation(ch.ID, "purpose")
	w.must(err)
	_, err = w.bot.RenameConversation(ch.ID, name("renamed"))
	w.must(err)
	w.must(ann.SetUserCustomStatus("busy", ":tada:", 0))
	w.must(ann.SetUserPresence("away"))
	_, err = ann.LeaveConversation(ch.ID)
	w.must(err)
	w.must(w.bot.ArchiveConversation(ch.ID))
	var hook struct{ URL string }
	w.rest("/api/webhooks/incoming", w.cred.UserToken, map[string]string{"channel": "general"}, &hook)
	w.must(slack.PostWebhook(hook.URL, &slack.WebhookMessage{Text: "hook"}))

	want := []string{"message", "message/channel_join", "message/channel_leave", "message/channel_topic", "message/channel_purpose", "message/channel_name",
		"message/channel_archive", "message/message_changed", "message/message_deleted", "message/thread_broadcast", "message/bot_message"}
	want = append(want, types[1:]...)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		a.mu.Lock()
		missing := []string{}
		for _, k := range want {
			if !a.types[k] {
				missing = append(missing, k)
			}
		}
		for _, err := range a.errs {
			t.Error(err)
		}
		failed := len(a.errs) > 0
		a.mu.Unlock()
		if len(missing) == 0 || failed {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("not delivered: %v", missing)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range a.events {
		switch x := e.InnerEvent.Data.(type) {
		case *slackevents.MessageEvent:
			if x.SubType == "message_changed" && (x.Message == nil || x.Message.Text != "changed" || x.PreviousMessage == nil) {
				t.Errorf("%+v", x)
			}
			if x.Channel == "" || x.ChannelType == "" || !tsForm.MatchString(x.EventTimeStamp) {
				t.Errorf("%+v", x)
			}
		case *slackevents.MemberJoinedChannelEvent:
			if x.User == annID && (x.Channel != "" && x.ChannelType != "C" || x.Team != w.cred.WorkspaceID) {
				t.Errorf("%+v", x)
			}
		case *slackevents.ReactionAddedEvent:
			if x.Reaction != "tada" || x.Item.Timestamp != ts || x.ItemUser != annID {
				t.Errorf("%+v", x)
			}
		}
	}
}
