package ratelimit

// Saved is the used part of one allowance.
type Saved struct {
	Name  string // of the policy, and the key
	Level float64
	Last  int64
	Slots [11]float64
	First int64
	Until int64
}

// Save returns the used parts that have not expired.
func (m *Memory) Save() (out []Saved) {
	now := m.clock.Micros()
	for i := range m.shards {
		sh := &m.shards[i]
		sh.mu.Lock()
		for name, st := range sh.keys {
			if st.until > now {
				out = append(out, Saved{name, st.level, st.last, st.slots, st.first, st.until})
			}
		}
		sh.mu.Unlock()
	}
	return out
}

// Load restores the result of Save.
func (m *Memory) Load(list []Saved) {
	for _, s := range list {
		sh := m.shard(s.Name)
		sh.mu.Lock()
		sh.put(s.Name, &state{level: s.Level, last: s.Last, slots: s.Slots, first: s.First, until: s.Until})
		sh.mu.Unlock()
	}
}
