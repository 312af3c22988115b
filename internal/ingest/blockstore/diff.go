package blockstore

import (
	"understudy/internal/ingest"
	"understudy/internal/platform/diff"
	"understudy/internal/platform/store"
)

// Table is the table whose rows hold the events.
const Table = "event_block"

// Entities declares the entity for diffs: the events of the blocks that differ
// between both worlds. The block of an event does not matter: after a merge of
// blocks the same event is in both worlds and shows no change.
func Entities() []diff.Entity {
	part := diff.Used("holds the events")
	return []diff.Entity{{Name: "event", Table: Table, Key: []string{"project", "seq"}, Columns: map[string]diff.Column{
		"seq": diff.Used("the number of the block"), "project": part, "events": part, "columns": part,
		"min_ms": diff.Out("for queries"), "max_ms": diff.Out("for queries"),
		"head": diff.Out("for queries"), "owned": diff.Out("for queries"),
	}, Unpack: unpack, Numbered: eachNumbered, Reach: reach, KeyForm: "event_id", More: ingest.EventFields()}}
}

// reach returns the project and the number of the last event of a block.
func reach(r diff.Row) []any {
	c := ingest.Columns{First: r.Int("seq")}
	if decodeColumns(r.Bytes("columns"), &c, allColumns) != nil {
		return nil
	}
	return []any{r.Text("project"), c.Last()}
}

// eachNumbered calls fn for the events with numbers in [from, until), except
// those that are being erased and those in damaged blocks.
func eachNumbered(tx *store.Tx, from, until int64, fn func(diff.Record) error) error {
	masks, err := readMasks(tx)
	if err != nil {
		return err
	}
	projects, err := listProjects(tx)
	if err != nil {
		return err
	}
	for _, project := range projects {
		first, err := blockOf(tx, project, from)
		if err != nil {
			return err
		}
		err = eachStored(tx, project, max(first, 0), until-1, func(b wholeBlock) error {
			events, err := b.decode()
			if err != nil {
				return nil
			}
			c := &b.Columns
			if rows := masks.keep(c, 0); rows != nil {
				c, events = pick(c, rows), pickEvents(events, rows)
			}
			for i := range events {
				if n := c.Number(i); n >= from && n < until {
					if err := fn(diff.Record{Service: ingest.Name, Entity: "event", Key: events[i].ID, Number: n}); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func unpack(tx *store.Tx, r diff.Row) ([]diff.Record, error) {
	seq := r.Int("seq")
	c := &ingest.Columns{First: seq, Project: r.Text("project")}
	idents, payload, err := detailAt(tx, seq)
	if err != nil {
		return nil, err
	}
	if decodeColumns(r.Bytes("columns"), c, allColumns) != nil || !checkSums(r.Bytes("columns"), idents) {
		return nil, nil // damaged: left out here as in every reply
	}
	events, err := decodeEvents(c, idents, payload)
	if err != nil {
		return nil, nil
	}
	masks, err := readMasks(tx)
	if err != nil {
		return nil, err
	}
	if rows := masks.keep(c, 0); rows != nil {
		c, events = pick(c, rows), pickEvents(events, rows)
	}
	out := make([]diff.Record, len(events))
	for i := range events {
		out[i] = diff.Record{Service: ingest.Name, Entity: "event", Key: events[i].ID, Fields: events[i].Fields(), Number: c.Number(i)}
	}
	return out, nil
}
