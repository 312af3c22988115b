package catalogue

import (
	"context"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/store"
)

// Overviews reads environments with their overviews, for lists.
type Overviews struct {
	Catalogue *Catalogue
}

// List returns the environments after a place of an order, at most limit,
// with the overviews that MarkClosed stored. Of an environment that is open, and of
// one without an overview, only Info is set: its counts are not known.
func (v Overviews) List(ctx context.Context, o Order, after Place, limit int) ([]environment.Overview, error) {
	return v.ListIn(ctx, new([]environment.Overview), o, after, limit)
}

// ListIn is List with memory for the result: some 200 bytes for each environment,
// and touching new memory may take longer than reading the row.
func (v Overviews) ListIn(ctx context.Context, room *[]environment.Overview, o Order, after Place, limit int) ([]environment.Overview, error) {
	err := v.Catalogue.world.Read(ctx, func(tx *store.Tx) error { return listStored(tx, room, o, after, limit) })
	return *room, err
}

// Of is List for those of the environments that exist, in any order.
func (v Overviews) Of(ctx context.Context, ids ...string) ([]environment.Overview, error) {
	return v.named(ctx, ifClosed, ids)
}

// Last is Of with the overviews that MarkClosed stored last, although the
// environments may be open by now.
func (v Overviews) Last(ctx context.Context, ids ...string) ([]environment.Overview, error) {
	return v.named(ctx, "", ids)
}

// named returns environments with the overviews for which a condition holds.
func (v Overviews) named(ctx context.Context, only string, ids []string) (found []environment.Overview, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = v.Catalogue.world.Read(ctx, func(tx *store.Tx) (err error) {
		found, err = namedStored(tx, only, ids)
		return err
	})
	return found, err
}
