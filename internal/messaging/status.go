package messaging

import (
	"context"
	"time"

	"understudy/internal/platform/background"
	"understudy/internal/platform/store"
)

// statusExpiry clears statuses when they expire on the environment's clock. Its
// goroutine runs only while a status with an expiry is set.
type statusExpiry struct {
	s      *Service
	sooner chan struct{} // signals a status that may expire before the one waited for
	worker *background.Worker
}

func newStatusExpiry(s *Service) *statusExpiry {
	x := &statusExpiry{s: s, sooner: make(chan struct{}, 1)}
	x.worker = background.New(x.work)
	return x
}

// begin starts the goroutine if a status has an expiry. It reads on the caller's
// connection: a background read beside the first request of a newly opened
// environment would open a second connection, which costs as much as opening the
// environment.
func (x *statusExpiry) begin(ctx context.Context) {
	var next int64
	err := x.s.world.Read(ctx, func(tx *store.Tx) (err error) {
		next, err = nextStatusEnd(tx, 0)
		return err
	})
	if err != nil || next > 0 {
		x.wake()
	}
}

// wake makes the goroutine read the next expiry again. It never blocks.
func (x *statusExpiry) wake() {
	select {
	case x.sooner <- struct{}{}:
	default:
	}
	x.worker.Wake()
}

func (x *statusExpiry) work(w *background.Worker) {
	for {
		changed := x.s.Clock.Changed()
		next, err := x.s.expireStatuses(context.Background())
		if err != nil {
			x.s.Log.Error("expired statuses could not be cleared", "error", err)
			return
		}
		if next == 0 {
			return
		}
		select {
		case <-w.Stopped():
			return
		case <-changed:
		case <-x.sooner:
		case <-x.s.Clock.WaitUntil(time.UnixMicro(next)):
		}
	}
}

// expireStatuses clears the expired statuses, with their events, and returns when
// the next one expires, 0 for none.
func (s *Service) expireStatuses(ctx context.Context) (next int64, err error) {
	now := s.Clock.Micros()
	var due []*User
	err = s.world.Read(ctx, func(tx *store.Tx) (err error) {
		if due, err = usersWithStatusUntil(tx, now); err != nil {
			return err
		}
		next, err = nextStatusEnd(tx, now)
		return err
	})
	if err != nil || len(due) == 0 {
		return next, err
	}
	return next, s.world.Write(ctx, func(tx *store.Tx) error {
		for _, known := range due {
			u, err := getUser(tx, known.Workspace, known.ID)
			if err != nil {
				return err
			}
			if u == nil || !u.Profile.ended(now) { // changed meanwhile
				continue
			}
			before := u.Profile
			u.Profile.clearStatus()
			u.Updated = s.Clock.Micros()
			if err := s.saveUser(tx, u); err != nil {
				return err
			}
			if err := s.userEvents(ctx, tx, u, u.Profile.changes(&before)...); err != nil {
				return err
			}
		}
		return nil
	})
}

// ended reports whether a status has expired.
func (p *Profile) ended(now int64) bool {
	return p.StatusExpiration > 0 && p.StatusExpiration*1e6 <= now
}

func (p *Profile) clearStatus() {
	p.StatusText, p.StatusEmoji, p.StatusExpiration, p.StatusEmojiDisplayInfo = "", "", 0, []StatusEmoji{}
}

// current returns a user as of now: without a status that has just expired.
func (s *Service) current(u *User) *User {
	if u == nil || !u.Profile.ended(s.Clock.Micros()) {
		return u
	}
	now := *u
	now.Profile.clearStatus()
	return &now
}

// saveUser stores a changed user and drops it from the cache.
func (s *Service) saveUser(tx *store.Tx, u *User) error {
	tx.AfterCommit(func() {
		s.users.Drop(userKey{u.Workspace, u.ID})
		if u.Profile.StatusExpiration > 0 {
			s.expiry.wake()
		}
	})
	return updateUser(tx, u)
}
