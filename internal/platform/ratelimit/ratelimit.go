// Package ratelimit counts calls against named policies, on the environment's clock.
package ratelimit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"understudy/internal/platform/clock"
)

// Shape is the algorithm of a policy.
type Shape int

const (
	// Bucket refills evenly: Limit tokens in Window, at most Limit at once.
	Bucket Shape = iota
	// Rolling allows Limit in any Window, with a resolution of a tenth of the
	// window.
	Rolling
	// Daily allows Limit per day in UTC.
	Daily
)

// Policy is a named allowance.
type Policy struct {
	Name   string
	Shape  Shape
	Limit  float64 // calls, or points
	Window time.Duration
	Burst  float64 // capacity of a Bucket if it differs from Limit
}

// Decision is the result of one call.
type Decision struct {
	OK         bool
	Limit      float64       // after the multiplier; +Inf when limits are off
	Remaining  float64       // never negative
	RetryAfter time.Duration // if refused: the time until the call would pass
	Reset      time.Time     // when the whole allowance is available again
}

// Setting is the multiplier of an environment's limits: 1 is real, 0 is off.
type Setting float64

// ParseSetting parses "real", "off" or "xN" with N from 1 to 1,000,000.
func ParseSetting(s string) (Setting, error) {
	switch s {
	case "real", "":
		return 1, nil
	case "off":
		return 0, nil
	}
	if digits, ok := strings.CutPrefix(s, "x"); ok {
		if n, err := strconv.ParseFloat(digits, 64); err == nil && n >= 1 && n <= 1e6 {
			return Setting(n), nil
		}
	}
	return 0, fmt.Errorf("rate limits must be real, off or xN (such as x10), not %q", s)
}

// String returns the form that ParseSetting parses.
func (s Setting) String() string {
	switch s {
	case 0:
		return "off"
	case 1:
		return "real"
	}
	return "x" + strconv.FormatFloat(float64(s), 'f', -1, 64)
}

// Limiter counts calls. The implementation Memory is for one process.
type Limiter interface {
	// Take charges cost to key under p, even when it refuses.
	Take(key string, p Policy, cost float64) Decision
}

const (
	shards  = 16
	maxKeys = 4096 // of a shard
	maxName = 200  // bytes of a stored key; longer ones are replaced by their hash
)

// Memory is a Limiter in memory.
type Memory struct {
	clock   *clock.Clock
	setting func() Setting
	seed    maphash.Seed
	shards  [shards]shard
}

type shard struct {
	mu   sync.Mutex
	keys map[string]*state
}

type state struct {
	level float64 // Bucket: tokens left
	last  int64   // Bucket: when level held, microseconds
	slots [11]float64
	first int64 // Rolling: number of the newest slot; Daily: number of the day
	until int64 // when this state expires, microseconds
}

// NewMemory returns a limiter on an environment's clock; each Take calls setting.
func NewMemory(c *clock.Clock, setting func() Setting) *Memory {
	return &Memory{clock: c, setting: setting, seed: maphash.MakeSeed()}
}

func (m *Memory) shard(name string) *shard { return &m.shards[maphash.String(m.seed, name)%shards] }

// Take charges a call.
func (m *Memory) Take(key string, p Policy, cost float64) Decision {
	factor := m.setting()
	if factor == 0 {
		return Decision{OK: true, Limit: math.Inf(1), Remaining: math.Inf(1), Reset: m.clock.Now()}
	}
	p.Limit *= float64(factor)
	p.Burst *= float64(factor)
	now := m.clock.Micros()
	name := p.Name + "\x00" + key
	if len(name) > maxName {
		sum := sha256.Sum256([]byte(name))
		name = p.Name + "\x00#" + hex.EncodeToString(sum[:])
	}
	sh := m.shard(name)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	st := sh.keys[name]
	if st == nil {
		if len(sh.keys) >= maxKeys {
			sh.sweep(now)
		}
		st = &state{level: p.capacity(), last: now}
		sh.put(name, st)
	}
	switch p.Shape {
	case Rolling:
		return st.rolling(p, now, cost)
	case Daily:
		return st.daily(p, now, cost)
	}
	return st.bucket(p, now, cost)
}

func (s *shard) put(name string, st *state) {
	if s.keys == nil {
		s.keys = map[string]*state{}
	}
	s.keys[name] = st
}

// sweep drops expired states, and if these are less than a quarter also those
// that expire soonest.
func (s *shard) sweep(now int64) {
	untils := make([]int64, 0, len(s.keys))
	for _, st := range s.keys {
		untils = append(untils, st.until)
	}
	slices.Sort(untils)
	least := max(now, untils[len(untils)/4])
	for k, st := range s.keys {
		if st.until <= least {
			delete(s.keys, k)
		}
	}
}

func (p Policy) capacity() float64 {
	if p.Burst > 0 {
		return p.Burst
	}
	return p.Limit
}

func (st *state) bucket(p Policy, now int64, cost float64) Decision {
	capacity := p.capacity()
	rate := p.Limit / float64(p.Window.Microseconds())
	if now > st.last {
		st.level = min(capacity, st.level+rate*float64(now-st.last))
		st.last = now
	}
	d := Decision{OK: st.level >= cost, Limit: capacity}
	if d.OK {
		st.level -= cost
	} else {
		d.RetryAfter = micros((cost - st.level) / rate)
	}
	d.Remaining = max(st.level, 0)
	st.until = now + int64((capacity-st.level)/rate)
	d.Reset = time.UnixMicro(st.until).UTC()
	return d
}

// rolling counts in ten slots, each a tenth of the window, and the current one.
func (st *state) rolling(p Policy, now int64, cost float64) Decision {
	slot := p.Window.Microseconds() / 10
	n := now / slot
	if gap := n - st.first; gap > 0 {
		for i := int64(1); i <= min(gap, int64(len(st.slots))); i++ {
			st.slots[(st.first+i)%int64(len(st.slots))] = 0
		}
		st.first = n
	}
	used, oldest := 0.0, int64(-1)
	for i := int64(9); i >= 0; i-- {
		if v := st.slots[(n-i+int64(len(st.slots))*2)%int64(len(st.slots))]; v > 0 {
			used += v
			if oldest < 0 {
				oldest = n - i
			}
		}
	}
	d := Decision{OK: used+cost <= p.Limit, Limit: p.Limit}
	if d.OK {
		st.slots[n%int64(len(st.slots))] += cost
		used += cost
	} else {
		d.RetryAfter = micros(float64((max(oldest, n-9)+10)*slot - now))
	}
	d.Remaining = max(p.Limit-used, 0)
	st.until = (n + 10) * slot
	d.Reset = time.UnixMicro(st.until).UTC()
	return d
}

func (st *state) daily(p Policy, now int64, cost float64) Decision {
	const day = int64(24 * time.Hour / time.Microsecond)
	if n := now / day; n != st.first {
		st.first, st.slots[0] = n, 0
	}
	st.until = (now/day + 1) * day
	d := Decision{OK: st.slots[0]+cost <= p.Limit, Limit: p.Limit, Reset: time.UnixMicro(st.until).UTC()}
	if d.OK {
		st.slots[0] += cost
	} else {
		d.RetryAfter = micros(float64(st.until - now))
	}
	d.Remaining = max(p.Limit-st.slots[0], 0)
	return d
}

func micros(n float64) time.Duration { return time.Duration(math.Ceil(n)) * time.Microsecond }
