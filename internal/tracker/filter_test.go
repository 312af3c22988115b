package tracker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/internal/platform/opt"
	"understudy/internal/tracker/entity"
)

// f returns an entity.Filter from pairs of names and values.
func f(pairs ...any) entity.Filter {
	var out entity.Filter
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, entity.Term{Name: pairs[i].(string), Value: pairs[i+1]})
	}
	return out
}

func moments(texts ...string) []any {
	var out []any
	for _, s := range texts {
		m, ok := entity.ParseMoment(s)
		if !ok {
			panic(s)
		}
		out = append(out, m)
	}
	return out
}

func at(s string) entity.Moment { return moments(s)[0].(entity.Moment) }

func list2(values ...any) []any { return values }

func TestFilters(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		team, other := o.team("ENG"), o.team("OPS")
		red, err := o.t.CreateLabel(ctx, o.p, WriteLabel{Name: opt.Some("Red")})
		o.must(err)
		blue, err := o.t.CreateLabel(ctx, o.p, WriteLabel{Name: opt.Some("Blue"), Team: opt.Some(team.ID)})
		o.must(err)
		project, err := o.t.CreateProject(ctx, o.p, WriteProject{Name: opt.Some("Alpha"), Teams: opt.Some([]string{team.ID})})
		o.must(err)
		now := o.clock.Now()
		cycle, err := o.t.CreateCycle(ctx, o.p, WriteCycle{Team: team.ID, Starts: opt.Some(now.Add(-time.Hour).UnixMicro()), Ends: opt.Some(now.Add(time.Hour).UnixMicro())})
		o.must(err)
		a := o.issue(team, "Ärger im Büro", func(in *WriteIssue) {
			in.Priority, in.Estimate, in.Assignee, in.DueDate = opt.Some(1), opt.Some(1), opt.Some(o.p.Subject), opt.Some("2030-01-10")
			in.Labels, in.Project, in.Cycle = opt.Some([]string{red.EntityID, blue.EntityID}), opt.Some(project.EntityID), opt.Some(cycle.EntityID)
		})
		b := o.issue(team, "beta Test", func(in *WriteIssue) {
			in.Priority, in.Estimate, in.State = opt.Some(3), opt.Some(5), opt.Some(o.state(team, "started").ID)
			in.Description, in.Parent, in.Labels = opt.Some("words"), opt.Some(a.ID), opt.Some([]string{red.EntityID})
		})
		c := o.issue(other, "Gamma")
		_, err = o.t.CreateComment(ctx, o.p, CreateComment{Issue: b.ID, Body: "Remark"})
		o.must(err)
		o.clock.Advance(-o.clock.Now().Sub(now) + 2*time.Hour)
		names := map[string]string{a.ID: "a", b.ID: "b", c.ID: "c"}
		for _, x := range []struct {
			filter entity.Filter
			want   string
		}{
			{f(), "abc"}, {f("and", list2()), "abc"}, {f("or", list2()), "abc"}, {f("or", list2(f("title", f("eq", "Gamma")), f())), "abc"},
			{f("title", f("eq", "Gamma")), "c"}, {f("title", f("neq", "Gamma")), "ab"}, {f("title", f("in", list2("Gamma", "x", "beta Test"))), "bc"},
			{f("title", f("nin", list2("Gamma"))), "ab"}, {f("title", f("in", list2())), ""}, {f("title", f("nin", list2())), "abc"},
			{f("title", f("eqIgnoreCase", "ÄRGER IM BÜRO")), "a"}, {f("title", f("neqIgnoreCase", "gamma")), "ab"},
			{f("title", f("contains", "Test")), "b"}, {f("title", f("contains", "%")), ""}, {f("title", f("notContains", "Test")), "ac"},
			{f("title", f("containsIgnoreCase", "BÜRO")), "a"}, {f("title", f("notContainsIgnoreCase", "GAMM")), "ab"},
			{f("title", f("containsIgnoreCaseAndAccent", "arger im BURO")), "a"},
			{f("title", f("startsWith", "Är")), "a"}, {f("title", f("startsWithIgnoreCase", "BETA")), "b"}, {f("title", f("notStartsWith", "beta")), "ac"},
			{f("title", f("endsWith", "üro")), "a"}, {f("title", f("endsWith", "")), "abc"}, {f("title", f("notEndsWith", "Test")), "ac"},
			{f("id", f("eq", a.ID)), "a"}, {f("id", f("in", list2("ENG-2", c.ID))), "bc"}, {f("id", f("nin", list2("ENG-2", c.ID))), "a"}, {f("id", f("eq", "ENG-99")), ""},
			{f("number", f("eq", 2.0)), "b"}, {f("number", f("eq", 1.5)), ""}, {f("number", f("lt", 1.5)), "ac"}, {f("number", f("in", list2(1.0, 7.0, 8.5))), "ac"},
			{f("number", f("gte", 1.0, "lt", 2.0)), "ac"}, {f("priority", f("null", true)), ""}, {f("priority", f("null", false, "gt", 0.0)), "ab"},
			{f("estimate", f("null", true)), "c"}, {f("estimate", f("eq", nil)), "c"}, {f("estimate", f("neq", 1.0)), "bc"}, {f("estimate", f("nin", list2(1.0))), "bc"},
			{f("estimate", f("lte", 5.0)), "ab"}, {f("estimate", f("or", list2(f("eq", 1.0), f("null", true)))), "ac"},
			{f("dueDate", f("lt", at("2031-01-01"))), "a"}, {f("dueDate", f("null", true)), "bc"}, {f("dueDate", f("in", moments("2030-01-10"))), "a"},
			{f("dueDate", f("gt", at("P1D"))), "a"}, {f("createdAt", f("gt", at("-P1D"))), "abc"}, {f("createdAt", f("lt", at("-P1D"))), ""},
			{f("createdAt", f("gt", at("-PT1H"))), ""}, {f("createdAt", f("gte", at("2021-05"))), "abc"}, {f("startedAt", f("null", false)), "b"},
			{f("startedAt", f("lt", at("P1D"))), "b"}, {f("completedAt", f("neq", at("2021"))), "abc"},
			{f("description", f("null", true)), "ac"}, {f("description", f("contains", "word")), "b"},
			{f("assignee", f("null", true)), "bc"}, {f("assignee", f("null", false)), "a"}, {f("assignee", f("isMe", f("eq", true))), "a"},
			{f("creator", f("isMe", f("neq", true))), ""}, {f("creator", f("admin", f("eq", true), "app", f("eq", false))), "abc"},
			{f("state", f("type", f("in", list2("started")))), "b"}, {f("state", f("team", f("key", f("eq", "OPS")))), "c"},
			{f("team", f("key", f("eq", "ENG"))), "ab"}, {f("team", f("members", f("length", f("eq", 1.0)))), "abc"}, {f("team", f("id", f("neq", team.ID))), "c"},
			{f("team", f("visibility", f("eq", "private"))), ""}, {f("team", f("ancestors", f("length", f("eq", 0.0)))), "abc"},
			{f("labels", f("name", f("eq", "Red"))), "ab"}, {f("labels", f("some", f("name", f("eq", "Blue")))), "a"},
			{f("labels", f("every", f("name", f("eq", "Red")))), "bc"}, {f("labels", f("length", f("gt", 0.0, "lt", 2.0))), "b"}, {f("labels", f("null", true)), "c"},
			{f("labels", f("and", list2(f("name", f("eq", "Red")), f("name", f("eq", "Blue"))))), "a"}, {f("labels", f("or", list2(f("name", f("eq", "Blue")), f("length", f("eq", 0.0))))), "ac"},
			{f("labels", f("every", f())), "abc"}, {f("labels", f("some", f())), "ab"},
			{f("project", f("name", f("startsWith", "Al"))), "a"}, {f("project", f("status", f("type", f("eq", "backlog")))), "a"}, {f("project", f("null", true)), "bc"},
			{f("project", f("accessibleTeams", f("some", f("key", f("eq", "ENG"))))), "a"}, {f("project", f("members", f("every", f("active", f("eq", false))))), "a"},
			{f("cycle", f("isActive", f("eq", true))), ""}, {f("cycle", f("isPast", f("eq", true), "isPrevious", f("eq", true), "isInCooldown", f("eq", false))), "a"},
			{f("cycle", f("number", f("eq", 1.0), "isNext", f("neq", true))), "a"},
			{f("assignee", f("or", list2(f("null", true), f("isMe", f("eq", false))))), "bc"}, {f("assignee", f("or", list2(f("null", true), f("isMe", f("eq", true))))), "abc"},
			{f("assignee", f("and", list2(f("null", false)))), "a"}, {f("project", f("or", list2(f("null", true)), "name", f("eq", "Alpha"))), ""}, {f("parent", f("or", list2())), "abc"},
			{f("cycle", f("isNext", f("neq", nil)), "title", f("eq", "Gamma")), "c"}, {f("creator", f("isMe", f("eq", nil))), ""}, {f("creator", f("isMe", f("neq", nil)), "title", f("eq", "Gamma")), "c"},
			{f("parent", f("null", false)), "b"}, {f("parent", f("title", f("contains", "Büro"))), "b"}, {f("children", f("some", f("state", f("type", f("eq", "started"))))), "a"},
			{f("children", f("length", f("eq", 0.0))), "bc"}, {f("comments", f("some", f("body", f("eq", "Remark"), "user", f("isMe", f("eq", true))))), "b"},
			{f("subscribers", f("some", f("email", f("eq", "ann@acme.test")))), "abc"},
			{f("priority", f("gt", 0.0), "or", list2(f("title", f("eq", "Gamma")), f("title", f("eq", "beta Test")))), "b"},
		} {
			var got []string
			var err error
			o.must(o.t.Read(ctx, o.p, func(v *View) error {
				var p *entity.Page[Issue]
				if p, err = Issues.List(v, entity.Query{Filter: x.filter}); err == nil {
					for _, i := range p.Nodes {
						got = append(got, names[i.ID])
					}
				}
				return nil
			}))
			slices.Sort(got)
			if err != nil || strings.Join(got, "") != x.want {
				o.Errorf("%v: got %q %v, want %q", x.filter, strings.Join(got, ""), err, x.want)
			}
		}
		o.read(func(v *View) {
			for _, bad := range []entity.Filter{f("team", f("id", f("eq", "x"))), f("id", f("eq", "x")), f("nonsense", f("eq", "x"))} {
				if _, err := Issues.List(v, entity.Query{Filter: bad}); !errors.Is(err, BadArgument) && !errors.Is(err, BadInput) {
					o.Errorf("%v: %v", bad, err)
				}
			}
			for kind, filter := range map[string]entity.Filter{
				"users": f("assignedIssues", f("some", f("title", f("contains", "Büro")))),
				"teams": f("issues", f("length", f("eq", 2.0)), "owners", f("some", f("isMe", f("eq", true)))),
			} {
				n := -1
				if kind == "users" {
					p, err := Users.List(v, entity.Query{Filter: filter})
					o.must(err)
					n = len(p.Nodes)
				} else {
					p, err := Teams.List(v, entity.Query{Filter: filter})
					o.must(err)
					n = len(p.Nodes)
				}
				if n != 1 {
					o.Errorf("%s: %d", kind, n)
				}
			}
		})
	})
}

