package webapi

import "understudy/internal/messaging"

// imObject is a direct message on the wire.
type imObject struct {
	ID                 string                `json:"id"`
	Created            int64                 `json:"created"`
	IsArchived         bool                  `json:"is_archived"`
	IsIM               bool                  `json:"is_im"`
	IsOrgShared        bool                  `json:"is_org_shared"`
	ContextTeamID      string                `json:"context_team_id"`
	Updated            int64                 `json:"updated"` // milliseconds
	User               string                `json:"user"`
	IsUserDeleted      bool                  `json:"is_user_deleted"`
	IsOpen             *bool                 `json:"is_open,omitempty"`
	LastRead           string                `json:"last_read,omitempty"`
	Latest             *messaging.JSONOrNull `json:"latest,omitempty"`
	UnreadCount        *int64                `json:"unread_count,omitempty"`
	UnreadCountDisplay *int64                `json:"unread_count_display,omitempty"`
	Priority           int64                 `json:"priority"`
}

// view selects the optional members of a conversation in a reply.
type view struct {
	members bool   // num_members
	opened  bool   // last_read, latest and unread, for a caller who opens or reads it
	fresh   bool   // the members that only conversations.create returns
	latest  []byte // with opened: the newest message, or nil
	unread  int64  // with opened
	locale  string
}

// conversation returns a conversation as the caller sees it: a
// *messaging.ChannelObject or an *imObject.
func (c *call) conversation(ch *messaging.Channel, v view) any {
	if ch.Kind == messaging.IM {
		return c.directMessage(ch, v)
	}
	yes, zero := true, int64(0)
	o := ch.Object()
	o.IsMember = &ch.CallerIsMember
	o.Priority = &zero
	o.Locale = v.locale
	if ch.Kind == messaging.MPIM {
		o.IsOpen = &yes
	}
	if v.members {
		o.NumMembers = &ch.Members
	}
	if ch.CallerIsMember {
		o.LastRead = lastRead(ch.LastRead)
	}
	if v.fresh || v.opened && ch.Kind == messaging.MPIM {
		o.Latest, o.UnreadCount, o.UnreadCountDisplay = &messaging.JSONOrNull{Raw: v.latest}, &v.unread, &v.unread
	}
	return o
}

func (c *call) directMessage(ch *messaging.Channel, v view) *imObject {
	o := &imObject{ID: ch.ID, Created: ch.Created / 1e6, IsArchived: ch.Archived, IsIM: true, ContextTeamID: ch.Workspace,
		Updated: ch.Updated / 1000, User: ch.Other(c.caller.ID)}
	if v.opened {
		yes := true
		o.IsOpen, o.LastRead = &yes, lastRead(ch.LastRead)
		o.Latest, o.UnreadCount, o.UnreadCountDisplay = &messaging.JSONOrNull{Raw: v.latest}, &v.unread, &v.unread
	}
	return o
}

func lastRead(t messaging.TS) string {
	if t == 0 {
		return "0000000000.000000"
	}
	return t.String()
}
