package environment

import (
	"context"
	"strconv"

	"understudy/internal/platform/outbox"
	"understudy/internal/platform/store"
)

// Close ends an environment and closes its databases. It first stores what is
// only in memory: recorded requests, used limits, the position of a seeded id
// source. It logs errors.
func (e *Environment) Close() {
	e.end((*outbox.Outbox).Close)
	if e.Recorder != nil {
		if err := e.saveState(context.Background()); err != nil {
			e.Log.Error("recorded requests and rate limits could not be stored", "error", err)
		}
	}
	if e.IDs != nil && e.IDs.IsSeeded() {
		position := strconv.FormatUint(e.IDs.Position(), 10)
		err := e.World.Write(context.Background(), func(tx *store.Tx) error {
			return setMeta(tx, map[string]string{"ids_position": position})
		})
		if err != nil {
			e.Log.Error("the position of the id source could not be stored", "error", err)
		}
	}
	e.closeWorlds((*store.World).Close)
}

// Discard ends an environment whose databases will be replaced or removed. It
// stores nothing and does not wait for the disk.
func (e *Environment) Discard() {
	e.end((*outbox.Outbox).Abort)
	e.closeWorlds((*store.World).Discard)
}

// end ends streams, deliveries and instances.
func (e *Environment) end(deliveries func(*outbox.Outbox)) {
	e.EndStreams()
	if e.Outbox != nil {
		deliveries(e.Outbox)
	}
	for _, in := range e.instances {
		in.Close()
	}
}

func (e *Environment) closeWorlds(end func(*store.World) error) {
	for _, w := range e.Extra {
		if err := end(w); err != nil {
			e.Log.Error("a database of the environment could not be closed", "world", w.Name, "error", err)
		}
	}
	if err := end(e.World); err != nil {
		e.Log.Error("the database of the environment could not be closed", "error", err)
	}
}
