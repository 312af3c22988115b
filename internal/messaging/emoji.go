package messaging

import (
	"context"
	"regexp"

	"understudy/internal/messaging/emoji"
	"understudy/internal/platform/store"
)

// customName is the form of the name of a custom emoji.
var customName = regexp.MustCompile(`^[\p{Ll}\p{Lo}\p{N}_+'-]{1,100}$`)

// lookup returns a function that finds the canonical name of an emoji, custom ones included.
func lookup(custom map[string]string) emoji.Lookup {
	if len(custom) == 0 {
		return emoji.Canonical
	}
	return func(name string) (string, bool) {
		if custom[name] != "" {
			return name, true
		}
		return emoji.Canonical(name)
	}
}

// emojiNames returns a function that finds the canonical name of an emoji of a workspace.
func (s *Service) emojiNames(ctx context.Context, workspace string) (emoji.Lookup, error) {
	custom, ok, epoch := s.emoji.Get(workspace)
	if ok {
		return lookup(custom), nil
	}
	err := s.world.Read(ctx, func(tx *store.Tx) (err error) {
		custom, err = listEmoji(tx, workspace)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.emoji.Put(workspace, custom, epoch)
	return lookup(custom), nil
}
