// Package acts implements the acts of people in a workspace that one call of the
// admin plane performs: post a message, press a button, run a slash command. An
// act makes calls of the service's public API with that person's session, so that
// rules, limits, events and recordings are those of a real client. Its lookups
// are marked like those of the web UI, which are not recorded. The package
// contains no SQL.
package acts

import (
	"context"
	"net/http"
	"time"

	"understudy/internal/messaging"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/fault"
)

// Person performs acts.
type Person struct{ finder }

// client calls the public API with the token of a session.
type client struct {
	http  *http.Client
	token string
}

// finder resolves the names in acts, as one person sees them.
type finder struct {
	client
	now   time.Time // on the environment's clock
	alone func(ctx context.Context) ([]messaging.InboxItem, error)
}

// NewPerson returns a person who acts through the service in this process, with
// the token of a session. now is the environment's time; alone returns the
// person's ephemeral messages, newest first.
func NewPerson(in *http.Client, token string, now time.Time, alone func(ctx context.Context) ([]messaging.InboxItem, error)) *Person {
	return &Person{finder{client: client{in, token}, now: now, alone: alone}}
}

// act is a row of the table of acts: its description, and the function for its
// request type.
type act struct {
	environment.Act
	run func(p *Person, ctx context.Context, request any) (any, error)
}

func row[T any](name, summary string, reply any, run func(p *Person, ctx context.Context, in *T) (any, error)) act {
	return act{environment.Act{Name: name, Summary: summary, New: func() any { return new(T) }, Reply: reply},
		func(p *Person, ctx context.Context, request any) (any, error) { return run(p, ctx, request.(*T)) }}
}

var table = []act{
	row("say", "Post a message or, with thread, a reply.", sayReply{}, (*Person).say),
	row("edit", "Change a message of one's own.", tsReply{}, (*Person).edit),
	row("delete", "Delete a message of one's own.", tsReply{}, (*Person).remove),
	row("react", "React to a message, or take a reaction back.", tsReply{}, (*Person).react),
	row("click", "Press a button of a message: its app is called.", pressReply{}, (*Person).click),
	row("choose", "Choose at a select, radio buttons, checkboxes, an overflow menu or a picker of a message: its app is called.", pressReply{}, (*Person).choose),
	row("shortcut", "Run a shortcut of an app, on a message or anywhere.", pressReply{}, (*Person).shortcut),
	row("run", "Run a slash command.", runReply{}, (*Person).command),
	row("join", "Join a public channel.", channelReply{}, (*Person).join),
	row("leave", "Leave a conversation.", channelReply{}, (*Person).leave),
	row("read", "Read a conversation up to a message, or all of it.", readReply{}, (*Person).read),
}

// All returns all acts.
func All() []environment.Act {
	out := make([]environment.Act, len(table))
	for i, a := range table {
		out[i] = a.Act
	}
	return out
}

// Do performs an act. It returns errors of the service as Unprocessable with the
// service's code, and MessageNotFound, AppFailed, interactive.NoSuchElement and
// interactive.NoSuchOption.
func (p *Person) Do(ctx context.Context, name string, request any) (any, error) {
	for _, a := range table {
		if a.Name == name {
			return a.run(p, ctx, request)
		}
	}
	return nil, environment.NoSuchAct
}

// The errors of acts that the service does not have.
var (
	MessageNotFound = fault.New(fault.NotFound, "message_not_found", "There is no such message that this person can see.")
	NoSuchShortcut  = fault.New(fault.Unprocessable, "no_such_shortcut", "No app offers this shortcut.")
)
