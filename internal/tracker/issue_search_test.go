package tracker

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/opt"
	"understudy/internal/platform/store"
	"understudy/internal/tracker/entity"
)

// found returns the titles that a search finds, in order. It reads pages of one size in
// one direction.
func (o *office) found(p *auth.Principal, in Search, size int, backward bool) (titles []string, total int64) {
	o.Helper()
	o.must(o.t.IndexIssues(context.Background()))
	cursor := ""
	for range 1000 {
		one := in
		if backward {
			one.Last, one.Before = &size, cursor
		} else {
			one.First, one.After = &size, cursor
		}
		var page *Found
		o.must(o.t.Read(context.Background(), p, func(v *View) (err error) {
			if page, err = v.SearchIssues(one); err == nil {
				total, err = page.Total(v)
			}
			return err
		}))
		var part []string
		for _, i := range page.Nodes {
			part = append(part, i.Title)
		}
		if backward {
			titles = append(part, titles...)
		} else {
			titles = append(titles, part...)
		}
		more := map[bool]bool{false: page.HasNext, true: page.HasPrevious}[backward]
		if !more || len(page.Nodes) == 0 {
			return titles, total
		}
		cursor = page.Cursor(page.Nodes[map[bool]int{false: len(page.Nodes) - 1, true: 0}[backward]])
	}
	o.Fatal("the pages do not end")
	return nil, 0
}

// A search returns the issue with the identifier first, then matches in titles,
// descriptions and comments. Within each group the issue that changed last comes first.
// The order is the same on pages of any size and in both directions.
func TestSearchRanks(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		team, ops := o.team("ENG"), o.team("OPS")
		described := func(text string) func(*WriteIssue) {
			return func(in *WriteIssue) { in.Description = opt.Some(text) }
		}
		o.issue(team, "Cable for the printer", described("Overflow of paper"))
		o.issue(team, "Overflow of the buffer")
		talk := o.issue(ops, "Quiet hours")
		o.issue(team, "OVERFLOW, again", described("see ENG-2"))
		o.issue(team, "Überlauf im Café")
		o.issue(team, "今天部署了新版本")
		o.issue(team, "Sign-in on phones")
		o.issue(team, "Phones sign papers in")
		_, err := o.t.CreateComment(ctx, o.p, CreateComment{Issue: talk.ID, Body: "An overflow was seen"})
		o.must(err)
		gone := o.issue(team, "Overflow in the trash")
		_, err = o.t.DeleteIssue(ctx, o.p, gone.ID, false)
		o.must(err)
		old := o.issue(team, "Overflow of old")
		_, err = o.t.ArchiveIssue(ctx, o.p, old.ID, false)
		o.must(err)
		for _, c := range []struct {
			in   Search
			want []string
		}{
			{Search{Term: "overflow"}, []string{"OVERFLOW, again", "Overflow of the buffer", "Cable for the printer"}},
			{Search{Term: "overflow", Comments: true}, []string{"OVERFLOW, again", "Overflow of the buffer", "Cable for the printer", "Quiet hours"}},
			{Search{Term: "overflow", Query: entity.Query{IncludeArchived: true}}, []string{"Overflow of old", "OVERFLOW, again", "Overflow of the buffer", "Cable for the printer"}},
			{Search{Term: "overflow", Team: "OPS", Comments: true}, []string{"Quiet hours"}},
			{Search{Term: "overflow buffer"}, []string{"Overflow of the buffer"}},
			{Search{Term: "paper printer"}, []string{"Cable for the printer"}},
			{Search{Term: "overf"}, []string{"OVERFLOW, again", "Overflow of the buffer", "Cable for the printer"}},
			{Search{Term: "overf buffer"}, nil},
			{Search{Term: "overfl zzz"}, nil},
			{Search{Term: "sign-pap"}, []string{"Phones sign papers in"}},
			{Search{Term: "phones-pap"}, nil},
			{Search{Term: "papers-i"}, nil},
			{Search{Term: "uberlauf CAFE"}, []string{"Überlauf im Café"}},
			{Search{Term: "新版本"}, []string{"今天部署了新版本"}},
			{Search{Term: "sign-in"}, []string{"Sign-in on phones"}},
			{Search{Term: "sign in"}, []string{"Phones sign papers in", "Sign-in on phones"}},
			{Search{Term: "ENG-2"}, []string{"Overflow of the buffer", "OVERFLOW, again"}},
			{Search{Term: "eng 2"}, []string{"Overflow of the buffer", "OVERFLOW, again"}},
			{Search{Term: "2", Team: "ENG"}, []string{"Overflow of the buffer", "OVERFLOW, again"}},
			{Search{Term: "eng-2 buffer"}, []string{"Overflow of the buffer"}},
			{Search{Term: `" OR title : * AND (NOT '`}, nil},
			{Search{Term: `!?*"`}, nil},
			{Search{Term: "eng"}, []string{"OVERFLOW, again"}},
			{Search{Term: "overflow", Query: entity.Query{Filter: entity.Only("description", entity.Only("contains", "paper"))}}, []string{"Cable for the printer"}},
			{Search{Term: "overflow", Query: entity.Query{OrderBy: "createdAt"}}, []string{"OVERFLOW, again", "Overflow of the buffer", "Cable for the printer"}},
		} {
			for _, size := range []int{50, 2, 1} {
				for _, backward := range []bool{false, true} {
					got, total := o.found(o.p, c.in, size, backward)
					if !slices.Equal(got, c.want) || total != int64(len(c.want)) {
						o.Errorf("%q in pages of %d, backward %v: %q, %d in all, want %q", c.in.Term, size, backward, got, total, c.want)
					}
				}
			}
		}
	})
}

