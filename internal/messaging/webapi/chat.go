package webapi

import (
	"understudy/internal/messaging"
)

func authTest(c *call) (*reply, error) {
	team, err := c.service.Workspace(c.r.Context(), c.caller)
	if err != nil {
		return nil, err
	}
	r := ok().text("url", c.service.WorkspaceURL(team.Domain)).text("team", team.Name).text("user", c.caller.Name).
		text("team_id", team.ID).text("user_id", c.caller.ID)
	if c.caller.IsBot() {
		r.text("bot_id", c.caller.BotID)
	}
	return r.flag("is_enterprise_install", false), nil
}

// raw returns a structured argument, or nil.
func (c *call) raw(name string) []byte {
	v, _ := c.args.Raw(name)
	return v
}

func (c *call) text(name string) string {
	s, _ := c.args.String(name)
	return s
}

func postMessage(c *call) (*reply, error) {
	in := messaging.PostMessage{
		Channel: c.text("channel"), Text: c.text("text"), Markdown: c.text("markdown_text"),
		Blocks: c.raw("blocks"), Attachments: c.raw("attachments"), Metadata: c.raw("metadata"),
		ThreadTS: c.text("thread_ts"), Broadcast: c.args.Bool("reply_broadcast", false),
		NoMrkdwn: !c.args.Bool("mrkdwn", true), Parse: c.text("parse"), LinkNames: c.args.Bool("link_names", false),
		Username: c.text("username"), IconEmoji: c.text("icon_emoji"), IconURL: c.text("icon_url"), ClientMsgID: c.text("client_msg_id"),
	}
	if in.Username+in.IconEmoji+in.IconURL != "" && !c.has("chat:write.customize") {
		return nil, c.missing([]string{"chat:write.customize"})
	}
	out, err := c.service.PostMessage(c.r.Context(), c.caller, in)
	if err != nil {
		return nil, err
	}
	r := okWith(len(out.Message)+96).text("channel", out.Channel).text("ts", out.TS.String()).raw("message", out.Message)
	if out.Duplicate {
		r.flag("is_duplicate", true)
	}
	if out.Truncated {
		r.warn("message_truncated")
	}
	return r, nil
}

func updateMessage(c *call) (*reply, error) {
	in := messaging.UpdateMessage{
		Channel: c.text("channel"), TS: c.text("ts"), Markdown: c.text("markdown_text"),
		Blocks: c.raw("blocks"), Attachments: c.raw("attachments"), Metadata: c.raw("metadata"),
		Parse: c.text("parse"), LinkNames: c.args.Bool("link_names", false), Broadcast: c.args.Bool("reply_broadcast", false),
	}
	if text, present := c.args.String("text"); present && (text != "" || in.Blocks == nil && in.Attachments == nil && in.Metadata == nil && in.Markdown == "" && !in.Broadcast) {
		in.Text = &text
	}
	out, err := c.service.UpdateMessage(c.r.Context(), c.caller, in)
	if err != nil {
		return nil, err
	}
	return okWith(len(out.Message)+len(out.Text)+112).text("channel", out.Channel).text("ts", out.TS.String()).text("text", out.Text).raw("message", out.Message), nil
}

func deleteMessage(c *call) (*reply, error) {
	channel := c.text("channel")
	ts, err := c.service.DeleteMessage(c.r.Context(), c.caller, channel, c.text("ts"))
	if err != nil {
		return nil, err
	}
	return ok().text("channel", channel).text("ts", ts.String()), nil
}
