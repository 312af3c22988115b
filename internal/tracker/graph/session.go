package graph

import (
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/tracker"
	"understudy/internal/tracker/entity"
	"understudy/internal/tracker/graph/engine"
)

// session is the state of a request, for getters.
type session struct {
	t    *tracker.Tracker
	p    *auth.Principal
	view *tracker.View // of a query; a mutation begins a new one after each write
	// names is used after its transaction has ended, only for addresses and names.
	names            *tracker.View
	requests, points ratelimit.Decision
	estimate         float64
}

func of(c *engine.Call) *session { return engine.State[*session](c) }

// read calls fn with the caller's current view.
func read[R any](c *engine.Call, fn func(v *tracker.View) (R, error)) (out R, err error) {
	s := of(c)
	if s.view != nil {
		return fn(s.view)
	}
	err = s.t.Read(c, s.p, func(v *tracker.View) error {
		s.names = v
		out, err = fn(v)
		return err
	})
	return out, err
}

// naming returns a view that is valid only for names and addresses.
func naming(c *engine.Call) (*tracker.View, error) {
	if s := of(c); s.view != nil {
		return s.view, nil
	} else if s.names != nil {
		return s.names, nil
	}
	return read(c, func(v *tracker.View) (*tracker.View, error) { return v, nil })
}

// loaderOf returns a loader of entities by id. It does not read entities of which
// only the id is selected.
func loaderOf[T any](k *tracker.Kind[T]) *engine.Loader[string, T] {
	return &engine.Loader[string, T]{
		Load: func(c *engine.Call, ids []string) (map[string]*T, error) {
			return read(c, func(v *tracker.View) (map[string]*T, error) { return k.ByID(v, ids) })
		},
		Peek: func(c *engine.Call, ids []string) (map[string]*T, error) {
			return read(c, func(v *tracker.View) (map[string]*T, error) { return k.Peek(v, ids) })
		},
	}
}

func pageOf[T any](p *entity.Page[T]) *engine.Page[*T] {
	return &engine.Page[*T]{Nodes: p.Nodes, HasNextPage: p.HasNext, HasPreviousPage: p.HasPrevious, Cursor: p.Cursor}
}

// root binds a connection of the query root, with all entities of a kind.
func root[T any](b *engine.Builder, field string, k *tracker.Kind[T]) {
	engine.Query(b, field, func(c *engine.Call) (*engine.Page[*T], error) {
		l, err := listOf(c.Args)
		if err != nil {
			return nil, err
		}
		return listed(c, k, l)
	})
}

func listed[T any](c *engine.Call, k *tracker.Kind[T], l entity.Query) (*engine.Page[*T], error) {
	p, err := read(c, func(v *tracker.View) (*entity.Page[T], error) { return k.List(v, l) })
	if err != nil {
		return nil, err
	}
	return pageOf(p), nil
}

// everything binds a connection that does not depend on its parent.
func everything[P, T any](t *engine.Type[P], field string, k *tracker.Kind[T]) {
	engine.Resolve(t, field, func(c *engine.Call, _ *P) (*engine.Page[*T], error) {
		l, err := listOf(c.Args)
		if err != nil {
			return nil, err
		}
		return listed(c, k, l)
	})
}

// connect binds a connection of the entities that belong to the parent by a
// relation of the kind.
func connect[P, T any](t *engine.Type[P], field string, k *tracker.Kind[T], relation string, key func(*P) string) {
	connectBy(t, field, k, func(engine.Args) string { return relation }, key)
}

func connectBy[P, T any](t *engine.Type[P], field string, k *tracker.Kind[T], relation func(engine.Args) string, key func(*P) string) {
	engine.Link(t, field, func(c *engine.Call, parents []*P) ([]*engine.Page[*T], error) {
		l, err := listOf(c.Args)
		if err != nil {
			return nil, err
		}
		ids := make([]string, len(parents))
		for i, p := range parents {
			ids[i] = key(p)
		}
		pages, err := read(c, func(v *tracker.View) (map[string]*entity.Page[T], error) { return k.Of(v, relation(c.Args), ids, l) })
		if err != nil {
			return nil, err
		}
		out := make([]*engine.Page[*T], len(parents))
		for i, id := range ids {
			out[i] = pageOf(pages[id])
		}
		return out, nil
	})
}

// one binds a field of the query root that returns one entity by its id.
func one[T any](b *engine.Builder, field string, get func(v *tracker.View, id string) (*T, error)) {
	engine.Query(b, field, func(c *engine.Call) (*T, error) {
		return read(c, func(v *tracker.View) (*T, error) { return get(v, c.Args.String("id")) })
	})
}

// text returns a string that is null when empty.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// moment returns a time; null for 0, which is never.
func moment(micros int64) *time.Time {
	if micros == 0 {
		return nil
	}
	t := time.UnixMicro(micros).UTC()
	return &t
}

func instant(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// based binds the fields that every entity has.
func based[T any](t *engine.Type[T], base func(*T) *entity.Base) {
	t.Field("id", func(e *T) string { return base(e).ID })
	t.Field("createdAt", func(e *T) time.Time { return instant(base(e).Created) })
	t.Field("updatedAt", func(e *T) time.Time { return instant(base(e).Updated) })
	t.Field("archivedAt", func(e *T) *time.Time { return moment(base(e).Archived) })
}
