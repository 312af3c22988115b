package messaging

import (
	"context"
	"sync"
)

// Upstream's rule: a subscription is disabled when more than 95 % of at least
// 1,000 deliveries within an hour failed.
const (
	healthMinutes = 60
	healthLeast   = 1000
	healthShare   = 95 // percent
)

// health counts the results of deliveries by subscription and minute of the
// environment's clock. Its counts are lost when the program ends.
type health struct {
	mu    sync.Mutex
	marks map[string]*[healthMinutes]healthMinute
}

type healthMinute struct {
	minute        int64
	total, failed int
}

// note counts one delivery and reports whether the subscription must be disabled.
func (h *health) note(id string, minute int64, failed bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.marks == nil {
		h.marks = map[string]*[healthMinutes]healthMinute{}
	}
	ring := h.marks[id]
	if ring == nil {
		ring = &[healthMinutes]healthMinute{}
		h.marks[id] = ring
	}
	m := &ring[minute%healthMinutes]
	if m.minute != minute {
		*m = healthMinute{minute: minute}
	}
	m.total++
	if !failed {
		return false
	}
	m.failed++
	total, bad := 0, 0
	for _, x := range ring {
		if x.minute > minute-healthMinutes && x.minute <= minute {
			total, bad = total+x.total, bad+x.failed
		}
	}
	if total < healthLeast || bad*100 <= total*healthShare {
		return false
	}
	delete(h.marks, id)
	return true
}

// DeliveryEnded counts a delivery that succeeded or was given up, and disables a
// subscription of which almost all deliveries fail.
func (s *Service) DeliveryEnded(ctx context.Context, subscription string, delivered bool) {
	if !s.health.note(subscription, s.Clock.Unix()/60, !delivered) {
		return
	}
	workspace, err := s.workspaceOf(ctx, subscription)
	if err == nil && workspace != "" {
		err = s.disable(ctx, workspace, subscription)
	}
	if err != nil {
		s.Log.Error("a failing subscription could not be disabled", "subscription", subscription, "error", err)
		return
	}
	s.Log.Warn("a subscription was disabled, because over 95 % of its deliveries failed within an hour", "subscription", subscription)
}
