package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

const (
	// claimLock is the advisory lock of the one process that may use the database.
	claimLock = "hashtext('understudy nodes')"
	// claimSchema is a schema whose comment names the last process that claimed the
	// database.
	claimSchema = "understudyclaim"
	// claimWait is the time for which a new process waits for the lock of one that
	// is ending.
	claimWait = 2 * time.Second
	// pulse is the interval of health checks of the database.
	pulse = time.Second
)

var (
	claimLost  = store.Unavailable.Because(errors.New("the connection that holds the lock on the database was lost"))
	claimTaken = store.Unavailable.Detailf("Another understudy has used the database meanwhile; this server must be restarted.")
)

// claim is this process's lock on its database, held by a connection of its own.
//
// While that connection is lost, no world can be used: another process might hold
// the lock. If another process did hold it in between, the caches of this one may
// be wrong, and the store stays unavailable.
type claim struct {
	s     *Store
	log   *slog.Logger
	owner string    // of this process; the comment of claimSchema
	conn  *pgx.Conn // nil while the connection is lost
	asked chan chan error
	stop  context.CancelFunc
	ended chan struct{}
}

// Claim locks the database for this process until Release or Close. It returns
// ErrInUse. It logs the loss of the lock, and its return.
func (s *Store) Claim(ctx context.Context, log *slog.Logger) error {
	c := &claim{s: s, log: log, owner: ids.Random().Hex(32), asked: make(chan chan error), ended: make(chan struct{})}
	if err := c.connect(ctx); err != nil {
		return err
	}
	began := clock.Real()
	for {
		locked, err := c.lock(ctx)
		if err == nil && locked {
			break
		}
		if err == nil && clock.Real().Sub(began) > claimWait {
			err = store.ErrInUse
		}
		if err != nil {
			return errors.Join(err, c.conn.Close(ctx))
		}
		time.Sleep(50 * time.Millisecond)
	}
	err := s.dropSpares(ctx, c.conn)
	if err == nil {
		err = run(ctx, c.conn, "CREATE SCHEMA IF NOT EXISTS "+claimSchema+";\n"+commentOn(claimSchema, c.owner))
	}
	if err != nil {
		return errors.Join(err, c.conn.Close(ctx))
	}
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	c.stop = stop
	s.claim.Store(c)
	go c.watch(watching)
	return nil
}

// Release releases the lock.
func (s *Store) Release() {
	if c := s.claim.Swap(nil); c != nil {
		c.stop()
		<-c.ended
	}
}

// Ping reports whether the database answers. It uses the connection of the lock,
// so that it does not wait for those of requests.
func (s *Store) Ping(ctx context.Context) error {
	c := s.claim.Load()
	if c == nil {
		return s.pool.Ping(ctx)
	}
	answer := make(chan error, 1)
	select {
	case c.asked <- answer:
	case <-ctx.Done():
		return store.Unavailable.Because(ctx.Err())
	}
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return store.Unavailable.Because(ctx.Err())
	}
}

func (c *claim) connect(ctx context.Context) (err error) {
	cfg := c.s.pool.Config().ConnConfig.Copy()
	cfg.DialFunc = c.s.dial
	c.conn, err = pgx.ConnectConfig(ctx, cfg)
	return err
}

func (c *claim) lock(ctx context.Context) (locked bool, err error) {
	err = c.conn.QueryRow(ctx, "SELECT pg_try_advisory_lock("+claimLock+")").Scan(&locked)
	return locked, err
}

// watch checks the database at each pulse and for each Ping.
func (c *claim) watch(ctx context.Context) {
	defer close(c.ended)
	tick := time.NewTicker(pulse)
	defer tick.Stop()
	for {
		var answer chan error
		select {
		case <-ctx.Done():
			if c.conn != nil {
				_ = c.conn.Close(context.Background())
			}
			return
		case <-tick.C:
		case answer = <-c.asked:
		}
		err := c.check(ctx)
		if answer != nil {
			answer <- err
		}
	}
}

// check pings the database, and acquires the lock again if its connection was
// lost.
func (c *claim) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	refused := c.s.refused.Load()
	if c.conn != nil {
		_, err := c.conn.Exec(ctx, "SELECT 1")
		if err == nil {
			if refused != nil {
				return refused
			}
			return nil
		}
		_ = c.conn.Close(ctx)
		c.conn = nil
		if refused == nil {
			c.s.refused.Store(claimLost)
			c.log.Error("the database does not answer; requests are refused until it does", "error", err)
		}
		if ctx.Err() != nil { // it hangs, and so would everything that waits for replies
			c.s.wires.cut()
			return claimLost.Because(err)
		}
	}
	if err := c.retake(ctx); err != nil {
		return store.Unavailable.Because(err)
	}
	return nil
}

// retake connects and acquires the lock again.
func (c *claim) retake(ctx context.Context) (err error) {
	if err = c.connect(ctx); err != nil {
		c.conn = nil
		return err
	}
	locked, err := c.lock(ctx)
	var owner string
	if err == nil && !locked { // by another process, or by this process's lost connection, which the server has not noticed yet
		err = errors.New("the lock on the database is held by another connection")
	}
	if err == nil {
		if owner, err = kindOfSchema(ctx, c.conn, claimSchema); errors.Is(err, store.ErrNoWorld) {
			err = nil
		}
	}
	if err != nil {
		err = errors.Join(err, c.conn.Close(context.WithoutCancel(ctx)))
		c.conn = nil
		return err
	}
	if owner != c.owner {
		if c.s.refused.Swap(claimTaken) != claimTaken {
			c.log.Error("another Understudy used the database while this one was not connected to it; restart this one", "owner", owner)
		}
		err = fmt.Errorf("the database was claimed by %q", owner)
		err = errors.Join(err, c.conn.Close(context.WithoutCancel(ctx)))
		c.conn = nil
		return err
	}
	c.s.refused.Store(nil)
	c.log.Info("the database answers again")
	return nil
}
