package messaging

import (
	"context"
	"slices"
	"strings"
	"time"

	"understudy/internal/platform/store"
)

// Boot is the initial state of a chat client.
type Boot struct {
	Now      time.Time // of the environment's clock
	Frozen   bool      // the clock is frozen
	Channels []*ChannelState
	People   []*User // the other members of the caller's direct and group conversations
	Commands []*Command
	// Shortcuts are the shortcuts of all apps of the workspace.
	Shortcuts []Shortcut
}

// Boot returns the caller's conversations, the members of the direct ones and the
// slash commands of the workspace.
func (s *Service) Boot(ctx context.Context, c Caller) (out Boot, err error) {
	out.Now, out.Frozen = s.Clock.Now(), s.Clock.State().Frozen
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		if out.Channels, err = channelStatesOf(tx, c, ""); err != nil {
			return err
		}
		for _, id := range peopleOf(out.Channels) {
			u, err := getUser(tx, c.Workspace, id)
			if err != nil {
				return err
			}
			if u != nil && u.ID != c.ID {
				out.People = append(out.People, u)
			}
		}
		if out.Commands, err = listCommands(tx, c.Workspace, Place{}, maxBootCommands); err != nil {
			return err
		}
		apps, err := listApps(tx, c.Workspace, Place{}, maxBootCommands)
		for _, a := range apps {
			out.Shortcuts = append(out.Shortcuts, a.shortcuts()...)
		}
		return err
	})
	return out, err
}

// maxBootCommands is the most slash commands that a client can complete.
const maxBootCommands = 1000

// peopleOf returns the ids of the members of direct and group conversations,
// sorted.
func peopleOf(channels []*ChannelState) []string {
	var ids []string
	for _, ch := range channels {
		ids = append(ids, ch.People()...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// People returns the ids of the members of a direct or group conversation,
// sorted.
func (ch *Channel) People() []string {
	if ch.MemberKey == "" {
		return nil
	}
	return strings.Split(ch.MemberKey, ",")
}