// Callers see times in milliseconds. A filter for a time from a reply finds the row with
// it, and a filter for later times does not.
func TestTimesCompareAsTheyAreShown(t *testing.T) {
	both(t, func(o *office) {
		o.clock.Advance(1234567 * time.Nanosecond)
		i := o.issue(o.team("ENG"), "a")
		shown, was := at(entity.ISO(i.Created)), at(entity.ISO(i.Created-1000))
		exact := entity.Moment{At: time.UnixMicro(i.Created)}
		if i.Created%1000 == 0 {
			o.Fatal("the time has no part that is not shown")
		}
		o.read(func(v *View) {
			for _, x := range []struct {
				filter entity.Filter
				want   int
			}{
				{f("eq", shown), 1}, {f("neq", shown), 0}, {f("in", list2(was, shown)), 1}, {f("nin", list2(was, shown)), 0}, {f("gt", shown), 0}, {f("lte", shown), 1},
				{f("gte", shown), 1}, {f("lt", shown), 0}, {f("eq", was), 0}, {f("gt", was), 1}, {f("nin", list2(was)), 1}, {f("in", list2()), 0}, {f("nin", list2()), 1},
				{f("eq", exact), 1}, {f("gt", exact), 0}, {f("lt", exact), 0}, {f("lte", at("P0D")), 1},
			} {
				p, err := Issues.List(v, entity.Query{Filter: f("createdAt", x.filter)})
				o.must(err)
				if len(p.Nodes) != x.want {
					o.Errorf("%v: %d issues, want %d", x.filter, len(p.Nodes), x.want)
				}
			}
		})
	})
}

