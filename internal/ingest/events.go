package ingest

import (
	"context"
	"strings"

	"understudy/internal/platform/ids"
	db "understudy/internal/platform/store"
)

// Events returns at most limit events, newest first, from below a position if
// that is not zero; fewer if more would make a reply too long. With summary, long
// texts are previews. more reports whether others follow.
func (in *Ingest) Events(ctx context.Context, project string, f Filter, below Position, limit int, summary bool) (list []Listed, more bool, err error) {
	return in.list(ctx, project, f, List{Below: below, Limit: limit, Summary: summary})
}

// EventsAfter returns summaries of at most limit events with numbers above one,
// which is not 0, in the order of their numbers.
func (in *Ingest) EventsAfter(ctx context.Context, project string, f Filter, number int64, limit int) (list []Listed, more bool, err error) {
	return in.list(ctx, project, f, List{After: number, Limit: limit, Summary: true})
}

func (in *Ingest) list(ctx context.Context, project string, f Filter, l List) ([]Listed, bool, error) {
	var err error
	if l.Match, err = in.match(ctx, project, f); err != nil {
		return nil, false, err
	}
	page, err := in.d.Store.List(ctx, l)
	if err != nil {
		return nil, false, err
	}
	return page.Events, page.More, in.fillUsers(ctx, project, page.Events)
}

// Event returns the event with an id. It returns EventNotFound.
func (in *Ingest) Event(ctx context.Context, project, id string) (Listed, error) {
	if ids.IsUUID(id) {
		id = strings.ToLower(id)
	}
	e, found, err := in.d.Store.Find(ctx, project, id)
	if err == nil && !found {
		err = EventNotFound
	}
	if err != nil {
		return Listed{}, err
	}
	one := []Listed{e}
	err = in.fillUsers(ctx, project, one)
	return one[0], err
}

// fillUsers sets the user of events without one to the user of their session.
func (in *Ingest) fillUsers(ctx context.Context, project string, events []Listed) error {
	return in.d.Events.Read(ctx, func(tx *db.Tx) error {
		known := map[string]string{}
		for i := range events {
			e := &events[i]
			if e.User != "" {
				continue
			}
			user, ok := known[e.Session]
			if !ok {
				s, _, err := getSession(tx, project, e.Session, false)
				if err != nil {
					return err
				}
				user = s.User
				known[e.Session] = user
			}
			e.User = user
		}
		return nil
	})
}

// StoredID returns the stored form of an id.
func StoredID(id string) string {
	if ids.IsUUID(id) {
		return strings.ToLower(id)
	}
	return id
}
