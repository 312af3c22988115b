package tracker

import "understudy/internal/tracker/entity"

// Kind is a kind of entity: its rows, and what the events of its changes show.
type Kind[T any] struct {
	*entity.Kind[*View, T]
	// enrich adds to the payload of an event what it embeds, and returns the rest of what the event needs.
	enrich func(v *View, t *T, data map[string]any) (detail, error)
}

func declare[T any](k entity.Kind[*View, T], base func(*T) *entity.Base, columns []entity.Column[T]) *Kind[T] {
	return &Kind[T]{Kind: k.Columns(base, columns...)}
}
