package messaging

// ChannelObject is a channel or a group conversation on the wire.
type ChannelObject struct {
	ID                      string      `json:"id"`
	Name                    string      `json:"name"`
	NameNormalized          string      `json:"name_normalized"`
	IsChannel               bool        `json:"is_channel"`
	IsGroup                 bool        `json:"is_group"`
	IsIM                    bool        `json:"is_im"`
	IsMPIM                  bool        `json:"is_mpim"`
	IsPrivate               bool        `json:"is_private"`
	Created                 int64       `json:"created"`
	Creator                 string      `json:"creator"`
	IsArchived              bool        `json:"is_archived"`
	IsGeneral               bool        `json:"is_general"`
	IsShared                bool        `json:"is_shared"`
	IsExtShared             bool        `json:"is_ext_shared"`
	IsOrgShared             bool        `json:"is_org_shared"`
	IsPendingExtShared      bool        `json:"is_pending_ext_shared"`
	IsFrozen                bool        `json:"is_frozen"`
	IsReadOnly              bool        `json:"is_read_only"`
	IsThreadOnly            bool        `json:"is_thread_only"`
	IsNonThreadable         bool        `json:"is_non_threadable"`
	Unlinked                int64       `json:"unlinked"`
	IsMember                *bool       `json:"is_member,omitempty"`
	IsOpen                  *bool       `json:"is_open,omitempty"`
	Topic                   LabelObject `json:"topic"`
	Purpose                 LabelObject `json:"purpose"`
	PreviousNames           []string    `json:"previous_names"`
	ParentConversation      *string     `json:"parent_conversation"`
	PendingShared           []string    `json:"pending_shared"`
	PendingConnectedTeamIDs []string    `json:"pending_connected_team_ids"`
	SharedTeamIDs           []string    `json:"shared_team_ids"`
	ContextTeamID           string      `json:"context_team_id"`
	Updated                 int64       `json:"updated"` // milliseconds
	NumMembers              *int64      `json:"num_members,omitempty"`
	LastRead                string      `json:"last_read,omitempty"`
	Latest                  *rawNull    `json:"latest,omitempty"`
	UnreadCount             *int64      `json:"unread_count,omitempty"`
	UnreadCountDisplay      *int64      `json:"unread_count_display,omitempty"`
	Priority                *int64      `json:"priority,omitempty"`
	Locale                  string      `json:"locale,omitempty"`
}

// LabelObject is a topic or purpose on the wire.
type LabelObject struct {
	Value   string `json:"value"`
	Creator string `json:"creator"`
	LastSet int64  `json:"last_set"`
}

// IMObject is a direct message on the wire.
type IMObject struct {
	ID                 string   `json:"id"`
	Created            int64    `json:"created"`
	IsArchived         bool     `json:"is_archived"`
	IsIM               bool     `json:"is_im"`
	IsOrgShared        bool     `json:"is_org_shared"`
	ContextTeamID      string   `json:"context_team_id"`
	Updated            int64    `json:"updated"` // milliseconds
	User               string   `json:"user"`
	IsUserDeleted      bool     `json:"is_user_deleted"`
	IsOpen             *bool    `json:"is_open,omitempty"`
	LastRead           string   `json:"last_read,omitempty"`
	Latest             *rawNull `json:"latest,omitempty"`
	UnreadCount        *int64   `json:"unread_count,omitempty"`
	UnreadCountDisplay *int64   `json:"unread_count_display,omitempty"`
	Priority           int64    `json:"priority"`
}

// rawNull is JSON as it is, or null: it tells null from absent.
type rawNull struct{ raw []byte }

// MarshalJSON gives the text, or null.
func (r *rawNull) MarshalJSON() ([]byte, error) {
	if r.raw == nil {
		return []byte("null"), nil
	}
	return r.raw, nil
}

func (l Label) object() LabelObject { return LabelObject{l.Value, l.Creator, l.Set / 1e6} }

// Object gives what every viewer sees alike; ForCaller adds what depends on the viewer.
func (ch *Channel) Object() *ChannelObject {
	previous := ch.PreviousNames
	if previous == nil {
		previous = []string{}
	}
	return &ChannelObject{ID: ch.ID, Name: ch.Name, NameNormalized: ch.Name,
		IsChannel: ch.Kind == Public || ch.Kind == Private, IsGroup: ch.Kind == MPIM, IsMPIM: ch.Kind == MPIM,
		IsPrivate: ch.Kind != Public, Created: ch.Created / 1e6, Creator: ch.Creator, IsArchived: ch.Archived, IsGeneral: ch.IsGeneral,
		Topic: ch.Topic.object(), Purpose: ch.Purpose.object(), PreviousNames: previous,
		PendingShared: []string{}, PendingConnectedTeamIDs: []string{}, SharedTeamIDs: []string{ch.Workspace},
		ContextTeamID: ch.Workspace, Updated: ch.Updated / 1000}
}

// View is how much of a conversation a reply shows.
type View struct {
	Members bool   // num_members
	Opened  bool   // what the one who opens or reads it sees: last_read, latest, unread
	Fresh   bool   // what creating a channel shows
	Latest  []byte // with Opened: the newest message, or nil
	Unread  int64  // with Opened
	Locale  string
}

// Render gives the conversation as the caller sees it: a *ChannelObject or an *IMObject.
func (ch *Channel) Render(c Caller, v View) any {
	if ch.Kind == IM {
		return ch.renderIM(c, v)
	}
	yes, zero := true, int64(0)
	o := ch.Object()
	o.IsMember = &ch.CallerIsMember
	o.Priority = &zero
	o.Locale = v.Locale
	if ch.Kind == MPIM {
		o.IsOpen = &yes
	}
	if v.Members {
		o.NumMembers = &ch.Members
	}
	if ch.CallerIsMember {
		o.LastRead = lastRead(ch.LastRead)
	}
	if v.Fresh || v.Opened && ch.Kind == MPIM {
		o.Latest, o.UnreadCount, o.UnreadCountDisplay = &rawNull{v.Latest}, &v.Unread, &v.Unread
	}
	return o
}

func (ch *Channel) renderIM(c Caller, v View) *IMObject {
	o := &IMObject{ID: ch.ID, Created: ch.Created / 1e6, IsArchived: ch.Archived, IsIM: true, ContextTeamID: ch.Workspace,
		Updated: ch.Updated / 1000, User: ch.Other(c.ID)}
	if v.Opened {
		yes := true
		o.IsOpen, o.LastRead = &yes, lastRead(ch.LastRead)
		o.Latest, o.UnreadCount, o.UnreadCountDisplay = &rawNull{v.Latest}, &v.Unread, &v.Unread
	}
	return o
}

func lastRead(t TS) string {
	if t == 0 {
		return "0000000000.000000"
	}
	return t.String()
}
