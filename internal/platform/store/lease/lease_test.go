package lease_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy/internal/platform/store/lease"
)

// Acquire, Suspend and Evict run concurrently: a suspension runs alone, and
// nobody uses the resource once Evict has returned.
func TestHandleModel(t *testing.T) {
	for range 200 {
		var h lease.Handle
		var inside, alone, closed atomic.Int64
		var wg sync.WaitGroup
		for worker := range uint64(6) {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(worker, worker))
				for range 200 {
					if r.IntN(6) == 0 {
						h.Suspend(func() {
							if alone.Add(1) != 1 || inside.Load() != 0 || closed.Load() != 0 {
								t.Error("a suspension beside a user, another suspension or after the end")
							}
							alone.Add(-1)
						})
						continue
					}
					if !h.Acquire() {
						if !h.Evicted() {
							t.Error("refused before it was evicted")
						}
						return
					}
					inside.Add(1)
					if alone.Load() != 0 || closed.Load() != 0 {
						t.Error("in use while suspended or closed")
					}
					inside.Add(-1)
					h.Release()
				}
			})
		}
		for range 2 {
			wg.Go(func() {
				time.Sleep(time.Duration(rand.IntN(200)) * time.Microsecond)
				if err := h.Evict(context.Background()); err != nil || inside.Load() != 0 || alone.Load() != 0 {
					t.Errorf("evicted with %d inside: %v", inside.Load(), err)
				}
				closed.Add(1)
			})
		}
		wg.Wait()
		if h.Users() != 0 || h.Acquire() {
			t.Fatal("it is in use after its end")
		}
	}
}

func TestEvictGivesUpWithItsContext(t *testing.T) {
	var h lease.Handle
	if !h.Acquire() || h.Users() != 1 || h.Suspend(func() {}) {
		t.Fatal("a handle in use")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := h.Evict(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it was evicted with a user: %v", err)
	}
	if h.Acquire() {
		t.Error("a new user after Evict")
	}
	done := make(chan error)
	go func() { done <- h.Evict(context.Background()) }()
	h.Release()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Many goroutines share few keys while others remove them: each is open at most
// once, is removed only when nobody uses it, and no removal is lost.
func TestSetModel(t *testing.T) {
	type resource struct{ open atomic.Bool }
	const keys = 3
	var opened, removed [keys]atomic.Int64
	index := func(key string) (i int) { _, _ = fmt.Sscan(key, &i); return i }
	failed := errors.New("failed")
	var turn atomic.Int64
	s := lease.NewSet(func(key string) (*resource, error) {
		if opened[index(key)].Add(1) != 1 {
			t.Error("it is open twice")
		}
		if turn.Add(1)%5 == 0 {
			opened[index(key)].Add(-1)
			return nil, failed
		}
		r := &resource{}
		r.open.Store(true)
		return r, nil
	}, func(key string, r *resource) {
		r.open.Store(false)
		opened[index(key)].Add(-1)
	}, func(key string) {
		if opened[index(key)].Load() != 0 {
			t.Error("it is removed while it is open")
		}
		removed[index(key)].Add(1)
	})
	var wg sync.WaitGroup
	for worker := range uint64(6) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(worker, 7))
			for range 2000 {
				key := fmt.Sprint(r.IntN(keys))
				release := s.Hold(key)
				value, end, err := s.Share(key)
				if err == nil {
					if !value.open.Load() {
						t.Error("what is shared is closed")
					}
					end()
				} else if !errors.Is(err, failed) {
					t.Error(err)
				}
				release()
			}
		})
	}
	wg.Wait()
	release := s.Hold("1")
	if s.Remove("1") || removed[1].Load() != 0 {
		t.Error("removed while it is held")
	}
	release()
	if removed[1].Load() != 1 || !s.Remove("2") || removed[2].Load() != 1 {
		t.Error("it was not removed")
	}
}

func TestPoolIsBounded(t *testing.T) {
	const most = 3
	var open, inUse atomic.Int64
	p := lease.NewPool(most, func() (*int, error) {
		if open.Add(1) > most {
			t.Error("too many are open")
		}
		return new(int), nil
	}, func(*int) { open.Add(-1) })
	var wg sync.WaitGroup
	for n := range 12 {
		wg.Go(func() {
			for range 500 {
				v, err := p.Acquire(t.Context())
				if err != nil || inUse.Add(1) > most {
					t.Error("too many are in use", err)
				}
				*v++ // the race detector finds two who have the same one
				inUse.Add(-1)
				p.Release(v)
				if n == 0 {
					p.CloseIdle()
				}
			}
		})
	}
	wg.Wait()
	p.CloseIdle()
	if open.Load() != 0 {
		t.Errorf("%d are still open", open.Load())
	}
	for range most {
		_, _ = p.Acquire(t.Context())
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := p.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a fourth: %v", err)
	}
}

func BenchmarkHandle(b *testing.B) {
	var h lease.Handle
	for b.Loop() {
		h.Acquire()
		h.Release()
	}
}
