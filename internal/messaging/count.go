package messaging

import (
	"context"

	"understudy/internal/platform/store"
)

// Count returns the numbers of users, channels and messages in all workspaces.
func (s *Service) Count(ctx context.Context) (counts map[string]int64, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) (err error) {
		counts, err = countAll(tx)
		return err
	})
	return counts, err
}
