package postgres

import (
	"context"
	"errors"
)

// nodesLock is the advisory lock that every process using the database shares. A
// process that holds it exclusively knows that no other is at work.
const nodesLock = "hashtext('understudy nodes')"

// Join holds the lock in a session of its own, so that the lock ends with the process.
func (s *Store) Join(ctx context.Context, first func() error) (err error) {
	if s.node, err = s.pool.Acquire(ctx); err != nil {
		return err
	}
	err = s.alone(ctx, func() error { return errors.Join(s.dropSpares(ctx, s.node.Conn()), first()) })
	if err == nil {
		_, err = s.node.Exec(ctx, "SELECT pg_advisory_lock_shared("+nodesLock+")")
	}
	if err != nil {
		s.endSession()
	}
	return err
}

// alone runs f while this process holds the lock exclusively, if no other holds it.
func (s *Store) alone(ctx context.Context, f func() error) error {
	var alone bool
	err := s.node.QueryRow(ctx, "SELECT pg_try_advisory_lock("+nodesLock+")").Scan(&alone)
	if err == nil && alone {
		defer func() { _, _ = s.node.Exec(ctx, "SELECT pg_advisory_unlock("+nodesLock+")") }()
		err = f()
	}
	return err
}

// Leave releases the lock.
func (s *Store) Leave(ctx context.Context, last func() error) error {
	defer s.endSession()
	if _, err := s.node.Exec(ctx, "SELECT pg_advisory_unlock_shared("+nodesLock+")"); err != nil {
		return err
	}
	return s.alone(ctx, last)
}

// endSession ends the session, and with it the lock.
func (s *Store) endSession() {
	if s.node != nil {
		_ = s.node.Conn().Close(context.Background())
		s.node.Release()
		s.node = nil
	}
}
