package control

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"understudy/internal/messaging"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/page"
)

// Routes for chat clients that the Web API lacks: all conversations in one reply,
// sections of them in both directions, read marks.
var clientRoutes = []route{
	{"GET /api/client/boot", "Return what a chat client needs to start: the caller, the workspace, its conversations with what is unread, and the slash commands.", boot},
	{"GET /api/client/messages", "Return messages of a conversation or thread around a place, oldest first.", clientMessages},
	{"PUT /api/client/read", "Move the caller's mark in a conversation.", clientRead},
	{"PUT /api/client/stars", "Star a conversation, or take its star away.", clientStars},
	{"GET /api/client/threads", "List the threads that the caller takes part in, newest reply first.", clientThreads},
	{"GET /api/client/channels", "Find channels that the caller can see.", clientChannels},
	{"GET /api/client/people", "Find people of the workspace.", clientPeople},
}

// Pages of messages.
const (
	standardWindow = 200
	maxWindow      = 500
)

var (
	badTS       = fault.New(fault.Invalid, "invalid_ts", "This must be a message timestamp such as 1772442000.000003.")
	onePlace    = fault.New(fault.Invalid, "invalid_arguments", "Only one of before, after and around may be given.")
	noSuchQuery = fault.New(fault.Invalid, "invalid_arguments", "This address does not accept this query parameter.")
)

type bootReply struct {
	User       messaging.UserObject   `json:"user"`
	Workspace  workspaceReply         `json:"workspace"`
	Workspaces []membershipReply      `json:"workspaces"`
	Clock      clockReply             `json:"clock"`
	Channels   []clientChannelReply   `json:"channels"`
	People     []messaging.UserObject `json:"people" description:"The other people of the caller's direct and group conversations."`
	Presence   map[string]string      `json:"presence" description:"active or away, by user id, of those people."`
	Commands   []clientCommandReply   `json:"commands"`
	Shortcuts  []clientShortcutReply  `json:"shortcuts" description:"What apps offer in the menu of a message, or everywhere."`
}

type clientShortcutReply struct {
	AppID      string `json:"app_id"`
	AppName    string `json:"app_name"`
	CallbackID string `json:"callback_id"`
	Name       string `json:"name"`
	Type       string `json:"type" enum:"message,global"`
}

type clockReply struct {
	Now    time.Time `json:"now"`
	Frozen bool      `json:"frozen"`
}

type clientCommandReply struct {
	Command     string `json:"command"`
	Description string `json:"description"`
	UsageHint   string `json:"usage_hint"`
}

type clientChannelReply struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Kind     string   `json:"kind" enum:"public,private,im,mpim"`
	Members  []string `json:"members,omitempty" description:"Of a group conversation: its people, the caller included."`
	User     string   `json:"user,omitempty" description:"Of a direct conversation: the other person."`
	Topic    string   `json:"topic"`
	LastRead string   `json:"last_read"`
	Latest   string   `json:"latest" description:"ts of the newest message, or empty."`
	Unread   int64    `json:"unread_count" description:"1000 at most."`
	Mentions int64    `json:"mention_count"`
	Starred  bool     `json:"starred"`
	Archived bool     `json:"archived"`
	General  bool     `json:"is_general"`
}

func clientChannel(m *messaging.ChannelState, caller string) clientChannelReply {
	out := clientChannelReply{ID: m.ID, Name: m.Name, Kind: string(m.Kind), Topic: m.Topic.Value, LastRead: m.LastRead.String(),
		Unread: m.Unread, Mentions: m.Mentions, Starred: m.Starred, Archived: m.Archived, General: m.IsGeneral}
	if m.Latest > 0 {
		out.Latest = m.Latest.String()
	}
	switch m.Kind {
	case messaging.IM:
		out.User = m.Other(caller)
	case messaging.MPIM:
		out.Members = m.People()
	}
	return out
}

func boot(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	b, err := h.Service.Boot(r.Context(), c)
	if err != nil {
		return err
	}
	memberships, err := h.Service.WorkspacesOf(r.Context(), c, pages.Most)
	if err != nil {
		return err
	}
	out := bootReply{User: c.Object(true), Clock: clockReply{Now: b.Now, Frozen: b.Frozen}, Channels: []clientChannelReply{},
		Presence: map[string]string{c.ID: h.Service.EffectivePresence(c.User)}, Commands: []clientCommandReply{}, Shortcuts: []clientShortcutReply{},
		Workspaces: h.memberships(memberships), People: []messaging.UserObject{}}
	for _, m := range out.Workspaces {
		if m.ID == c.Workspace {
			out.Workspace = m.workspaceReply
		}
	}
	for _, m := range b.Channels {
		out.Channels = append(out.Channels, clientChannel(m, c.ID))
	}
	for _, u := range b.People {
		out.People = append(out.People, u.Object(true))
		out.Presence[u.ID] = h.Service.EffectivePresence(u)
	}
	for _, cmd := range b.Commands {
		out.Commands = append(out.Commands, clientCommandReply{cmd.Command, cmd.Description, cmd.UsageHint})
	}
	for _, x := range b.Shortcuts {
		out.Shortcuts = append(out.Shortcuts, clientShortcutReply{x.App, x.AppName, x.Callback, x.Name, x.Type})
	}
	httpkit.WriteJSON(w, http.StatusOK, out)
	return nil
}

