package messaging

// The wire form of a channel is in this package, not in webapi, because the rows
// of the events channel_created and channel_rename contain it.

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
	Latest                  *JSONOrNull `json:"latest,omitempty"`
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

func (l Label) object() LabelObject { return LabelObject{l.Value, l.Creator, l.Set / 1e6} }

// Object returns the members that are the same for every viewer; webapi adds the
// others.
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

// JSONOrNull is raw JSON that is encoded as null when empty: upstream
// distinguishes null from an absent member.
type JSONOrNull struct{ Raw []byte }

// MarshalJSON returns the text, or null.
func (r *JSONOrNull) MarshalJSON() ([]byte, error) {
	if r.Raw == nil {
		return []byte("null"), nil
	}
	return r.Raw, nil
}

// JSONSchemaBytes returns the schema for the docs: an object or null.
func (JSONOrNull) JSONSchemaBytes() ([]byte, error) {
	return []byte(`{"type":["object","null"]}`), nil
}
