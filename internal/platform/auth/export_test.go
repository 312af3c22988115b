package auth

// Keys returns how many keys a throttle holds.
func (t *Throttle) Keys() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.failures)
}

// IsCommon exposes isCommon.
func IsCommon(password string) bool { return isCommon(password) }
