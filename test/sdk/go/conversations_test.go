package sdk

import (
	"slices"
	"testing"

	"github.com/slack-go/slack"
)

func TestConversationLife(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.channel(false)
	if c.ID == "" || c.Created == 0 || c.Creator != w.cred.AdminUserID || !c.IsChannel || !c.IsMember {
		t.Errorf("created %+v", c)
	}

	// Methods that answer with the channel must do so: callers use the pointer.
	topic, err := w.user.SetTopicOfConversation(c.ID, "a & b")
	w.must(err)
	if topic == nil || topic.ID != c.ID || topic.Topic.Value != "a &amp; b" || topic.Topic.LastSet == 0 {
		t.Errorf("topic: %+v", topic)
	}
	purpose, err := w.user.SetPurposeOfConversation(c.ID, "why")
	w.must(err)
	if purpose == nil || purpose.ID != c.ID || purpose.Purpose.Value != "why" {
		t.Errorf("purpose: %+v", purpose)
	}
	renamed, err := w.user.RenameConversation(c.ID, name("renamed"))
	w.must(err)
	if renamed == nil || renamed.ID != c.ID || !slices.Contains(renamed.PreviousNames, c.Name) {
		t.Errorf("renamed: %+v", renamed)
	}

	joined, warning, warnings, err := w.bot.JoinConversation(c.ID)
	w.must(err)
	if joined == nil || joined.ID != c.ID || warning != "" || len(warnings) != 0 {
		t.Errorf("joined: %+v, %q, %q", joined, warning, warnings)
	}
	_, warning, warnings, err = w.bot.JoinConversation(c.ID)
	w.must(err)
	if warning != "already_in_channel" || !slices.Equal(warnings, []string{"already_in_channel"}) {
		t.Errorf("second join: %q, %q", warning, warnings)
	}

	info, err := w.bot.GetConversationInfo(&slack.GetConversationInfoInput{ChannelID: c.ID, IncludeLocale: true, IncludeNumMembers: true})
	w.must(err)
	if info.NumMembers != 2 || info.Locale == "" || info.Topic.Value != "a &amp; b" {
		t.Errorf("info: %+v", info)
	}
	notIn, err := w.bot.LeaveConversation(c.ID)
	w.must(err)
	if notIn {
		t.Error("the first leave says not_in_channel")
	}
	if notIn, err = w.bot.LeaveConversation(c.ID); err != nil || !notIn {
		t.Errorf("the second leave: %v, %v; want not_in_channel and no error", notIn, err)
	}
	w.must(w.user.ArchiveConversation(c.ID))
	refused(t, w.user.ArchiveConversation(c.ID), "already_archived")
}

func TestInviteAndKick(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.channel(false)
	invited, err := w.user.InviteUsersToConversation(c.ID, w.cred.BotUserID)
	w.must(err)
	if invited == nil || invited.ID != c.ID {
		t.Errorf("invited: %+v", invited)
	}
	// The client refuses a reply whose errors it does not recognise.
	_, err = w.user.InviteUsersToConversation(c.ID, w.cred.BotUserID, "U0NOTHING00")
	e := refused(t, err, "already_in_channel")
	if len(e.Errors) != 2 {
		t.Errorf("errors: %+v", e.Errors)
	}
	// errors of a kick is an object, for which the client has code of its own.
	w.must(w.user.KickUserFromConversation(c.ID, w.cred.BotUserID))
	refused(t, w.user.KickUserFromConversation(c.ID, w.cred.BotUserID), "not_in_channel")
	forced, err := w.user.ForceInviteUsersToConversation(c.ID, w.cred.BotUserID, "U0NOTHING00")
	if err == nil && (forced == nil || forced.ID != c.ID) {
		t.Errorf("forced: %+v", forced)
	}
	members, cursor, err := w.user.GetUsersInConversation(&slack.GetUsersInConversationParameters{ChannelID: c.ID})
	w.must(err)
	if len(members) != 2 || cursor != "" {
		t.Errorf("members %q, cursor %q", members, cursor)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, noOp, already, err := w.bot.OpenConversation(&slack.OpenConversationParameters{Users: []string{w.cred.AdminUserID}})
	w.must(err)
	if first.ID[0] != 'D' || noOp || already {
		t.Errorf("first open: %+v, %v, %v", first, noOp, already)
	}
	second, noOp, already, err := w.bot.OpenConversation(&slack.OpenConversationParameters{Users: []string{w.cred.AdminUserID}, ReturnIM: true})
	w.must(err)
	if second.ID != first.ID || !noOp || !already || !second.IsIM || second.User != w.cred.AdminUserID {
		t.Errorf("second open: %+v, %v, %v", second, noOp, already)
	}
	w.post(w.bot, first.ID, slack.MsgOptionText("hello", false))
	// With a message in it the channel object carries latest, which must not be a string.
	info, err := w.user.GetConversationInfo(&slack.GetConversationInfoInput{ChannelID: first.ID})
	w.must(err)
	if !info.IsIM || info.User != w.cred.BotUserID {
		t.Errorf("info: %+v", info)
	}
	_, other := w.person()
	group, _, _, err := w.bot.OpenConversation(&slack.OpenConversationParameters{Users: []string{w.cred.AdminUserID, other}})
	w.must(err)
	if group.ID[0] != 'G' {
		t.Errorf("group: %+v", group)
	}
	all, _, err := w.bot.GetConversations(&slack.GetConversationsParameters{Types: []string{"im", "mpim"}})
	w.must(err)
	if len(all) != 2 {
		t.Errorf("%d direct conversations, want 2: %+v", len(all), all)
	}
}

func TestPagesEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.channel(false)
	for range 4 {
		w.channel(false)
	}
	all, err := w.user.GetAllConversations(slack.GetConversationsOptionLimit(2))
	w.must(err)
	if len(all) != 7 { // five, general and random
		t.Errorf("%d conversations, want 7", len(all))
	}
	var posted []string
	for range 7 {
		posted = append(posted, w.post(w.user, c.ID, slack.MsgOptionText("x", false)))
	}
	var read []string
	p := &slack.GetConversationHistoryParameters{ChannelID: c.ID, Limit: 3}
	for range 10 {
		page, err := w.user.GetConversationHistory(p)
		w.must(err)
		for _, m := range page.Messages {
			read = append(read, m.Timestamp)
		}
		if p.Cursor = page.ResponseMetaData.NextCursor; p.Cursor == "" {
			if page.HasMore {
				t.Error("the last page says has_more")
			}
			break
		}
	}
	slices.Reverse(posted)
	if len(read) != 8 || !slices.Equal(read[:7], posted) { // the join comes last
		t.Errorf("read %q, want %q and a join", read, posted)
	}
	users, err := w.user.GetUsers(slack.GetUsersOptionLimit(1))
	w.must(err)
	if len(users) < 2 {
		t.Errorf("%d users", len(users))
	}
}
