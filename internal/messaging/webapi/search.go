package webapi

import (
	"encoding/json"
	"strconv"

	"understudy/internal/messaging"
)

const (
	maxSearchCount = 100
	maxSearchPage  = 100
)

func searchMessages(c *call) (*reply, error) {
	count := c.number("count", 20, maxSearchCount)
	page := c.number("page", 1, maxSearchPage)
	offset := (page - 1) * count
	cursor := c.text("cursor")
	if cursor != "" && cursor != "*" {
		var err error
		if page, offset, err = c.searchCursor(count); err != nil {
			return nil, err
		}
	}
	in := messaging.Search{Query: c.text("query"), Count: count, Offset: offset,
		ByTime: c.text("sort") == "timestamp", Ascending: c.text("sort_dir") == "asc", Highlight: c.args.Bool("highlight", false)}
	found, err := c.service.Search(c.r.Context(), c.caller, in)
	if err != nil {
		return nil, err
	}
	pages := (found.Total + count - 1) / count
	p := searchPages{Pagination: pagination{TotalCount: found.Total, Page: page, PerPage: count, PageCount: pages},
		Paging: paging{Count: count, Total: found.Total, Page: page, Pages: pages}, Total: found.Total, Matches: []searchMatch{}}
	if n := len(found.Matches); n > 0 {
		p.Pagination.First, p.Pagination.Last = in.Offset+1, in.Offset+n
	}
	for _, m := range found.Matches {
		p.Matches = append(p.Matches, c.match(m))
	}
	r := ok().text("query", in.Query).value("messages", p)
	early := found.End < min(in.Offset+count, found.Total)
	if cursor != "" || early {
		next := ""
		switch {
		case early || in.Offset%count != 0 && found.End < found.Total:
			next = encodeCursor("match", strconv.Itoa(found.End))
		case in.Offset%count == 0 && page < min(pages, maxSearchPage):
			next = encodeCursor("page", strconv.Itoa(page+1))
		}
		r.next(next)
	}
	return r, nil
}

// searchCursor reads the cursor: of a page, or of a match when long matches ended
// the page early. It returns InvalidCursor.
func (c *call) searchCursor(count int) (page, offset int, err error) {
	if position, err := c.cursor("page"); err == nil {
		if page, err = strconv.Atoi(position); err != nil || page < 1 || page > maxSearchPage {
			return 0, 0, messaging.InvalidCursor
		}
		return page, (page - 1) * count, nil
	}
	position, err := c.cursor("match")
	if err != nil {
		return 0, 0, err
	}
	if offset, err = strconv.Atoi(position); err != nil || offset < 1 || offset >= maxSearchPage*maxSearchCount {
		return 0, 0, messaging.InvalidCursor
	}
	return offset/count + 1, offset, nil
}

// number reads an integer of at least 1; any other text means standard.
func (c *call) number(name string, standard, most int) int {
	n, present, bad := c.args.Int(name)
	if bad != nil || !present || n < 1 {
		return standard
	}
	return int(min(n, int64(most)))
}

type searchPages struct {
	Total      int           `json:"total"`
	Pagination pagination    `json:"pagination"`
	Paging     paging        `json:"paging"`
	Matches    []searchMatch `json:"matches"`
}

type pagination struct {
	TotalCount int `json:"total_count"`
	Page       int `json:"page"`
	PerPage    int `json:"per_page"`
	PageCount  int `json:"page_count"`
	First      int `json:"first"`
	Last       int `json:"last"`
}

type paging struct {
	Count int `json:"count"`
	Total int `json:"total"`
	Page  int `json:"page"`
	Pages int `json:"pages"`
}

type searchMatch struct {
	Team        string          `json:"team"`
	Channel     searchChannel   `json:"channel"`
	Type        string          `json:"type"`
	User        string          `json:"user"`
	Username    string          `json:"username"`
	TS          string          `json:"ts"`
	Text        string          `json:"text"`
	Permalink   string          `json:"permalink"`
	NoReactions bool            `json:"no_reactions"`
	Blocks      json.RawMessage `json:"blocks,omitempty"`
	Attachments json.RawMessage `json:"attachments,omitempty"`
}

type searchChannel struct {
	ID                 string   `json:"id"`
	Name               string   `json:"name"`
	NameNormalized     string   `json:"name_normalized"`
	IsChannel          bool     `json:"is_channel"`
	IsGroup            bool     `json:"is_group"`
	IsIM               bool     `json:"is_im"`
	IsMPIM             bool     `json:"is_mpim"`
	IsPrivate          bool     `json:"is_private"`
	IsShared           bool     `json:"is_shared"`
	IsOrgShared        bool     `json:"is_org_shared"`
	IsExtShared        bool     `json:"is_ext_shared"`
	IsPendingExtShared bool     `json:"is_pending_ext_shared"`
	PendingShared      []string `json:"pending_shared"`
	User               string   `json:"user,omitempty"`
}

func (c *call) match(m messaging.Match) searchMatch {
	ch := m.Channel
	out := searchMatch{Team: ch.Workspace, Type: "message", User: m.User, Username: m.Username, TS: m.TS.String(), Text: m.Text,
		Permalink: m.Link, NoReactions: !m.Reacted, Blocks: m.Blocks, Attachments: m.Attachments,
		Channel: searchChannel{ID: ch.ID, Name: ch.Name, NameNormalized: ch.Name,
			IsChannel: ch.Kind == messaging.Public || ch.Kind == messaging.Private, IsGroup: ch.Kind == messaging.MPIM,
			IsIM: ch.Kind == messaging.IM, IsMPIM: ch.Kind == messaging.MPIM, IsPrivate: ch.Kind != messaging.Public,
			PendingShared: []string{}}}
	if ch.Kind == messaging.IM {
		out.Channel.User = ch.Other(c.caller.ID)
		out.Channel.Name, out.Channel.NameNormalized = out.Channel.User, out.Channel.User
	}
	return out
}
