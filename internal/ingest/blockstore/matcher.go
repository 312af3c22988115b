package blockstore

import (
	"slices"

	"understudy/internal/ingest"
)

// matcher applies a Match to block after block.
type matcher struct {
	m     *ingest.Match
	terms terms
	found found      // by the index, when there are terms
	users *textTable // the users of the match; nil for everybody
	space []int32    // work space
	// sessions is the sessions of the match, if they are many.
	sessions map[string]bool
}

// every holds the rows of a block in which all rows pass.
var every = func() (all [maxBlock]int32) {
	for i := range all {
		all[i] = int32(i)
	}
	return all
}()

// columns returns the columns that the method rows reads.
func (m *matcher) columns() (want columnSet) {
	for _, c := range [...]struct {
		wanted bool
		column columnSet
	}{{len(m.m.Names) > 0, nameColumn}, {len(m.m.Types) > 0, typeColumn}, {len(m.m.Models) > 0, modelColumn},
		{len(m.m.Customers) > 0, customerColumn}, {len(m.m.Sessions)+len(m.m.Sets) > 0, sessionColumn},
		{m.m.Users != nil, ownerColumns}, {m.m.MinLatency > 0, latencyColumn}} {
		if c.wanted {
			want |= c.column
		}
	}
	return want
}

// rows returns the rows of a block that pass, ascending. They are valid until
// the next call.
func (m *matcher) rows(c *ingest.Columns) []int32 {
	rows := every[:c.N]
	for _, d := range [...]struct {
		column *ingest.Dict
		wanted []string
	}{{&c.Name, m.m.Names}, {&c.Type, m.m.Types}, {&c.Model, m.m.Models}, {&c.Customer, m.m.Customers}, {&c.Session, m.m.Sessions}} {
		if len(d.wanted) == 0 {
			continue
		}
		wanted := func(text string) bool { return slices.Contains(d.wanted, text) }
		if d.column == &c.Session && m.sessions != nil {
			wanted = func(id string) bool { return m.sessions[id] }
		}
		if rows = m.texts(rows, d.column, wanted); len(rows) == 0 {
			return nil
		}
	}
	if u := m.m.Users; u != nil {
		if rows = m.owned(rows, c, u); len(rows) == 0 {
			return nil
		}
	}
	if m.terms != nil {
		rows = m.only(rows, func(i int32) bool { return m.found.has(c.Number(int(i))) })
	}
	for i := range m.m.Sets {
		set := &m.m.Sets[i]
		inSession := allowed(&c.Session, func(id string) bool { return set.Sessions[id] })
		rows = m.only(rows, func(i int32) bool {
			if inSession[c.Session.Of(int(i))] {
				return true
			}
			_, ok := slices.BinarySearch(set.Numbers, c.Number(int(i)))
			return ok
		})
	}
	if m.m.Success != nil {
		want := byte(0)
		if *m.m.Success {
			want = ingest.FlagSuccess
		}
		rows = m.only(rows, func(i int32) bool { return c.Flags[i]&ingest.FlagSuccess == want })
	}
	if least := m.m.MinLatency; least > 0 {
		rows = m.only(rows, func(i int32) bool { return c.Latency[i] >= least })
	}
	from, to := m.m.From, endOf(m.m.To)
	if c.Min < from || c.Max >= to {
		rows = m.only(rows, func(i int32) bool { return c.Time[i] >= from && c.Time[i] < to })
	}
	return rows
}

// only returns the rows for which ok returns true.
func (m *matcher) only(rows []int32, ok func(i int32) bool) []int32 {
	out := m.room(rows)
	for _, i := range rows {
		if ok(i) {
			out = append(out, i)
		}
	}
	m.space = out
	return out
}

// room returns an empty slice with room for some of rows. rows may be in the same
// memory.
func (m *matcher) room(rows []int32) []int32 {
	if cap(m.space) < len(rows) {
		m.space = make([]int32, 0, max(len(rows), 512))
	}
	return m.space[:0]
}

// texts returns the rows whose text passes.
func (m *matcher) texts(rows []int32, d *ingest.Dict, ok func(string) bool) []int32 {
	if d.Index == nil {
		if ok(d.Values[0]) {
			return rows
		}
		return nil
	}
	pass := allowed(d, ok)
	if !slices.Contains(pass, true) {
		return nil
	}
	out := m.room(rows)
	for _, i := range rows {
		if pass[d.Index[i]] {
			out = append(out, i)
		}
	}
	m.space = out
	return out
}

// allowed returns, for each text of a column, whether ok allows it.
func allowed(d *ingest.Dict, ok func(string) bool) []bool {
	pass := make([]bool, len(d.Values))
	for i, text := range d.Values {
		pass[i] = ok(text)
	}
	return pass
}

// owned returns the rows of the users of the match.
func (m *matcher) owned(rows []int32, c *ingest.Columns, u *ingest.Owned) []int32 {
	users := allowed(&c.User, func(id string) bool { return id != "" && m.users.find(id) != none })
	nobody := slices.Index(c.User.Values, "")
	var sessions []bool
	if nobody >= 0 {
		sessions = allowed(&c.Session, func(id string) bool { return u.IDs[u.Owner(id)] })
	}
	if !slices.Contains(users, true) && !slices.Contains(sessions, true) {
		return nil
	}
	return m.only(rows, func(i int32) bool {
		user := c.User.Of(int(i))
		return users[user] || user == nobody && sessions[c.Session.Of(int(i))]
	})
}
