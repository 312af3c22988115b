package tracker

import "understudy/internal/tracker/entity"

// Kind is a kind of entity: its rows, and the payload of the events of its changes.
type Kind[T any] struct {
	*entity.Kind[*View, T]
	// enrich adds the embedded entities to the payload of an event, and returns the
	// other details of the event.
	enrich func(v *View, t *T, data map[string]any) (detail, error)
}

func declare[T any](k entity.Kind[*View, T], base func(*T) *entity.Base, columns []entity.Column[T]) *Kind[T] {
	return &Kind[T]{Kind: k.Columns(base, columns...)}
}
