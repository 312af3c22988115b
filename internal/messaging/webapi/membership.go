package webapi

import (
	"context"

	"understudy/internal/messaging"
	"understudy/internal/messaging/webapi/args"
)

func join(c *call) (*reply, error) {
	id, err := c.channel()
	if err != nil {
		return nil, err
	}
	ch, already, err := c.service.JoinChannel(c.r.Context(), c.caller, id)
	if err != nil {
		return nil, err
	}
	r := ok().value("channel", c.conversation(ch, view{}))
	if already {
		r.warn("already_in_channel")
	}
	return r, nil
}

func leave(c *call) (*reply, error) {
	id, err := c.channel()
	if err != nil {
		return nil, err
	}
	was, err := c.service.Leave(c.r.Context(), c.caller, id)
	if err != nil {
		return nil, err
	}
	r := ok()
	if !was {
		r.flag("not_in_channel", true)
	}
	return r, nil
}

func archive(c *call) (*reply, error) {
	id, err := c.channel()
	if err != nil {
		return nil, err
	}
	return ok(), c.service.Archive(c.r.Context(), c.caller, id)
}

func invite(c *call) (*reply, error) {
	id, err := c.channel()
	if err != nil {
		return nil, err
	}
	users, _ := c.args.List("users")
	ch, failed, err := c.service.Invite(c.r.Context(), c.caller,
		messaging.Invite{Channel: id, Users: users, Force: c.args.Bool("force", false)})
	if err != nil {
		return nil, err
	}
	r := ok().value("channel", c.conversation(ch, view{}))
	if len(failed) > 0 {
		r.value("errors", failed)
	}
	return r, nil
}

func kick(c *call) (*reply, error) {
	id, err := c.channel()
	if err != nil {
		return nil, err
	}
	user := c.text("user")
	if user == "" {
		return nil, args.Missing("user")
	}
	if err := c.service.Kick(c.r.Context(), c.caller, id, user); err != nil {
		return nil, err
	}
	return ok().raw("errors", []byte("{}")), nil
}

func rename(c *call) (*reply, error) {
	id, err := c.channel()
	if err != nil {
		return nil, err
	}
	ch, err := c.service.Rename(c.r.Context(), c.caller, id, c.text("name"))
	if err != nil {
		return nil, err
	}
	return ok().value("channel", c.conversation(ch, view{})), nil
}

func setTopic(c *call) (*reply, error) {
	return c.setLabel("topic", c.service.SetTopic, func(ch *messaging.Channel) string { return ch.Topic.Value })
}

func setPurpose(c *call) (*reply, error) {
	return c.setLabel("purpose", c.service.SetPurpose, func(ch *messaging.Channel) string { return ch.Purpose.Value })
}

// setLabel replies with the channel and, for older clients, the text.
func (c *call) setLabel(name string, set func(context.Context, messaging.Caller, string, string) (*messaging.Channel, error),
	value func(*messaging.Channel) string) (*reply, error) {
	id, err := c.channel()
	if err != nil {
		return nil, err
	}
	text, present := c.args.String(name)
	if !present {
		return nil, args.Missing(name)
	}
	ch, err := set(c.r.Context(), c.caller, id, text)
	if err != nil {
		return nil, err
	}
	return ok().value("channel", c.conversation(ch, view{})).text(name, value(ch)), nil
}

func open(c *call) (*reply, error) {
	users, _ := c.args.List("users")
	out, err := c.service.Open(c.r.Context(), c.caller, messaging.OpenConversation{Users: users, Channel: c.text("channel"),
		Prevent: c.args.Bool("prevent_creation", false)})
	if err != nil {
		return nil, err
	}
	r := ok()
	if out.Existed {
		r.flag("no_op", true).flag("already_open", true)
	}
	if out.Channel.Kind == messaging.MPIM || c.args.Bool("return_im", false) {
		return r.value("channel", c.conversation(out.Channel, view{opened: true, latest: out.Latest})), nil
	}
	return r.value("channel", map[string]string{"id": out.Channel.ID}), nil
}