// Filters that no database can evaluate are rejected. Filters just within the limits are
// not.
func TestFiltersAndSortsHaveBounds(t *testing.T) {
	both(t, func(o *office) {
		o.issue(o.team("ENG"), "a")
		some := func(n int, one any) []any { return slices.Repeat([]any{one}, n) }
		title := f("title", f("neq", "x"))
		deep := f("or", some(100, title), "and", some(100, title))
		for range 3 {
			deep = f("parent", f("or", list2(f("null", true), f("and", list2(f("title", f("eq", "a")), deep)))), "and", some(90, title))
		}
		ids := make([]any, 9_000)
		for i := range ids {
			ids[i] = "00000000-0000-4000-8000-" + (digits(int64(i)) + "000000000000")[:12]
		}
		o.read(func(v *View) {
			for name, l := range map[string]entity.Query{
				"conditions": {Filter: f("or", some(500, f("title", f("neq", "x"))))}, "nesting": {Filter: deep},
				"values": {Filter: f("title", f("nin", some(9_000, "x")))}, "ids": {Filter: f("id", f("nin", ids))}, "sorts": {Sort: slices.Repeat([]entity.Ordering{{Key: "title"}}, 20)},
			} {
				if p, err := Issues.List(v, l); err != nil || len(p.Nodes) != 1 {
					o.Errorf("%s: %v", name, err)
				}
			}
			for name, l := range map[string]entity.Query{
				"or": {Filter: f("or", some(3_000, title))}, "and": {Filter: f("and", some(3_000, title))}, "values": {Filter: f("title", f("in", some(40_000, "x")))},
				"ids": {Filter: f("id", f("in", slices.Repeat(ids, 4)))}, "many lists": {Filter: f("and", some(20, f("title", f("nin", some(600, "x")))))},
				"times": {Filter: f("createdAt", f("in", some(3_000, at("2021"))))}, "sorts": {Sort: slices.Repeat([]entity.Ordering{{Key: "title"}}, 3_000)},
			} {
				if _, err := Issues.List(v, l); !errors.Is(err, BadInput) && !errors.Is(err, BadArgument) {
					o.Errorf("too many %s: %v", name, err)
				}
			}
		})
	})
}

