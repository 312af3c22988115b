package ingest

import (
	"fmt"
	"testing"
)

// A pass takes many events of few sessions and users, and few events when each has a
// session and a user of its own: it writes a row for each of these.
func TestAPassEndsWithItsEventsOrItsRows(t *testing.T) {
	const events = 500
	one := Dict{Values: []string{""}}
	group := func(number, sessions int) *Columns {
		c := &Columns{Project: "p", First: int64(1 + number*events), N: events, Time: make([]int64, events), Flags: make([]byte, events),
			Name: one, Type: one, Model: one, Customer: one,
			Latency: make([]int64, events), InputTokens: make([]int64, events), OutputTokens: make([]int64, events)}
		for i := range sessions {
			c.Session.Values = append(c.Session.Values, fmt.Sprint("session ", number, i))
			c.User.Values = append(c.User.Values, fmt.Sprint("user ", number, i))
		}
		for i := range events {
			c.Session.Index = append(c.Session.Index, uint16(i%sessions))
		}
		c.User.Index = c.Session.Index
		return c
	}
	for _, x := range []struct{ sessions, groups int }{{1, passEvents / events}, {events, passRows / 2 / events}} {
		p, groups := newPass(), 0
		for ; !p.full(); groups++ {
			p.add(group(groups, x.sessions), nil)
		}
		if groups != x.groups {
			t.Errorf("%d sessions and users of %d events: a pass takes %d groups, want %d", x.sessions, events, groups, x.groups)
		}
		if p.events != groups*events || len(p.sessions) != groups*x.sessions || len(p.users) != groups*x.sessions {
			t.Errorf("%d events, %d sessions, %d users", p.events, len(p.sessions), len(p.users))
		}
	}
}
