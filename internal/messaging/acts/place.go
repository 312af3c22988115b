package acts

import (
	"context"
	"net/url"
	"regexp"
	"strings"

	"understudy/internal/platform/fault"
)

var (
	conversationID = regexp.MustCompile(`^[CDG][A-Z0-9]{8,}$`)
	userID         = regexp.MustCompile(`^[UWB][A-Z0-9]{8,}$`)
)

var (
	channelNotFound = fault.New(fault.Unprocessable, "channel_not_found", "There is no such conversation that this person can see.")
	userNotFound    = fault.New(fault.Unprocessable, "user_not_found", "There is nobody with this id, handle or e-mail address.")
	noChannel       = fault.New(fault.Invalid, "invalid_value", "must name a conversation: #name, an id, or @handle for a direct message").At("channel")
)

// mostPages bounds the pages that a search for a name reads.
const mostPages = 50

// conversation returns the id of a conversation: by #name, by id, or by the
// @handle of the other person. With open it opens a direct conversation that does
// not exist yet. It returns channelNotFound and userNotFound.
func (p *finder) conversation(ctx context.Context, name string, open bool) (string, error) {
	switch {
	case name == "":
		return "", noChannel
	case conversationID.MatchString(name):
		return name, nil
	case strings.HasPrefix(name, "@"), userID.MatchString(name):
		return p.direct(ctx, name, open)
	}
	name = strings.TrimPrefix(name, "#")
	path := "/api/client/channels?archived=true&limit=200&q=" + url.QueryEscape(name)
	for cursor, pages := "", 0; pages < mostPages; pages++ {
		var page struct {
			Channels []struct{ ID, Name string }
			Next     string `json:"next_cursor"`
		}
		if err := p.look(ctx, path+"&cursor="+cursor, &page); err != nil {
			return "", err
		}
		for _, ch := range page.Channels {
			if ch.Name == name {
				return ch.ID, nil
			}
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	return "", channelNotFound
}

// direct returns the id of the direct conversation with a person.
func (p *finder) direct(ctx context.Context, name string, open bool) (string, error) {
	user, err := p.user(ctx, name)
	if err != nil {
		return "", err
	}
	b, err := p.boot(ctx)
	if err != nil {
		return "", err
	}
	for _, ch := range b.Channels {
		if ch.User == user {
			return ch.ID, nil
		}
	}
	if !open {
		return "", channelNotFound
	}
	var opened struct{ Channel struct{ ID string } }
	err = p.method(ctx, "conversations.open", map[string]any{"users": user}, &opened)
	return opened.Channel.ID, err
}

// bootReply is the part of a client's initial state that acts read.
type bootReply struct {
	Channels []struct {
		ID, User, Latest string
		LastRead         string `json:"last_read"`
	}
	Shortcuts []struct {
		App      string `json:"app_id"`
		AppName  string `json:"app_name"`
		Callback string `json:"callback_id"`
		Type     string
	}
}

func (p *finder) boot(ctx context.Context) (b bootReply, err error) {
	return b, p.look(ctx, "/api/client/boot", &b)
}

// user returns the id of a user of the workspace, by id, handle or e-mail
// address. It returns userNotFound.
func (p *finder) user(ctx context.Context, name string) (string, error) {
	if userID.MatchString(name) {
		return name, nil
	}
	name = strings.TrimPrefix(name, "@")
	query := ""
	if !strings.Contains(name, "@") { // the list cannot be queried by address
		query = "&q=" + url.QueryEscape(name)
	}
	for cursor, pages := "", 0; pages < mostPages; pages++ {
		var page struct {
			People []struct {
				ID, Name string
				Profile  struct{ Email string }
			}
			Next string `json:"next_cursor"`
		}
		if err := p.look(ctx, "/api/client/people?limit=200"+query+"&cursor="+cursor, &page); err != nil {
			return "", err
		}
		for _, u := range page.People {
			if strings.EqualFold(u.Name, name) || u.Profile.Email != "" && strings.EqualFold(u.Profile.Email, name) {
				return u.ID, nil
			}
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	return "", userNotFound
}
