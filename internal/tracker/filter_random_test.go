package tracker

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/opt"
	"understudy/internal/tracker/entity"
)

// dice makes random filters.
type dice struct {
	*rand.Rand
	titles []string
	times  []any
}

func roll[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }

func (d dice) filter(depth int) entity.Filter {
	var out entity.Filter
	for range 1 + d.IntN(2) {
		out = append(out, d.term(depth))
	}
	return slices.CompactFunc(out, func(a, b entity.Term) bool { return a.Name == b.Name })
}

func (d dice) term(depth int) entity.Term {
	if depth > 0 {
		switch d.IntN(6) {
		case 0, 1:
			list := []any{}
			for range d.IntN(3) {
				list = append(list, d.filter(depth-1))
			}
			return entity.Term{Name: roll(d, "and", "or"), Value: list}
		case 2:
			return entity.Term{Name: "parent", Value: d.relation(depth-1, func() entity.Filter { return d.filter(depth - 1) })}
		case 3:
			return entity.Term{Name: "children", Value: d.collection(depth-1, func() entity.Filter { return d.filter(depth - 1) })}
		}
	}
	switch d.IntN(11) {
	case 0:
		return entity.Term{Name: "title", Value: d.text()}
	case 1:
		return entity.Term{Name: "description", Value: d.text()}
	case 2:
		return entity.Term{Name: "priority", Value: d.numbers()}
	case 3:
		return entity.Term{Name: "estimate", Value: d.numbers()}
	case 4:
		return entity.Term{Name: "number", Value: d.numbers()}
	case 5:
		return entity.Term{Name: "dueDate", Value: d.moments(moments("2030-01-01", "2030-01-02", "2031"))}
	case 6:
		return entity.Term{Name: roll(d, "createdAt", "completedAt"), Value: d.moments(d.times)}
	case 7:
		return entity.Term{Name: "assignee", Value: d.relation(depth, func() entity.Filter {
			return roll(d, f("isMe", f(roll(d, "eq", "neq"), roll(d, true, false))), f("email", d.text()))
		})}
	case 8:
		return entity.Term{Name: "state", Value: d.relation(depth, func() entity.Filter {
			return f("type", f(roll(d, "eq", "neq"), roll(d, "started", "completed", "backlog")))
		})}
	case 9:
		return entity.Term{Name: "project", Value: d.relation(depth, func() entity.Filter { return f("name", d.text()) })}
	}
	return entity.Term{Name: "labels", Value: d.collection(depth, func() entity.Filter { return f("name", d.text()) })}
}

func (d dice) relation(depth int, row func() entity.Filter) entity.Filter {
	if depth > 0 && d.IntN(3) == 0 {
		return f(roll(d, "and", "or"), list2(d.relation(depth-1, row), d.relation(depth-1, row)))
	}
	if d.IntN(3) == 0 {
		return f("null", roll(d, true, false))
	}
	return row()
}

func (d dice) collection(depth int, row func() entity.Filter) entity.Filter {
	switch d.IntN(6) {
	case 0:
		return f("some", row())
	case 1:
		return f("every", row())
	case 2:
		return f("length", d.numbers())
	case 3:
		return f("null", roll(d, true, false))
	case 4:
		if depth > 0 {
			return f(roll(d, "and", "or"), list2(d.collection(depth-1, row), d.collection(depth-1, row)))
		}
	}
	return row()
}

func (d dice) text() entity.Filter {
	op := roll(d, "eq", "neq", "in", "nin", "eqIgnoreCase", "neqIgnoreCase", "contains", "notContains", "containsIgnoreCase",
		"notContainsIgnoreCase", "startsWith", "startsWithIgnoreCase", "notStartsWith", "endsWith", "notEndsWith", "null")
	switch op {
	case "null":
		return f(op, roll(d, true, false))
	case "in", "nin":
		return f(op, d.some(func() any { return roll(d, d.titles...) }))
	}
	return f(op, roll(d, d.titles...))
}

func (d dice) some(one func() any) []any {
	out := []any{}
	for range d.IntN(4) {
		out = append(out, one())
	}
	return out
}

