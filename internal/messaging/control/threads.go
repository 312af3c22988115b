package control

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"understudy/internal/messaging"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/page"
)

type clientThreadReply struct {
	Channel     string            `json:"channel"`
	Message     json.RawMessage   `json:"message" description:"The parent, as conversations.history returns it."`
	Replies     []json.RawMessage `json:"replies" description:"The newest ones, oldest first."`
	LatestReply string            `json:"latest_reply"`
	Unread      int64             `json:"unread_count" description:"Replies of others after the caller's mark in the conversation, 1000 at most."`
}

type clientThreadsReply struct {
	Threads    []clientThreadReply `json:"threads"`
	NextCursor string              `json:"next_cursor"`
}

func clientThreads(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	q, after, limit, err := browsing(r, "thread", "unread")
	if err != nil {
		return err
	}
	in := messaging.Threads{Unread: q["unread"] == "true", Limit: min(limit, pages.Standard)}
	if after != "" {
		ts, id, _ := strings.Cut(after, "/")
		latest, ok := messaging.ParseTS(ts)
		n, err := strconv.ParseInt(id, 10, 64)
		if !ok || err != nil {
			return page.BadCursor.At("cursor")
		}
		in.Before = messaging.ThreadPlace{Latest: latest, ID: n}
	}
	found, next, err := h.Service.Threads(r.Context(), c, in)
	if err != nil {
		return err
	}
	out := clientThreadsReply{Threads: []clientThreadReply{}}
	for _, t := range found {
		reply := clientThreadReply{Channel: t.Channel.ID, Message: t.Parent, Replies: []json.RawMessage{}, LatestReply: t.Latest.String(), Unread: t.Unread}
		for _, m := range t.Replies {
			reply.Replies = append(reply.Replies, m)
		}
		out.Threads = append(out.Threads, reply)
	}
	if next != (messaging.ThreadPlace{}) {
		out.NextCursor = page.Encode("thread", next.Latest.String()+"/"+strconv.FormatInt(next.ID, 10))
	}
	httpkit.WriteJSON(w, http.StatusOK, out)
	return nil
}
