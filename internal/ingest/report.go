package ingest

import (
	"context"
	"errors"

	db "understudy/internal/platform/store"
)

// ErrTooManyEvents is returned for a session with more events than the limit.
var ErrTooManyEvents = errors.New("the session has too many events")

// Report returns the tree of a session of any project: of the oldest project that
// has the session. The events have no payloads. begin is called once with how many
// there are, as far as is known before they are read, and then read with the metadata of each.
// It returns SessionNotFound, and ErrTooManyEvents for more than most.
func Report(ctx context.Context, in *Ingest, id string, most int, begin func(events int), read func(number int64, metadata string)) (s Session, roots []*Node, err error) {
	var projects []string
	err = in.d.State.Read(ctx, func(tx *db.Tx) (err error) {
		projects, err = listProjects(tx)
		return err
	})
	if err == nil {
		_, err = refresh(ctx, in)
	}
	if err != nil {
		return s, nil, err
	}
	project := ""
	err = in.d.Events.Read(ctx, func(tx *db.Tx) error {
		for _, p := range projects {
			one, found, err := getSession(tx, p, StoredID(id), false)
			if err != nil {
				return err
			}
			if found {
				s, project = one, p
				return nil
			}
		}
		return SessionNotFound
	})
	if err != nil {
		return s, nil, err
	}
	if s.Events > int64(most) {
		return s, nil, ErrTooManyEvents
	}
	begin(int(s.Events))
	events := make([]Listed, 0, s.Events)
	err = in.d.Store.Query(ctx, Query{Project: project, Sessions: []string{s.ID}, Detail: true}, func(c *Columns) (bool, error) {
		all, err := c.Detail()
		for i := range all {
			if all[i].Session != s.ID {
				continue
			}
			e := Listed{Event: all[i], Position: Position{all[i].Time, c.Number(i)}}
			read(e.Seq, e.Metadata)
			e.strip()
			e.Own()
			events = append(events, e)
		}
		return len(events) <= most, err
	})
	if err == nil && len(events) > most {
		err = ErrTooManyEvents
	}
	return s, Tree(events), err
}

// strip drops the payloads.
func (e *Event) strip() { e.Args, e.Result, e.Metadata, e.Checkpoints, e.marks = "", "", "", "", nil }

// Number returns the number of the node's event.
func (n *Node) Number() int64 { return n.seq }
