package messaging

import (
	"context"
	"regexp"

	"understudy/internal/messaging/emoji"
	"understudy/internal/platform/store"
)

// customName is the form of the name of a custom emoji.
var customName = regexp.MustCompile(`^[\p{Ll}\p{Lo}\p{N}_+'-]{1,100}$`)

// customEmoji returns the custom emoji of a workspace: addresses by name.
func (s *Service) customEmoji(tx *store.Tx, workspace string) (map[string]string, error) {
	known, ok, epoch := s.emoji.Get(workspace)
	if ok {
		return known, nil
	}
	known, err := listEmoji(tx, workspace)
	if err == nil {
		tx.AfterCommit(func() { s.emoji.Put(workspace, known, epoch) }) // what is read here may be rolled back
	}
	return known, err
}

// emojiNames returns a function that finds the canonical name of an emoji of a workspace.
func (s *Service) emojiNames(tx *store.Tx, workspace string) (emoji.Lookup, error) {
	custom, err := s.customEmoji(tx, workspace)
	if err != nil || len(custom) == 0 {
		return emoji.Canonical, err
	}
	return func(name string) (string, bool) {
		if custom[name] != "" {
			return name, true
		}
		return emoji.Canonical(name)
	}, nil
}

// namesFor is emojiNames outside a transaction.
func (s *Service) namesFor(ctx context.Context, workspace string) (names emoji.Lookup, err error) {
	if known, ok, _ := s.emoji.Get(workspace); ok && len(known) == 0 {
		return emoji.Canonical, nil
	}
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		names, err = s.emojiNames(tx, workspace)
		return err
	})
	return names, err
}
