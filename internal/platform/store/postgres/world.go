package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/lease"
)

// world is a schema. It implements store.Backend.
type world struct {
	store  *Store
	schema string
	slots  chan struct{} // has a place for each connection that the world may use at once

	volatile atomic.Bool // writes do not wait for the disk yet
	order    commitOrder

	witness atomic.Pointer[store.Witness] // nil for none

	users lease.Handle // reads and writes, for which Close waits
}

// Read implements store.Backend.
func (w *world) Read(ctx context.Context, begun, fn func(*store.Tx) error) error {
	return w.run(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", func(tx *store.Tx) error {
		if begun != nil {
			if err := begun(tx); err != nil {
				return err
			}
		}
		return fn(tx)
	}, nil)
}

// Write implements store.Backend. It runs fn again after a deadlock or a
// serialization failure.
func (w *world) Write(ctx context.Context, fn func(*store.Tx) error) error {
	return w.write(ctx, fn, w.volatile.Load())
}

// WriteDerived implements store.Backend.
func (w *world) WriteDerived(ctx context.Context, fn func(*store.Tx) error) error {
	return w.write(ctx, fn, true)
}

func (w *world) write(ctx context.Context, fn func(*store.Tx) error, volatile bool) error {
	for try := 1; ; try++ {
		begin := "BEGIN"
		if volatile {
			begin = "BEGIN; SET LOCAL synchronous_commit = off"
		}
		err := w.run(ctx, begin, fn, w.newNotes(ctx))
		if err == nil {
			return nil
		}
		var pe *pgconn.PgError
		if !errors.As(err, &pe) || pe.Code != "40001" && pe.Code != "40P01" || try == maxTries {
			return err
		}
	}
}

// newNotes returns what collects the changes of a write, nil without a witness.
func (w *world) newNotes(ctx context.Context) *notes {
	if wt := w.witness.Load(); wt != nil {
		return &notes{witness: *wt, by: (*wt).Author(ctx)}
	}
	return nil
}

// Watch implements store.Backend.
func (w *world) Watch(wt store.Witness) {
	if wt == nil {
		w.witness.Store(nil)
		w.store.watched.CompareAndDelete(w.schema, w)
		return
	}
	w.witness.Store(&wt)
	w.store.watched.Store(w.schema, w)
}

// run runs fn in a transaction whose table names are those of this world, and
// hands over to the witness what notes has collected when it is committed.
func (w *world) run(ctx context.Context, begin string, fn func(*store.Tx) error, notes *notes) error {
	if !w.users.Acquire() {
		return store.Closed
	}
	defer w.users.Release()
	c, release, err := w.begin(ctx, begin)
	if err != nil {
		return err
	}
	defer release()
	ended := false
	defer func() {
		if !ended {
			if _, e := c.Exec(context.WithoutCancel(ctx), "ROLLBACK"); e != nil {
				_ = c.Conn().Close(context.WithoutCancel(ctx))
			}
		}
	}()
	tx := store.NewTx(&conn{ctx: ctx, conn: c.Conn(), notes: notes}, store.PostgreSQL)
	if err := tx.Run(fn); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := notes.prepare(c.Conn()); err != nil {
		return err
	}
	committed := false
	turn := w.order.join(tx)
	defer func() { turn(committed) }()
	undone := false
	defer notes.begin(&undone)()
	// Once COMMIT is sent, only its reply shows what became of it, even when the caller has gone.
	if wire := wireOf(c.Conn()); wire != nil {
		wire.committing.Store(true)
		defer wire.committing.Store(false)
	}
	tag, err := c.Exec(context.WithoutCancel(ctx), "COMMIT")
	if err != nil {
		return store.Wrap("COMMIT", classify(err))
	}
	ended = true
	if undone = tag.String() != "COMMIT"; undone {
		return errors.New("the database rolled the transaction back")
	}
	committed = true
	return nil
}

// lockTime bounds the wait for a lock that another transaction holds.
const lockTime = "; SET LOCAL lock_timeout = 5000"

// begin begins a transaction and returns its connection, and the function that
// releases it. It returns Unavailable when there is none in connectTime. It
// replaces a connection that turns out to be broken.
func (w *world) begin(ctx context.Context, text string) (_ *pgxpool.Conn, release func(), err error) {
	if refused := w.store.refused.Load(); refused != nil {
		return nil, nil, refused
	}
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	select {
	case w.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, store.Unavailable.Because(fmt.Errorf("all connections for %s are in use: %w", w.schema, ctx.Err()))
	}
	for range cap(w.slots) + 1 {
		var c *pgxpool.Conn
		if c, err = w.store.pool.Acquire(ctx); err != nil {
			break
		}
		if _, err = c.Exec(ctx, text+lockTime+"; SET LOCAL search_path = "+w.schema); err == nil {
			return c, func() { c.Release(); <-w.slots }, nil
		}
		c.Release()
		if !isLost(err) {
			break
		}
	}
	<-w.slots
	return nil, nil, store.Unavailable.Because(err)
}

// MakeDurable waits for the disk once: what a commit waits for includes all
// commits before it.
func (w *world) MakeDurable(ctx context.Context) error {
	if !w.volatile.Swap(false) {
		return nil
	}
	return w.Write(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec("SELECT pg_logical_emit_message(true, 'sealed', '')") // something to write
		return err
	})
}

// Suspend does nothing: the pool closes idle connections.
func (w *world) Suspend() {}

// RunOnce does nothing: no write runs again because of its neighbours.
func (w *world) RunOnce() {}

// Discard implements store.Backend.
func (w *world) Discard() error { return w.Close() }

// Close waits for running transactions. After it nobody reaches the schema
// through this world, and the schema may be dropped or replaced.
func (w *world) Close() error {
	w.Watch(nil)
	return w.users.Evict(context.Background())
}