// A prefix finds the words that begin with it, even if they are too many to be looked up
// one by one, and also words that are written later.
func TestSearchByBeginnings(t *testing.T) {
	both(t, func(o *office) {
		team := o.team("ENG")
		count := func(term string, want int64) {
			o.Helper()
			if _, total := o.found(o.p, Search{Term: term}, 50, false); total != want {
				o.Errorf("%q finds %d issues, want %d", term, total, want)
			}
		}
		count("wor", 0)
		for n := range 60 {
			o.issue(team, fmt.Sprintf("word%02d and x\U0010FFFD", n))
			if n == 9 {
				count("wor", 10)
				count("word0", 10)
				count("word1", 0)
			}
		}
		count("wor", 60)
		count("word1", 10)
		count("and wor", 60)
		count("word5 and", 0)
	})
}

// The total of a page with all results is the number of its results. For other pages the
// database counts.
func TestSearchTotals(t *testing.T) {
	both(t, func(o *office) {
		team := o.team("ENG")
		for n := range 7 {
			o.issue(team, fmt.Sprintf("Kettle %d", n), func(in *WriteIssue) { in.Description = opt.Some("boils") })
		}
		o.issue(team, "Boils")
		for _, size := range []int{1, 3, 8, 50} {
			for _, backward := range []bool{false, true} {
				for term, want := range map[string]int64{"kettle": 7, "boils": 8, "kettle 3": 1, "boils cold": 0} {
					if _, total := o.found(o.p, Search{Term: term}, size, backward); total != want {
						o.Errorf("%q in pages of %d, backward %v: %d in all, want %d", term, size, backward, total, want)
					}
				}
			}
		}
	})
}

// While nothing changes, the result of a repeated search comes from memory. A result from
// an index that lacks changes is not cached.
func TestSearchesAreRemembered(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		team := o.team("ENG")
		for n := range 5 {
			o.issue(team, fmt.Sprintf("Kettle %d", n))
		}
		size := 2
		ask := func() (total int64, statements int) {
			o.read(func(v *View) {
				f, err := v.SearchIssues(Search{Term: "kettle", Query: entity.Query{First: &size}})
				o.must(err)
				total, err = f.Total(v)
				o.must(err)
				statements = v.Statements()
			})
			return total, statements
		}
		o.must(o.t.IndexIssues(ctx))
		_, cold := ask()
		if total, warm := ask(); total != 5 || warm > cold-3 {
			o.Errorf("%d found, %d statements after %d", total, warm, cold)
		}
		for n := range 20 { // each is searched for before, while and after it is indexed
			o.issue(team, "Kettle")
			ask()
			o.must(o.t.IndexIssues(ctx))
			if total, _ := ask(); total != int64(6+n) {
				o.Fatalf("%d found, want %d", total, 6+n)
			}
		}
	})
}