func TestPagesAndSorts(t *testing.T) {
	both(t, func(o *office) {
		team := o.team("ENG")
		var ids []string
		for n := range 7 {
			i := o.issue(team, string(rune('a'+n)), func(in *WriteIssue) {
				in.Priority = opt.Some((n * 3) % 5)
				if n%2 == 0 {
					in.Estimate, in.DueDate = opt.Some(n), opt.Some("2030-01-0"+digits(int64(n+1)))
				}
			})
			ids = append(ids, i.ID)
		}
		titles := func(p *entity.Page[Issue]) (s string) {
			for _, i := range p.Nodes {
				s += i.Title
			}
			return s
		}
		two := 2
		o.read(func(v *View) {
			for name, sorts := range map[string][]entity.Ordering{
				"gfedcba": nil, "abcdefg": {{Key: "title"}}, "gecafdb": {{Key: "estimate", Descending: true}, {Key: "title", Descending: true}},
				"bdfaceg": {{Key: "estimate", NullsFirst: true}, {Key: "title"}},
			} {
				var forward, backward string
				after, before := "", ""
				for range 10 {
					p, err := Issues.List(v, entity.Query{Sort: sorts, First: &two, After: after})
					o.must(err)
					forward += titles(p)
					if !p.HasNext {
						break
					}
					after = p.Cursor(p.Nodes[len(p.Nodes)-1])
				}
				for range 10 {
					p, err := Issues.List(v, entity.Query{Sort: sorts, Last: &two, Before: before})
					o.must(err)
					backward = titles(p) + backward
					if !p.HasPrevious {
						break
					}
					before = p.Cursor(p.Nodes[0])
				}
				if forward != name || backward != name {
					o.Errorf("%v: forward %s, backward %s, want %s", sorts, forward, backward, name)
				}
			}
			for key := range Issues.Sorts {
				p, err := Issues.List(v, entity.Query{Sort: []entity.Ordering{{Key: key, Tiebreak: key == "priority"}}, After: ids[3], First: &two})
				if err != nil {
					o.Errorf("%s: %v", key, err)
				} else if len(p.Nodes) > 2 {
					o.Errorf("%s: %d", key, len(p.Nodes))
				}
			}
			for key := range Projects.Sorts {
				if _, err := Projects.List(v, entity.Query{Sort: []entity.Ordering{{Key: key}}}); err != nil {
					o.Errorf("projects by %s: %v", key, err)
				}
			}
			p, err := Issues.List(v, entity.Query{OrderBy: "updatedAt", First: &two, After: ids[5]})
			o.must(err)
			if titles(p) != "ed" {
				o.Error(titles(p))
			}
			for rel := range Issues.Relations {
				if _, err := Issues.Of(v, rel, []string{team.ID, o.org.ID}, entity.Query{First: &two}); err != nil {
					o.Errorf("of %s: %v", rel, err)
				}
			}
			pages, err := Issues.Of(v, "team", []string{team.ID, o.org.ID}, entity.Query{First: &two})
			o.must(err)
			if titles(pages[team.ID]) != "gf" || !pages[team.ID].HasNext || len(pages[o.org.ID].Nodes) != 0 {
				o.Errorf("%+v", pages)
			}
		})
	})
}

