package postgres

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/group"
	"understudy/internal/platform/store/lease"
)

// world is a schema. It implements store.Backend.
type world struct {
	store  *Store
	schema string
	slots  chan struct{} // one slot for each connection that the world may use at once

	volatile atomic.Bool // writes do not wait for the disk yet
	once     atomic.Bool // no write function runs twice
	queue    group.Queue

	witness atomic.Pointer[store.Witness] // nil for none

	statistics statistics

	users lease.Handle // reads and writes, for which Close waits
}

// Read implements store.Backend.
func (w *world) Read(ctx context.Context, begun, fn func(*store.Tx) error) error {
	if !w.users.Acquire() {
		return store.Closed
	}
	defer w.users.Release()
	_, err := w.run(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", func(tx *store.Tx) error {
		if begun != nil {
			if err := begun(tx); err != nil {
				return err
			}
		}
		return fn(tx)
	})
	return err
}

// WriteBeside implements store.Backend.
func (w *world) WriteBeside(ctx context.Context, fn func(*store.Tx) error) error {
	if !w.users.Acquire() {
		return store.Closed
	}
	defer w.users.Release()
	var own *store.Tx
	end, err := w.run(ctx, "BEGIN; SET LOCAL synchronous_commit = off", func(tx *store.Tx) error {
		own = tx
		return fn(tx)
	})
	if err == nil && end != "COMMIT" {
		err = errRolledBack
	}
	if err == nil {
		own.RunAfterCommit()
	}
	return err
}

// run runs fn in a transaction of its own that begins with a text. It returns how
// the server says that it ended, COMMIT or ROLLBACK.
func (w *world) run(ctx context.Context, begin string, fn func(*store.Tx) error) (ended string, err error) {
	c, release, err := w.begin(ctx, begin)
	if err != nil {
		return "", err
	}
	defer release()
	tx := store.NewTx(&conn{ctx: ctx, conn: c.Conn()}, store.PostgreSQL)
	if err = tx.Run(fn); err == nil {
		err = ctx.Err()
	}
	end := "COMMIT"
	if err != nil {
		end = "ROLLBACK"
	}
	tag, e := c.Exec(context.WithoutCancel(ctx), end)
	if e != nil {
		_ = c.Conn().Close(context.WithoutCancel(ctx))
		if err == nil {
			err = store.Wrap(end, classify(e))
		}
	}
	return tag.String(), err
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

// lockTime bounds the wait for a lock that another transaction holds.
const lockTime = "; SET LOCAL lock_timeout = 5000"

// begin begins a transaction and returns its connection, and the function that
// releases it. It returns Unavailable if no connection is free within
// connectTime. It replaces a broken connection.
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

// MakeDurable waits for the disk once: flushing one commit includes all commits
// before it.
func (w *world) MakeDurable(ctx context.Context) error {
	if !w.volatile.Swap(false) {
		return nil
	}
	return w.Write(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec("SELECT pg_logical_emit_message(true, 'durable', '')") // something to flush
		return err
	})
}

// Suspend does nothing: the pool closes idle connections.
func (w *world) Suspend() bool { return false }

// RunOnce implements store.Backend.
func (w *world) RunOnce() { w.once.Store(true) }

// Discard implements store.Backend.
func (w *world) Discard() error { return w.Close() }

// Close waits for running transactions. After it the schema is not used through
// this world, and may be dropped or replaced.
func (w *world) Close() error {
	w.Watch(nil)
	return w.users.Evict(context.Background())
}
