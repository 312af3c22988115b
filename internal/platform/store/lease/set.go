package lease

import "sync"

// Set shares resources by key: it opens each for its first user, and closes it
// after the last. It is safe for concurrent use.
type Set[T any] struct {
	open   func(key string) (T, error)
	close  func(key string, value T)
	remove func(key string)

	mu     sync.Mutex
	shares map[string]*share[T]
}

type share[T any] struct {
	// Guarded by Set.mu.
	users  int  // who hold the key or wait for opening
	doomed bool // the last user removes the resource

	mu      sync.Mutex // held while the resource is opened or closed
	value   T
	readers int
}

// NewSet returns a set. open opens the resource of a key, close closes it, and
// remove removes it after Remove.
func NewSet[T any](open func(key string) (T, error), close func(key string, value T), remove func(key string)) *Set[T] {
	return &Set[T]{open: open, close: close, remove: remove, shares: map[string]*share[T]{}}
}

// Share returns the opened resource of a key. release must be called once; the
// last release closes the resource.
func (s *Set[T]) Share(key string) (value T, release func(), err error) {
	one := s.join(key)
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.readers == 0 {
		if one.value, err = s.open(key); err != nil {
			s.leave(key, one)
			return value, nil, err
		}
	}
	one.readers++
	return one.value, func() {
		one.mu.Lock()
		if one.readers--; one.readers == 0 {
			s.close(key, one.value)
			var none T
			one.value = none
		}
		one.mu.Unlock()
		s.leave(key, one)
	}, nil
}

// Hold prevents the removal of a key until release, without opening it. The
// caller must check afterwards that the key exists.
func (s *Set[T]) Hold(key string) (release func()) {
	one := s.join(key)
	return func() { s.leave(key, one) }
}

// Remove removes the resource of a key: now, or when its last user has released
// it. It reports whether it was removed now. The caller must ensure that there
// will be no new users.
func (s *Set[T]) Remove(key string) (now bool) {
	s.mu.Lock()
	one := s.shares[key]
	if one != nil {
		one.doomed = true
	}
	s.mu.Unlock()
	if one != nil {
		return false
	}
	s.remove(key)
	return true
}

func (s *Set[T]) join(key string) *share[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.shares[key]
	if one == nil {
		one = &share[T]{}
		s.shares[key] = one
	}
	one.users++
	return one
}

func (s *Set[T]) leave(key string, one *share[T]) {
	s.mu.Lock()
	one.users--
	last, doomed := one.users == 0, one.doomed
	if last {
		delete(s.shares, key)
	}
	s.mu.Unlock()
	if last && doomed {
		s.remove(key)
	}
}