// Lists sorted by title and searches, read page by page, show each unchanged issue once
// and in order, whatever others create, rename and delete meanwhile. The others write a
// bounded number of times: if the database wrote faster than it reads pages, the reader
// would never reach the last page.
func TestPagesHoldStillWhileOthersWrite(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		team := o.team("ENG")
		var still []string
		for n := range 24 {
			title := fmt.Sprintf("%c%02d kettle", []rune("aBÄbz")[n%5], n)
			still = append(still, title)
			o.issue(team, title)
		}
		var wg sync.WaitGroup
		stop := make(chan struct{})
		for n := range 2 {
			wg.Go(func() {
				for k := range 300 {
					select {
					case <-stop:
						return
					default:
					}
					c, err := o.t.CreateIssue(ctx, o.p, WriteIssue{Team: opt.Some(team.ID), Title: opt.Some(fmt.Sprintf("%c kettle moves", 'A'+(k+n)%26))})
					if err == nil && k%2 == 0 {
						_, err = o.t.UpdateIssue(ctx, o.p, c.EntityID, WriteIssue{Title: opt.Some(fmt.Sprintf("%c kettle moves", 'z'-k%26))})
					}
					if err == nil && k%3 == 0 {
						_, err = o.t.DeleteIssue(ctx, o.p, c.EntityID, true)
					}
					if err != nil {
						o.Error(err)
						return
					}
				}
			})
		}
		seen := func(titles []string) (out []string) {
			for _, t := range titles {
				if strings.HasSuffix(t, " kettle") {
					out = append(out, t)
				}
			}
			return out
		}
		size, after, all := 5, "", []string{}
		for {
			var page *entity.Page[Issue]
			o.read(func(v *View) {
				var err error
				page, err = Issues.List(v, entity.Query{Sort: []entity.Ordering{{Key: "title"}}, First: &size, After: after})
				o.must(err)
			})
			for _, i := range page.Nodes {
				all = append(all, i.Title)
				after = page.Cursor(i)
			}
			if !page.HasNext {
				break
			}
		}
		want := slices.Clone(still)
		slices.SortStableFunc(want, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
		o.is("by title", strings.Join(seen(all), ","), strings.Join(want, ","))
		found, _ := o.found(o.p, Search{Term: "kettle"}, 5, false)
		close(stop)
		wg.Wait()
		slices.Reverse(still)
		o.is("by words", strings.Join(seen(found), ","), strings.Join(still, ","))
	})
}

// A filter on a relation finds only rows that have the relation, even if every related
// row would match.
func TestRelationsThatAreAskedOfMustBeThere(t *testing.T) {
	both(t, func(o *office) {
		team := o.team("ENG")
		o.issue(team, "assigned", func(in *WriteIssue) { in.Assignee = opt.Some(o.p.Subject) })
		o.issue(team, "free")
		o.read(func(v *View) {
			for name, x := range map[string]struct {
				assignee entity.Filter
				want     int
			}{
				"nin of nobody": {f("id", f("nin", list2())), 1}, "or with it": {f("or", list2(f("name", f("eq", "x")), f("id", f("nin", list2())))), 1},
				"nothing": {f(), 2}, "null for a value": {f("name", f("eqIgnoreCase", nil)), 2}, "an empty branch": {f("or", list2(f("name", f("eq", "x")), f())), 2},
			} {
				p, err := Issues.List(v, entity.Query{Filter: f("assignee", x.assignee)})
				o.must(err)
				if len(p.Nodes) != x.want {
					o.Errorf("%s: %d issues, want %d", name, len(p.Nodes), x.want)
				}
			}
		})
	})
}
