package messaging

import (
	"context"
	"regexp"
	"unicode/utf8"

	"understudy/internal/messaging/emoji"
	"understudy/internal/platform/store"
)

// customName matches the valid names of custom emoji, of any length.
var customName = regexp.MustCompile(`^[\p{Ll}\p{Lo}\p{N}_+'-]+$`)

// isCustomName reports whether name is valid for a custom emoji.
func isCustomName(name string) bool {
	return customName.MatchString(name) && utf8.RuneCountInString(name) <= 100
}

// lookup returns a function that resolves the name of an emoji, which may be
// custom, to its canonical name.
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

// emojiNames returns lookup for the emoji of a workspace.
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