// A search neither finds nor counts issues of a team that the caller may not see, or of
// another organization.
func TestSearchShowsNobodyTooMuch(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		open := o.team("ENG")
		c, err := o.t.CreateTeam(ctx, o.p, CreateTeam{Name: opt.Some("Secret"), Key: opt.Some("SEC"), Private: opt.Some(true)})
		o.must(err)
		o.issue(open, "rocket in the open")
		hidden := o.issue(c.Entity, "rocket in secret")
		_, err = o.t.CreateComment(ctx, o.p, CreateComment{Issue: hidden.ID, Body: "rocket"})
		o.must(err)
		_, stranger := o.organization("rival", "eve@rival.test")
		for _, x := range []struct {
			p    *auth.Principal
			want string
		}{{o.p, "rocket in secret,rocket in the open"}, {o.member("bob@acme.test"), "rocket in the open"}, {o.admin("cid@acme.test"), "rocket in the open"}, {stranger, ""}} {
			for _, in := range []Search{{Term: "rocket", Comments: true}, {Term: "rock"}, {Term: "rocket", Query: entity.Query{OrderBy: "updatedAt"}},
				{Term: "rocket", Query: entity.Query{Filter: entity.Only("title", entity.Only("contains", "rocket"))}}} {
				got, total := o.found(x.p, in, 50, false)
				o.is("found", strings.Join(got, ","), x.want)
				if int(total) != len(got) {
					o.Errorf("%d in all, %d shown", total, len(got))
				}
			}
			got, _ := o.found(x.p, Search{Term: "SEC-1"}, 50, false)
			o.is("by identifier", strings.Join(got, ","), map[bool]string{true: "rocket in secret"}[x.p == o.p])
		}
		_, err = o.t.DeleteTeam(ctx, o.p, c.Entity.ID)
		o.must(err)
		got, _ := o.found(o.p, Search{Term: "rocket"}, 50, false)
		o.is("the team is deleted", strings.Join(got, ","), "rocket in the open")
	})
}

// Random searches find the same issues as a pass over all issues, in the same groups.
func TestSearchAgreesWithAPlainReading(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		r := rand.New(rand.NewPCG(4, 7))
		vocabulary := []string{"ab", "abc", "abcd", "blue", "Blüe", "car", "care", "x-ray", "ray", "12", "ENG-3"}
		text := func(most int) string {
			var out []string
			for range r.IntN(most) {
				out = append(out, vocabulary[r.IntN(len(vocabulary))])
			}
			return strings.Join(out, " ")
		}
		team := o.team("ENG")
		type plain struct{ title, text, all string }
		model := map[string]*plain{}
		words := func(s string) string {
			return " " + strings.Join(strings.FieldsFunc(store.Fold(s), func(r rune) bool { return r == ' ' || r == '-' }), " ") + " "
		}
		for n := range 60 {
			title, description := fmt.Sprintf("i%d %s", n, text(5)), text(5)
			i := o.issue(team, title, func(in *WriteIssue) { in.Description = opt.Some(description) })
			m := &plain{title: words(title), text: words(description)}
			if r.IntN(2) == 0 {
				body := "c " + text(4)
				_, err := o.t.CreateComment(ctx, o.p, CreateComment{Issue: i.ID, Body: body})
				o.must(err)
				m.all = words(body)
			}
			model[title] = m
		}
		for range 150 {
			term := strings.TrimSpace(text(4))
			if term == "" || strings.Contains(term, "ENG-3") {
				continue
			}
			pieces := strings.Fields(store.Fold(term))
			tierOf := func(m *plain) int {
				for t, texts := range [][]string{{m.title}, {m.title, m.text}, {m.title, m.text, m.all}} {
					all := true
					for n, p := range pieces {
						w := words(p)
						if n == len(pieces)-1 && len(strings.Fields(w)[len(strings.Fields(w))-1]) >= 3 {
							w = strings.TrimRight(w, " ")
						}
						all = all && slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, w) })
					}
					if all {
						return t
					}
				}
				return -1
			}
			var want []string
			for title, m := range model {
				if tierOf(m) >= 0 {
					want = append(want, title)
				}
			}
			got, total := o.found(o.p, Search{Term: term, Comments: true}, 1+r.IntN(20), r.IntN(2) == 0)
			if !slices.IsSortedFunc(got, func(a, b string) int { return tierOf(model[a]) - tierOf(model[b]) }) {
				o.Fatalf("%q: not in groups: %q", term, got)
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) || int(total) != len(want) {
				o.Fatalf("%q finds %q, %d in all, want %q", term, got, total, want)
			}
		}
	})
}
