// Package live defines which events connected clients of messaging receive. An
// event's name is its type, its payload the inner event. The package contains no
// Socket.IO and no SQL.
package live

import (
	"context"
	"encoding/json"

	"understudy/internal/messaging"
	"understudy/internal/messaging/webapi"
	"understudy/internal/messaging/webapi/callback"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/realtime"
)

// workspaceScopes are the scopes for workspace-wide events.
var workspaceScopes = []string{"channels:read", "users:read"}

// ownScopes are the scopes for events for one user only.
var ownScopes = []string{"app_mentions:read", "channels:read", "groups:read", "im:read"}

// emailScope allows a client to see e-mail addresses in user_change.
const emailScope = "users:read.email"

// grant is what a connection may see.
type grant struct {
	caller messaging.Caller
	has    func(scope string) bool
}

// Rules returns the realtime rules for messaging's clients.
func Rules(s *messaging.Service, a *auth.Auth) realtime.Rules {
	return realtime.Rules{
		Service: messaging.Name,
		Admit: func(ctx context.Context, token string) (realtime.Client, error) {
			p, err := a.Resolve(ctx, messaging.Name, token)
			if err != nil {
				return realtime.Client{}, err
			}
			c, err := s.Caller(ctx, p)
			if err != nil {
				return realtime.Client{}, err
			}
			return realtime.Client{Subject: subject(c.Workspace, c.ID), Unseen: p.Acting,
				Grant: grant{caller: c, has: func(scope string) bool { return webapi.Holds(p, scope) }}}, nil
		},
		Rooms: func(ctx context.Context, c realtime.Client) ([]string, error) {
			g := c.Grant.(grant)
			in, err := s.Conversations(ctx, g.caller)
			if err != nil {
				return nil, err
			}
			rooms := g.workspaceRooms()
			for _, ch := range in {
				rooms = append(rooms, g.roomsIn(ch)...)
			}
			return rooms, nil
		},
		Present: func(c realtime.Client, in bool) {
			caller := c.Grant.(grant).caller
			s.Connected(caller.Workspace, caller.ID, in)
		},
		Emissions: emissions,
		Ended:     auth.Ended,
	}
}

// Moved returns a function to call when a user joins or leaves a conversation: it
// updates the rooms of the user's connections, and sends them channel_joined or
// channel_left; not to those that receive the channel_left of the Events API.
func Moved(h *realtime.Hub) func(ch messaging.Conversation, user string, in bool) {
	return func(ch messaging.Conversation, user string, in bool) {
		who, name := subject(ch.Workspace, user), "channel_left"
		var only func(any) bool
		switch {
		case in:
			name = "channel_joined"
		case ch.Kind == messaging.Public:
			only = func(g any) bool { return !g.(grant).has("channels:read") }
		}
		h.Moved(who, in, func(g any) []string { return g.(grant).roomsIn(ch) })
		h.Send(who, name, json.RawMessage(`{"type":"`+name+`","channel":"`+ch.ID+`"}`), only)
	}
}

// ToUser returns a function that sends an event to the connections of one user.
func ToUser(h *realtime.Hub) func(workspace, user, name string, payload json.RawMessage) {
	return func(workspace, user, name string, payload json.RawMessage) {
		h.Send(subject(workspace, user), name, payload, nil)
	}
}

func subject(workspace, user string) string { return workspace + "/" + user }

// room returns the Socket.IO room for the events of a place that need a scope.
func room(where, scope string) string { return where + " " + scope }

func (g grant) roomsIn(ch messaging.Conversation) (rooms []string) {
	for _, scope := range ch.ScopesIn() {
		if g.has(scope) {
			rooms = append(rooms, room(ch.Workspace+"/"+ch.ID, scope))
		}
	}
	return rooms
}

func (g grant) workspaceRooms() (rooms []string) {
	for _, scope := range workspaceScopes {
		if !g.has(scope) {
			continue
		}
		if scope == "users:read" && g.has(emailScope) {
			scope = emailScope
		}
		rooms = append(rooms, room(g.caller.Workspace, scope))
	}
	for _, scope := range ownScopes {
		if g.has(scope) {
			rooms = append(rooms, room(subject(g.caller.Workspace, g.caller.ID), scope))
		}
	}
	return rooms
}

func emissions(e outbox.Event) []realtime.Emission {
	a := e.Audience
	switch {
	case a.Nobody:
		return nil
	case a.Place != "":
		return []realtime.Emission{{Rooms: []string{room(e.Tenant+"/"+a.Place, a.Scope)}, Name: e.Type, Payload: e.Payload}}
	case a.Users != nil:
		var rooms []string
		for _, user := range a.Users {
			rooms = append(rooms, room(subject(e.Tenant, user), a.Scope))
		}
		return []realtime.Emission{{Rooms: rooms, Name: e.Type, Payload: e.Payload}}
	}
	plain, full := room(e.Tenant, a.Scope), room(e.Tenant, emailScope)
	switch {
	case a.Scope != "users:read":
		return []realtime.Emission{{Rooms: []string{plain}, Name: e.Type, Payload: e.Payload}}
	case messaging.CarriesUser(e.Type):
		return []realtime.Emission{{Rooms: []string{full}, Name: e.Type, Payload: e.Payload},
			{Rooms: []string{plain}, Name: e.Type, Payload: callback.WithoutEmail(e.Payload)}}
	}
	return []realtime.Emission{{Rooms: []string{plain, full}, Name: e.Type, Payload: e.Payload}}
}