type messagesReply struct {
	Messages []json.RawMessage `json:"messages" description:"Oldest first, each as conversations.history returns it."`
	HasOlder bool              `json:"has_older"`
	HasNewer bool              `json:"has_newer"`
}

// query returns the named query parameters of a request and an error for others.
func query(r *http.Request, names ...string) (map[string]string, error) {
	values := r.URL.Query()
	out := map[string]string{}
	for _, name := range names {
		out[name] = values.Get(name)
		values.Del(name)
	}
	for name := range values {
		return nil, noSuchQuery.At(name)
	}
	return out, nil
}

func clientMessages(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	q, err := query(r, "channel", "thread_ts", "before", "after", "around", "limit")
	if err != nil {
		return err
	}
	in := messaging.Window{Channel: q["channel"], Limit: standardWindow}
	if in.Channel == "" {
		return missing.At("channel")
	}
	places := 0
	for name, ts := range map[string]*messaging.TS{"thread_ts": &in.ThreadTS, "before": &in.Before, "after": &in.After, "around": &in.Around} {
		if q[name] == "" {
			continue
		}
		found, ok := messaging.ParseTS(q[name])
		if !ok {
			return badTS.At(name)
		}
		*ts = found
		if name != "thread_ts" {
			places++
		}
	}
	if places > 1 {
		return onePlace
	}
	if text := q["limit"]; text != "" {
		if in.Limit, err = strconv.Atoi(text); err != nil || in.Limit < 1 {
			return badLimit
		}
		in.Limit = min(in.Limit, maxWindow)
	}
	found, err := h.Service.Window(r.Context(), c, in)
	if err != nil {
		return err
	}
	out := messagesReply{Messages: []json.RawMessage{}, HasOlder: found.HasOlder, HasNewer: found.HasNewer}
	for _, m := range found.JSON {
		out.Messages = append(out.Messages, m)
	}
	httpkit.WriteJSON(w, http.StatusOK, out)
	return nil
}

type readRequest struct {
	Channel string `json:"channel" required:"true"`
	TS      string `json:"ts" required:"true" description:"Everything up to this message is read."`
}

func clientRead(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	var in readRequest
	if err := httpkit.ReadJSON(r, maxBody, &in); err != nil {
		return err
	}
	ts, ok := messaging.ParseTS(in.TS)
	if !ok {
		return badTS.At("ts")
	}
	m, err := h.Service.MarkRead(r.Context(), c, in.Channel, ts)
	if err != nil {
		return err
	}
	httpkit.WriteJSON(w, http.StatusOK, m.Mark())
	return nil
}

type starRequest struct {
	Channel string `json:"channel" required:"true"`
	Starred bool   `json:"starred"`
}

func clientStars(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	var in starRequest
	if err := httpkit.ReadJSON(r, maxBody, &in); err != nil {
		return err
	}
	m, err := h.Service.Star(r.Context(), c, in.Channel, in.Starred)
	if err != nil {
		return err
	}
	httpkit.WriteJSON(w, http.StatusOK, m.Mark())
	return nil
}

type foundChannelReply struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Kind     string `json:"kind" enum:"public,private"`
	Purpose  string `json:"purpose"`
	Members  int64  `json:"members"`
	Member   bool   `json:"is_member"`
	Archived bool   `json:"archived"`
}

type foundChannelsReply struct {
	Channels   []foundChannelReply `json:"channels"`
	NextCursor string              `json:"next_cursor"`
}

// browsing reads the query parameters of a searchable list.
func browsing(r *http.Request, kind string, names ...string) (q map[string]string, after string, limit int, err error) {
	if q, err = query(r, append(names, "q", "limit", "cursor")...); err != nil {
		return nil, "", 0, err
	}
	after, limit, err = pages.Read(r, kind)
	return q, after, limit, err
}

func clientChannels(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	q, after, limit, err := browsing(r, "channel", "archived")
	if err != nil {
		return err
	}
	found, more, err := h.Service.BrowseChannels(r.Context(), c, messaging.BrowseChannels{Query: q["q"], Archived: q["archived"] == "true", After: after, Limit: limit})
	if err != nil {
		return err
	}
	out := foundChannelsReply{Channels: []foundChannelReply{}}
	for _, ch := range found {
		out.Channels = append(out.Channels, foundChannelReply{ch.ID, ch.Name, string(ch.Kind), ch.Purpose.Value, ch.Members, ch.CallerIsMember, ch.Archived})
	}
	if more {
		out.NextCursor = page.Encode("channel", found[len(found)-1].ID)
	}
	httpkit.WriteJSON(w, http.StatusOK, out)
	return nil
}

type foundPersonReply struct {
	messaging.UserObject
	Presence string `json:"presence" enum:"active,away"`
}

type foundPeopleReply struct {
	People     []foundPersonReply `json:"people"`
	NextCursor string             `json:"next_cursor"`
}

func clientPeople(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	q, after, limit, err := browsing(r, "person")
	if err != nil {
		return err
	}
	found, more, err := h.Service.BrowsePeople(r.Context(), c, messaging.BrowsePeople{Query: q["q"], After: after, Limit: limit})
	if err != nil {
		return err
	}
	out := foundPeopleReply{People: []foundPersonReply{}}
	for _, u := range found {
		out.People = append(out.People, foundPersonReply{u.Object(true), h.Service.EffectivePresence(u)})
	}
	if more {
		out.NextCursor = page.Encode("person", found[len(found)-1].ID)
	}
	httpkit.WriteJSON(w, http.StatusOK, out)
	return nil
}
