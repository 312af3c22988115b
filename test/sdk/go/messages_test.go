package sdk

import (
	"errors"
	"testing"
	"time"

	"github.com/slack-go/slack"
)

func TestAuth(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	me, err := w.bot.AuthTest()
	w.must(err)
	if me.UserID != w.cred.BotUserID || me.BotID != w.cred.BotID || me.TeamID != w.cred.WorkspaceID || me.URL == "" {
		t.Errorf("auth.test: %+v", me)
	}
	if me.Header.Get("X-OAuth-Scopes") == "" {
		t.Error("no X-OAuth-Scopes header")
	}
	_, err = w.client("xoxb-nothing").AuthTest()
	refused(t, err, "invalid_auth")
	_, err = w.client("").AuthTest()
	refused(t, err, "not_authed")
}

func TestPostUpdateDelete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.channel(false).ID
	_, ts, m, err := w.bot.PostMessageWithResponse(c, slack.MsgOptionText("a & b", false))
	w.must(err)
	if !tsForm.MatchString(ts) || m.Text != "a &amp; b" || m.BotID != w.cred.BotID || m.User != w.cred.BotUserID || m.BotProfile == nil || m.BotProfile.AppID != w.cred.AppID {
		t.Errorf("posted %q: %+v", ts, m)
	}
	// The client escapes by itself when asked to: both must read back alike.
	_, _, escaped, err := w.bot.PostMessageWithResponse(c, slack.MsgOptionText("a & b <c>", true))
	w.must(err)
	if escaped.Text != "a &amp; b &lt;c&gt;" {
		t.Errorf("escaped text came back as %q", escaped.Text)
	}
	channel, at, text, err := w.bot.UpdateMessage(c, ts, slack.MsgOptionText("changed", false))
	w.must(err)
	if channel != c || at != ts || text != "changed" {
		t.Errorf("updated: %q %q %q", channel, at, text)
	}
	_, _, err = w.bot.DeleteMessage(c, ts)
	w.must(err)
	_, _, err = w.bot.DeleteMessage(c, ts)
	refused(t, err, "message_not_found")
	_, _, err = w.bot.PostMessage("C0NOTHING00", slack.MsgOptionText("x", false))
	refused(t, err, "channel_not_found")
	_, _, err = w.bot.PostMessage(c)
	refused(t, err, "no_text")
}

// Blocks, attachments and metadata must come back in the form they have, not as strings.
func TestStructuredContentReadsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.channel(false).ID
	w.post(w.user, c, slack.MsgOptionBlocks(
		slack.NewHeaderBlock(slack.NewTextBlockObject("plain_text", "Title", false, false)),
		slack.NewSectionBlock(slack.NewTextBlockObject("mrkdwn", "*x*", false, false), nil, nil),
		slack.NewActionBlock("buttons", slack.NewButtonBlockElement("go", "1", slack.NewTextBlockObject("plain_text", "Go", false, false))),
	), slack.MsgOptionText("fallback", false))
	w.post(w.user, c, slack.MsgOptionAttachments(slack.Attachment{Text: "one", Color: "#36a64f"}, slack.Attachment{Text: "two", Ts: "123456789"}))
	w.post(w.user, c, slack.MsgOptionText("m", false), slack.MsgOptionMetadata(slack.SlackMetadata{EventType: "deployed", EventPayload: map[string]any{"id": 7.0}}))

	page, err := w.user.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: c, IncludeAllMetadata: true, Limit: 3})
	w.must(err)
	withMetadata, withAttachments, withBlocks := page.Messages[0], page.Messages[1], page.Messages[2]
	if withMetadata.Metadata.EventType != "deployed" || withMetadata.Metadata.EventPayload["id"] != 7.0 {
		t.Errorf("metadata: %+v", withMetadata.Metadata)
	}
	if a := withAttachments.Attachments; len(a) != 2 || a[0].ID != 1 || a[1].ID != 2 || a[0].Color != "36a64f" || a[0].Ts != "" || a[1].Ts != "123456789" {
		t.Errorf("attachments: %+v", a)
	}
	if b := withBlocks.Blocks.BlockSet; len(b) != 3 || b[0].BlockType() != "header" || b[1].BlockType() != "section" || b[2].BlockType() != "actions" {
		t.Errorf("blocks: %+v", b)
	}
	_, _, err = w.user.PostMessage(c, slack.MsgOptionBlocks(slack.NewSectionBlock(nil, nil, nil)))
	refused(t, err, "invalid_blocks")
}

