package auth

import (
	"sync"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/fault"
)

// TooManyFailures refuses a sign-in attempt after too many failures. Its
// RetryAfter is the time until the next attempt is allowed.
var TooManyFailures = fault.New(fault.RateLimited, "ratelimited", "Too many failed attempts to sign in. Try again later.")

// AdminKeyPrefix is the prefix of the keys of the admin plane. Where other
// credentials are accepted too, a text without it does not count as an attempt at
// the key.
const AdminKeyPrefix = "adm_"

// The numbers of failures that are allowed in failureWindow.
const (
	// AccountFailures is for one account from one address.
	AccountFailures = 10
	// AddressFailures is for one address, whatever the account.
	AddressFailures = 100

	failureWindow = time.Minute
	maxThrottled  = 1 << 15 // keys, to bound the memory
)

// Throttle counts failed attempts by key over the last minute of real time, since
// an environment's clock may be frozen. Only failures count, so that clients with
// valid credentials are never slowed down. The zero value is ready to use.
type Throttle struct {
	Now func() time.Time // nil for the real clock

	mu       sync.Mutex
	failures map[string][]int64 // microseconds, oldest first
}

func (t *Throttle) now() int64 {
	if t.Now != nil {
		return t.Now().UnixMicro()
	}
	return clock.Real().UnixMicro()
}

// Check returns TooManyFailures when key has failed limit times in the last minute.
func (t *Throttle) Check(key string, limit int) error {
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	failed := recent(t.failures[key], now)
	if len(failed) < limit {
		return nil
	}
	until := failed[len(failed)-limit] + failureWindow.Microseconds()
	return TooManyFailures.After(max(time.Duration(until-now)*time.Microsecond, time.Microsecond))
}

// Fail counts a failure of each key.
func (t *Throttle) Fail(keys ...string) {
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failures == nil {
		t.failures = map[string][]int64{}
	}
	if len(t.failures) >= maxThrottled {
		t.sweep(now)
	}
	for _, key := range keys {
		failed := append(recent(t.failures[key], now), now)
		t.failures[key] = failed[max(len(failed)-AddressFailures, 0):]
	}
}

// Forget drops the failures of a key.
func (t *Throttle) Forget(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.failures, key)
}

// sweep drops the keys without recent failures, and arbitrary ones if there are
// still too many. The throttle is locked.
func (t *Throttle) sweep(now int64) {
	for key, failed := range t.failures {
		if len(recent(failed, now)) == 0 {
			delete(t.failures, key)
		}
	}
	for key := range t.failures {
		if len(t.failures) < maxThrottled/2 {
			return
		}
		delete(t.failures, key)
	}
}

// recent returns the part of failed that is within the last minute.
func recent(failed []int64, now int64) []int64 {
	for len(failed) > 0 && failed[0] <= now-failureWindow.Microseconds() {
		failed = failed[1:]
	}
	return failed
}