func (d dice) numbers() entity.Filter {
	one := func() any { return roll[any](d, 0.0, 1.0, 2.0, 3.0, 1.5, -1.0, 1e18) }
	return d.ordered(one)
}

func (d dice) moments(list []any) entity.Filter {
	return d.ordered(func() any { return roll(d, list...) })
}

func (d dice) ordered(one func() any) entity.Filter {
	switch op := roll(d, "eq", "neq", "in", "nin", "lt", "lte", "gt", "gte", "null"); op {
	case "null":
		return f(op, roll(d, true, false))
	case "in", "nin":
		return f(op, d.some(one))
	default:
		return f(op, one())
	}
}

// TestRandomFiltersAndSorts compares lists with the rows that plain finds.
func TestRandomFiltersAndSorts(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	both(t, func(o *office) {
		d := dice{Rand: rand.New(rand.NewPCG(seed, 1)), titles: []string{"Alpha", "alpha", "ALPHA b", "Ärger", "ärger", "b", "B%", "_b", "straße", "日本", "a"}}
		bob := o.member("bob@acme.test")
		o.randomIssues(d, bob)
		for _, who := range []*auth.Principal{o.p, bob} {
			o.must(o.t.Read(o.Context(), who, func(v *View) error {
				o.compare(v, d, seed)
				return nil
			}))
		}
	})
}

func (o *office) compare(v *View, d dice, seed uint64) {
	o.Helper()
	p := o.plain(v)
	for _, i := range p.all[:10] {
		d.times = append(d.times, entity.Moment{At: time.UnixMicro(i.Created).Truncate(time.Millisecond)})
	}
	// Enough filters to find most defects, but few enough that the test is fast.
	for round, start := 0, time.Now(); round < 200 && time.Since(start) < 3*time.Second; round++ {
		l := entity.Query{IncludeArchived: d.IntN(2) == 0}
		if d.IntN(5) > 0 {
			l.Filter = d.filter(3)
		}
		var less func(a, b *Issue) int
		l.Sort, less = d.order(p)
		var want []string
		rows := slices.SortedFunc(slices.Values(p.all), less)
		for _, i := range rows {
			if (l.IncludeArchived || i.Archived == 0) && p.issue(i, l.Filter) {
				want = append(want, i.Identifier)
			}
		}
		forward, backward := o.walk(v, l, d, false), o.walk(v, l, d, true)
		if !slices.Equal(forward, want) || !slices.Equal(backward, want) {
			o.Fatalf("seed %d, round %d: %v sorted by %v\nforward  %v\nbackward %v\nwant     %v", seed, round, l.Filter, l.Sort, forward, backward, want)
		}
	}
}

// randomIssues creates issues of a public team and of a team that one viewer may not see.
func (o *office) randomIssues(d dice, outsider *auth.Principal) {
	o.Helper()
	open, secret := o.team("ENG"), o.team("SEC")
	_, err := o.t.UpdateTeam(o.Context(), o.p, secret.ID, CreateTeam{Private: opt.Some(true)})
	o.must(err)
	var labels, projects, ids []string
	for _, name := range []string{"Alpha", "b", "日本"} {
		l, err := o.t.CreateLabel(o.Context(), o.p, WriteLabel{Name: opt.Some(name)})
		o.must(err)
		labels = append(labels, l.EntityID)
		c, err := o.t.CreateProject(o.Context(), o.p, WriteProject{Name: opt.Some(name), Teams: opt.Some([]string{open.ID, secret.ID})})
		o.must(err)
		projects = append(projects, c.EntityID)
	}
	for n := range 60 {
		team := roll(d, open, open, secret)
		in := WriteIssue{Team: opt.Some(team.ID), Title: opt.Some(roll(d, d.titles...)), Priority: opt.Some(d.IntN(5))}
		maybe := func() bool { return d.IntN(2) == 0 }
		if maybe() {
			in.Description = opt.Some(roll(d, d.titles...))
		}
		if maybe() {
			in.Estimate = opt.Some(d.IntN(4))
		}
		if maybe() {
			in.DueDate = opt.Some(roll(d, "2030-01-01", "2030-01-02", "2031-01-01"))
		}
		if maybe() {
			in.Assignee = opt.Some(roll(d, outsider.Subject, o.p.Subject))
		}
		if maybe() {
			in.Project = opt.Some(roll(d, projects...))
		}
		if maybe() {
			in.State = opt.Some(o.state(team, roll(d, "started", "completed", "unstarted")).ID)
		}
		if n > 0 && maybe() {
			in.Parent = opt.Some(roll(d, ids...))
		}
		in.Labels = opt.Some(slices.DeleteFunc(slices.Clone(labels), func(string) bool { return maybe() }))
		if d.IntN(3) == 0 {
			o.clock.Advance(time.Duration(d.IntN(3)) * 700 * time.Microsecond)
		}
		c, err := o.t.CreateIssue(o.Context(), o.p, in)
		o.must(err)
		ids = append(ids, c.EntityID)
		if d.IntN(5) == 0 {
			_, err := o.t.ArchiveIssue(o.Context(), o.p, c.EntityID, maybe())
			o.must(err)
		}
	}
}

