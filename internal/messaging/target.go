package messaging

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"understudy/internal/platform/store"
)

// TargetID returns the id of the conversation that PostMessage would post to,
// given an id, a name with or without #, or the user of an im. It returns "" if
// there is none yet, and does not check that an id exists.
func (s *Service) TargetID(ctx context.Context, c Caller, name string) (id string, err error) {
	if conversationID.MatchString(name) {
		return name, nil
	}
	if !utf8.ValidString(name) || strings.Contains(name, "\x00") {
		return "", nil
	}
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		if !userID.MatchString(name) {
			id, err = channelIDByName(tx, c.Workspace, strings.TrimPrefix(name, "#"))
			return err
		}
		members := []string{c.ID, name}
		slices.Sort(members)
		ch, err := channelByMembers(tx, c.Workspace, strings.Join(slices.Compact(members), ","), c.ID)
		if ch != nil {
			id = ch.ID
		}
		return err
	})
	return id, err
}
