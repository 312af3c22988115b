package blockstore

import "understudy/internal/ingest"

// masks are the erasures that are not finished, by project.
type masks map[string]*mask

// mask describes the events of a project that are being erased: those of each
// session and user in the mask with numbers below the number for that session or
// user.
type mask struct {
	sessions, users map[string]int64
	upto            int64 // the greatest of those numbers
}

func (m masks) with(project, session, user string, upto int64) masks {
	if m == nil {
		m = masks{}
	}
	one := m[project]
	if one == nil {
		one = &mask{sessions: map[string]int64{}, users: map[string]int64{}}
		m[project] = one
	}
	if session != "" {
		one.sessions[session] = max(one.sessions[session], upto)
	}
	if user != "" {
		one.users[user] = max(one.users[user], upto)
	}
	one.upto = max(one.upto, upto)
	return m
}

// keep returns the rows of a group that are not being erased and have numbers
// above a number; nil when these are all rows.
func (m masks) keep(c *ingest.Columns, above int64) []int {
	one := m[c.Project]
	if (one == nil || !one.touches(c)) && c.First > above {
		return nil
	}
	rows := make([]int, 0, c.N)
	for i := range c.N {
		if c.Number(i) > above && (one == nil || !one.hides(c, i)) {
			rows = append(rows, i)
		}
	}
	if len(rows) == c.N {
		return nil
	}
	return rows
}

// touches reports whether a group may contain events that are being erased.
func (m *mask) touches(c *ingest.Columns) bool {
	if c.First >= m.upto {
		return false
	}
	for _, id := range c.Session.Values {
		if c.First < m.sessions[id] {
			return true
		}
	}
	for _, id := range c.User.Values {
		if c.First < m.users[id] {
			return true
		}
	}
	return false
}

// hides reports whether the event of a row is being erased.
func (m *mask) hides(c *ingest.Columns, i int) bool {
	n := c.Number(i)
	return n < m.sessions[c.Session.At(i)] || n < m.users[c.User.At(i)]
}

// pick returns some rows of a group as a new group, which shares only the texts
// with it.
func pick(c *ingest.Columns, rows []int) *ingest.Columns {
	out := &ingest.Columns{Project: c.Project, First: c.First, N: len(rows), Bytes: c.Bytes,
		Numbers: make([]int64, len(rows)), Time: make([]int64, len(rows)), Flags: make([]byte, len(rows)),
		Latency: make([]int64, len(rows)), InputTokens: make([]int64, len(rows)), OutputTokens: make([]int64, len(rows))}
	for to, i := range rows {
		out.Numbers[to], out.Time[to], out.Flags[to] = c.Number(i), c.Time[i], c.Flags[i]
		out.Latency[to], out.InputTokens[to], out.OutputTokens[to] = c.Latency[i], c.InputTokens[i], c.OutputTokens[i]
		if to == 0 {
			out.Min, out.Max = c.Time[i], c.Time[i]
		}
		out.Min, out.Max = min(out.Min, c.Time[i]), max(out.Max, c.Time[i])
	}
	for _, d := range [...]struct{ to, from *ingest.Dict }{{&out.Session, &c.Session}, {&out.Name, &c.Name}, {&out.Type, &c.Type},
		{&out.Model, &c.Model}, {&out.Customer, &c.Customer}, {&out.User, &c.User}} {
		*d.to = pickTexts(d.from, rows)
	}
	return out
}

// pickTexts returns some rows of a column, without the texts that no row has any
// more.
func pickTexts(d *ingest.Dict, rows []int) (out ingest.Dict) {
	places := map[int]uint16{}
	out.Index = make([]uint16, len(rows))
	for to, i := range rows {
		at, ok := places[d.Of(i)]
		if !ok {
			at = uint16(len(out.Values))
			places[d.Of(i)] = at
			out.Values = append(out.Values, d.At(i))
		}
		out.Index[to] = at
	}
	if len(out.Values) == 1 {
		out.Index = nil
	}
	return out
}

func pickEvents(events []ingest.Event, rows []int) []ingest.Event {
	out := make([]ingest.Event, len(rows))
	for to, i := range rows {
		out[to] = events[i]
	}
	return out
}
