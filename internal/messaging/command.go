package messaging

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

	"understudy/internal/platform/store"
)

// Command is a slash command of an app.
type Command struct {
	Workspace    string
	ID           string
	App          string
	Command      string // with its leading slash
	URL          string
	Description  string
	UsageHint    string
	ShouldEscape bool
	Creator      string
	Created      int64 // microseconds
}

// NewCommand are the parameters of CreateCommand.
type NewCommand struct {
	Command      string
	URL          string
	Description  string
	UsageHint    string
	ShouldEscape bool
}

// CreateCommand registers a slash command. It returns BadCommand, BadURL,
// TooLong, or CommandTaken when the workspace already has a command of that name.
func (s *Service) CreateCommand(ctx context.Context, c Caller, app *App, in NewCommand) (*Command, error) {
	cmd, err := s.newCommand(c, app, in)
	if err != nil {
		return nil, err
	}
	err = s.world.Write(ctx, func(tx *store.Tx) error {
		made, err := insertCommand(tx, cmd)
		if err == nil && !made {
			err = CommandTaken.At("command")
		}
		return err
	})
	return cmd, err
}

// newCommand returns a slash command that is not stored yet. It returns
// BadCommand, BadURL and TooLong.
func (s *Service) newCommand(c Caller, app *App, in NewCommand) (*Command, error) {
	switch {
	case !commandForm.MatchString(in.Command):
		return nil, BadCommand.At("command")
	case utf8.RuneCountInString(in.Description) > 2000 || utf8.RuneCountInString(in.UsageHint) > 1000:
		return nil, TooLong
	}
	if err := CheckURL(in.URL); err != nil {
		return nil, err
	}
	return &Command{Workspace: c.Workspace, ID: s.IDs.Object("CM"), App: app.ID, Command: in.Command, URL: in.URL,
		Description: in.Description, UsageHint: in.UsageHint, ShouldEscape: in.ShouldEscape, Creator: c.ID, Created: s.Clock.Micros()}, nil
}

// Commands lists the slash commands of the caller's workspace after a place,
// oldest first, at most limit. URL is "" for commands that the caller does not
// manage.
func (s *Service) Commands(ctx context.Context, c Caller, after Place, limit int) (out []*Command, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		if out, err = listCommands(tx, c.Workspace, after, limit); err != nil {
			return err
		}
		for _, cmd := range out {
			err := s.checkOwner(tx, c, cmd.Creator, cmd.App)
			if errors.Is(err, NotOwner) {
				cmd.URL, err = "", nil
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// DeleteCommand removes a slash command. It returns CommandNotFound and NotOwner.
func (s *Service) DeleteCommand(ctx context.Context, c Caller, id string) error {
	return s.world.Write(ctx, func(tx *store.Tx) error {
		found, err := queryCommands(tx, `workspace = ? AND id = ?`, c.Workspace, id)
		if err != nil || len(found) == 0 {
			return orElse(err, CommandNotFound)
		}
		if err := s.checkOwner(tx, c, found[0].Creator, found[0].App); err != nil {
			return err
		}
		return deleteCommand(tx, c.Workspace, id)
	})
}

// Invocation is the request for an app that a slash command causes.
type Invocation struct {
	Command  *Command
	App      *App
	Secrets  Secrets
	Text     string
	Channel  *Channel
	Team     *Workspace
	Response string // the secret of the response_url
	Trigger  string
}

// Invoke prepares the request for a slash command that the caller typed in a
// channel. It returns CommandNotFound, ChannelNotFound or IsArchived.
func (s *Service) Invoke(ctx context.Context, c Caller, command, text, channel string) (*Invocation, error) {
	in := &Invocation{Text: text}
	err := s.world.Read(ctx, func(tx *store.Tx) error {
		found, err := queryCommands(tx, `workspace = ? AND command = ?`, c.Workspace, command)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return CommandNotFound
		}
		in.Command = found[0]
		if in.App, err = getApp(tx, c.Workspace, in.Command.App); err != nil {
			return err
		}
		if in.App == nil {
			return CommandNotFound
		}
		in.Team, err = getWorkspace(tx, c.Workspace)
		return err
	})
	if err != nil {
		return nil, err
	}
	if in.Channel, err = s.named(ctx, c, channel); err != nil {
		return nil, err
	}
	if in.Channel.Archived {
		return nil, IsArchived
	}
	if in.Command.ShouldEscape {
		in.Text = s.escapeMentions(ctx, c, text)
	}
	if in.Secrets, _, err = s.CommandSecrets(ctx, in.Command, in.App); err != nil {
		return nil, err
	}
	in.Trigger = s.trigger()
	in.Response, err = s.newResponse(ctx, response{workspace: c.Workspace, app: in.App.ID, channel: in.Channel.ID, user: c.ID})
	return in, err
}

// trigger generates a trigger_id.
func (s *Service) trigger() string {
	return s.IDs.Digits(13) + "." + s.IDs.Digits(12) + "." + s.IDs.Hex(32)
}

var mention = regexp.MustCompile(`(^|[^\p{L}\p{N}_.+<@#-])([@#])([\p{L}\p{N}_.-]+)`)

// escapeMentions replaces the names of people and channels in a text by their
// ids.
func (s *Service) escapeMentions(ctx context.Context, c Caller, text string) string {
	r := resolver{ctx, s, c}
	return mention.ReplaceAllStringFunc(text, func(all string) string {
		m := mention.FindStringSubmatch(all)
		find := r.UserID
		if m[2] == "#" {
			find = r.ChannelID
		}
		for _, name := range unique([]string{m[3], strings.TrimRight(m[3], "._-")}) { // "@bob." at the end of a sentence
			if id, ok := find(strings.ToLower(name)); ok && name != "" {
				return m[1] + "<" + m[2] + id + "|" + name + ">" + m[3][len(name):]
			}
		}
		return all
	})
}