// plain returns everything that a viewer may see.
func (o *office) plain(v *View) *plain {
	o.Helper()
	p := &plain{issues: map[string]*Issue{}, me: v.Caller, states: map[string]*WorkflowState{}, users: map[string]*User{}, projects: map[string]*Project{}, labels: map[string]*Label{}}
	gather(o, v, Issues, p.issues)
	p.all = slices.Collect(maps.Values(p.issues))
	gather(o, v, States, p.states)
	gather(o, v, Users, p.users)
	gather(o, v, Projects, p.projects)
	gather(o, v, Labels, p.labels)
	return p
}

func gather[T any](o *office, v *View, k *Kind[T], into map[string]*T) {
	o.Helper()
	first := entity.MaxPage
	page, err := k.List(v, entity.Query{First: &first, IncludeArchived: true})
	o.must(err)
	for _, t := range page.Nodes {
		into[k.Header(t).ID] = t
	}
}

// order returns a random sort and the corresponding comparison of rows.
func (d dice) order(p *plain) ([]entity.Ordering, func(a, b *Issue) int) {
	byID := func(a, b *Issue) int { return cmp.Compare(b.ID, a.ID) }
	if d.IntN(3) == 0 {
		return nil, func(a, b *Issue) int { return cmp.Or(cmp.Compare(b.Created, a.Created), byID(a, b)) }
	}
	var sorts []entity.Ordering
	var parts []func(a, b *Issue) int
	for range 1 + d.IntN(3) {
		s := entity.Ordering{Key: roll(d, "title", "priority", "estimate", "dueDate", "assignee", "project", "createdAt", "completedAt"),
			Descending: d.IntN(2) == 0, NullsFirst: d.IntN(2) == 0}
		sorts = append(sorts, s)
		parts = append(parts, func(a, b *Issue) int {
			x, noX := p.key(a, s.Key)
			y, noY := p.key(b, s.Key)
			switch {
			case noX && noY:
				return 0
			case noX != noY:
				return pick(noX == s.NullsFirst, -1, 1)
			}
			return pick(s.Descending, -1, 1) * cmp.Compare(x, y)
		})
	}
	return sorts, func(a, b *Issue) int {
		for _, part := range parts {
			if n := part(a, b); n != 0 {
				return n
			}
		}
		return byID(a, b)
	}
}

// walk reads all pages of a list from one end, with pages of random sizes.
func (o *office) walk(v *View, l entity.Query, d dice, backward bool) (out []string) {
	o.Helper()
	for range 200 {
		size := 1 + d.IntN(9)
		if l.First = &size; backward {
			l.First, l.Last = nil, &size
		}
		p, err := Issues.List(v, l)
		o.must(err)
		var ids []string
		for _, i := range p.Nodes {
			ids = append(ids, i.Identifier)
		}
		if backward {
			out = append(ids, out...)
		} else {
			out = append(out, ids...)
		}
		if !pick(backward, p.HasPrevious, p.HasNext) {
			return out
		}
		if backward {
			l.Before = p.Cursor(p.Nodes[0])
		} else {
			l.After = p.Cursor(p.Nodes[len(p.Nodes)-1])
		}
	}
	o.Fatal("the pages do not end")
	return nil
}