func TestThreadsAndReactions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.channel(false).ID
	parent := w.post(w.user, c, slack.MsgOptionText("parent", false))
	for range 3 {
		w.post(w.user, c, slack.MsgOptionText("reply", false), slack.MsgOptionTS(parent))
	}
	loud := w.post(w.user, c, slack.MsgOptionText("loud", false), slack.MsgOptionTS(parent), slack.MsgOptionBroadcast())
	item := slack.NewRefToMessage(c, parent)
	w.must(w.user.AddReaction("wave", item))
	refused(t, w.user.AddReaction("wave", item), "already_reacted")

	msgs, more, _, err := w.user.GetConversationReplies(&slack.GetConversationRepliesParameters{ChannelID: c, Timestamp: parent})
	w.must(err)
	if len(msgs) != 5 || more || msgs[0].ReplyCount != 4 || msgs[0].LatestReply != loud || msgs[0].ReplyUsers[0] != w.cred.AdminUserID {
		t.Errorf("replies: %d, more %v, parent %+v", len(msgs), more, msgs[0].Msg)
	}
	if r := msgs[0].Reactions; len(r) != 1 || r[0].Name != "wave" || r[0].Count != 1 || r[0].Users[0] != w.cred.AdminUserID {
		t.Errorf("reactions: %+v", r)
	}
	page, err := w.user.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: c})
	w.must(err)
	if len(page.Messages) != 3 || page.Messages[0].SubType != slack.MsgSubTypeThreadBroadcast || page.Messages[0].Root == nil || page.Messages[0].Root.Timestamp != parent {
		t.Errorf("history: %d messages, newest %+v", len(page.Messages), page.Messages[0].Msg)
	}
	w.must(w.user.RemoveReaction("wave", item))
	refused(t, w.user.RemoveReaction("wave", item), "no_reaction")
}

func TestSearch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.channel(false)
	ts := w.post(w.user, c.ID, slack.MsgOptionText("a rare wombat", false))
	found, err := w.user.SearchMessages("wombat", slack.NewSearchParameters())
	w.must(err)
	if found.Total != 1 || len(found.Matches) != 1 {
		t.Fatalf("found %+v", found)
	}
	m := found.Matches[0]
	if m.Timestamp != ts || m.Channel.ID != c.ID || m.Channel.Name != c.Name || m.User != w.cred.AdminUserID || m.Permalink == "" {
		t.Errorf("match: %+v", m)
	}
	if found.Paging.Total != 1 || found.Paging.Pages != 1 || found.Pagination.TotalCount != 1 || found.Pagination.PerPage != 20 {
		t.Errorf("paging: %+v %+v", found.Paging, found.Pagination)
	}
	none, err := w.user.SearchMessages("nothinglikethis", slack.NewSearchParameters())
	w.must(err)
	if none.Total != 0 || len(none.Matches) != 0 {
		t.Errorf("found %+v", none)
	}
}

func TestLimitsGiveWholeSeconds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "--rate-limits", "real")
	for n := range 40 {
		err := w.user.SetUserPresence("auto")
		var limited *slack.RateLimitedError
		if errors.As(err, &limited) {
			if n < 20 || limited.RetryAfter < time.Second || limited.RetryAfter > time.Minute {
				t.Errorf("limited after %d calls, for %s", n, limited.RetryAfter)
			}
			return
		}
		w.must(err)
	}
	t.Error("forty calls of a Tier 2 method went through")
}

func TestMissingScopeNamesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bot, _ := w.app("users:read")
	_, _, err := bot.PostMessage(w.channel(false).ID, slack.MsgOptionText("x", false))
	if e := refused(t, err, "missing_scope"); e.Needed != "chat:write" || e.Provided != "users:read" {
		t.Errorf("needed %q, provided %q", e.Needed, e.Provided)
	}
}
