package store

import (
	"context"
	"errors"
)

// nodesLock is the advisory lock that every process that uses the database
// shares. Who has it to itself knows that nobody is at work.
const nodesLock = "hashtext('understudy nodes')"

// Join holds the lock in a session of its own, so that it ends with the process.
func (s *postgresStore) Join(ctx context.Context, first func() error) (err error) {
	if s.node, err = s.pool.Acquire(ctx); err != nil {
		return err
	}
	err = s.alone(ctx, func() error { return errors.Join(s.dropSpares(ctx, s.node.Conn()), first()) })
	if err == nil {
		_, err = s.node.Exec(ctx, "SELECT pg_advisory_lock_shared("+nodesLock+")")
	}
	if err != nil {
		s.part()
	}
	return err
}

// alone runs f while this process has the lock to itself, when it is the only one.
func (s *postgresStore) alone(ctx context.Context, f func() error) error {
	var alone bool
	err := s.node.QueryRow(ctx, "SELECT pg_try_advisory_lock("+nodesLock+")").Scan(&alone)
	if err == nil && alone {
		defer func() { _, _ = s.node.Exec(ctx, "SELECT pg_advisory_unlock("+nodesLock+")") }()
		err = f()
	}
	return err
}

// Leave gives the lock up.
func (s *postgresStore) Leave(ctx context.Context, last func() error) error {
	defer s.part()
	if _, err := s.node.Exec(ctx, "SELECT pg_advisory_unlock_shared("+nodesLock+")"); err != nil {
		return err
	}
	return s.alone(ctx, last)
}

// part ends the session, and with it the lock.
func (s *postgresStore) part() {
	if s.node != nil {
		_ = s.node.Conn().Close(context.Background())
		s.node.Release()
		s.node = nil
	}
}
