package tracker

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"understudy/internal/platform/ids"
	"understudy/internal/tracker/entity"
	"understudy/internal/tracker/search"
)

// Search is an input of searchIssues.
type Search struct {
	Term     string
	Team     string // id or key; "" searches all teams
	Comments bool   // also the words of comments
	entity.Query
}

// Found is a page of the results of a search.
type Found struct {
	Nodes                []*Issue
	HasNext, HasPrevious bool

	total   func(*View) (int64, error)
	cursors map[string]string // by id of the issue
}

// Total returns the number of issues on all pages of the search, search.MaxTotal for
// that many or more. It counts them in the database, unless the page shows all of them.
func (f *Found) Total(v *View) (int64, error) { return f.total(v) }

// know sets the result of Total.
func (f *Found) know(n int) { f.total = func(*View) (int64, error) { return int64(n), nil } }

// Cursor returns the cursor of a node of the page.
func (f *Found) Cursor(i *Issue) string { return f.cursors[i.ID] }

// IndexIssues indexes the words of all committed changes. Searches that begin after it
// returns find these words.
func (t *Tracker) IndexIssues(ctx context.Context) error { return t.search.CatchUp(ctx) }

// SearchIssues returns the issues that contain every word of a term. The last word of
// the term may be the beginning of a word. If the term is the identifier of an issue,
// that issue comes first. Then come the issues with the words in the title, then those
// with the words in title and description, then, if Comments is set, those with the
// words in comments. Within each of these groups, the issue that changed last comes
// first. A blank term finds every issue. It returns NotFound for the team, BadArgument
// and BadInput for the Query.
func (v *View) SearchIssues(in Search) (*Found, error) {
	if in.Team != "" {
		team, err := v.Team(in.Team)
		if err != nil {
			return nil, err
		}
		in.Team = team.ID
	}
	pieces := search.Parse(in.Term, func(part string) bool {
		_, _, ok := splitIdentifier(part)
		return ok
	})
	blank := strings.TrimSpace(in.Term) == ""
	if len(pieces) == 0 && !blank { // the term has no letters or digits, and matches nothing
		none := &Found{Nodes: []*Issue{}}
		none.know(0)
		return none, nil
	}
	hidden, known := v.unseen()
	if !known {
		return nil, v.failure
	}
	r := v.t.search.Ask(v.Tenant, v.Version, pieces)
	r.Team, r.Hidden, r.Archived, r.Comments = in.Team, hidden, in.IncludeArchived, in.Comments
	var err error
	if r.Shared, err = manyOrganizations(v.Tx); err != nil {
		return nil, err
	}
	if err := search.Expand(v.Tx, pieces); err != nil {
		return nil, err
	}
	if blank || in.OrderBy != "" || len(in.Sort) > 0 {
		return v.listFound(in, r, blank)
	}
	if len(in.Filter) > 0 {
		if r.Cond, r.Args, err = Issues.Condition(v, in.Filter); err != nil {
			return nil, err
		}
	}
	return v.ranked(in, r)
}

// listFound returns a page of the results of a search, in the order that the Query of
// the search requests.
func (v *View) listFound(in Search, r *search.Request, all bool) (*Found, error) {
	if !all {
		in.Cond, in.CondArgs = r.Within(v.Tx.Dialect())
	}
	if in.Team != "" {
		only := entity.Only("team", entity.Only("id", entity.Only("eq", in.Team)))
		in.Filter = entity.Filter{{Name: "and", Value: []any{only}}, {Name: "and", Value: []any{in.Filter}}}
	}
	page, err := Issues.List(v, in.Query)
	if err != nil {
		return nil, err
	}
	f := &Found{Nodes: page.Nodes, HasNext: page.HasNext, HasPrevious: page.HasPrevious, cursors: map[string]string{}}
	for _, i := range page.Nodes {
		f.cursors[i.ID] = page.Cursor(i)
	}
	f.total = func(v *View) (int64, error) { return Issues.Count(v, in.Query) }
	return f, nil
}

// ranked returns a page of the results of a search, the best ones first.
func (v *View) ranked(in Search, r *search.Request) (*Found, error) {
	size, backward, after, before, err := in.Paging()
	if err != nil {
		return nil, err
	}
	named, err := v.named(in)
	if err != nil {
		return nil, err
	}
	f := &Found{Nodes: []*Issue{}, cursors: map[string]string{}}
	f.total = func(v *View) (int64, error) { return v.countFound(r, named) }
	r.Size, r.Backward = size+2, backward // one may be the named issue, and one more indicates a further page
	field, text := "after", after
	if backward {
		field, text = "before", before
	}
	first := named != nil && (text == "" || backward)
	if text != "" {
		if r.From, err = v.place(r, field, text); err != nil {
			return nil, err
		}
		if r.From.Tier < 0 { // the named issue comes first, so no issue is before it
			r.From, first = nil, false
			if backward {
				return f, nil
			}
		}
	}
	found, err := r.Find(v.Tx)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(m search.Match) bool { return named != nil && m.Issue == named.ID })
	top := search.Match{Place: search.Place{Tier: -1}}
	switch {
	case first && backward && len(found) <= size:
		top.Issue = named.ID
		found = append(found, top)
	case first && !backward:
		top.Issue = named.ID
		found = append([]search.Match{top}, found...)
	}
	f.HasNext, f.HasPrevious = len(found) > size, after != ""
	found = found[:min(size, len(found))]
	if backward {
		slices.Reverse(found)
		f.HasNext, f.HasPrevious = before != "", f.HasNext
	}
	if text == "" && !f.HasNext && !f.HasPrevious {
		f.know(len(found))
	}
	return f, v.show(f, found, in.IncludeArchived)
}

// countFound returns the number of issues that a request finds. It also counts the named
// issue, if there is one and the request does not find it.
func (v *View) countFound(r *search.Request, named *Issue) (int64, error) {
	n, err := r.Total(v.Tx)
	if err != nil || named == nil || n == search.MaxTotal {
		return n, err
	}
	place, err := r.PlaceOf(v.Tx, named.ID)
	if place == nil {
		n++
	}
	return n, err
}

// show adds the issues of a page to f, except those that must not be shown.
func (v *View) show(f *Found, found []search.Match, archived bool) error {
	ids := make([]string, len(found))
	for i, m := range found {
		ids[i] = m.Issue
	}
	rows, err := Issues.ByID(v, ids)
	for _, m := range found {
		if i := rows[m.Issue]; i != nil && !i.Trashed && (archived || i.Archived == 0) {
			f.Nodes = append(f.Nodes, i)
			f.cursors[i.ID] = entity.EncodeCursor("r"+strconv.Itoa(m.Tier)+"."+digits(m.Number), m.Issue)
		}
	}
	return err
}

// place returns the place that a text names: the text is a cursor, or the id of an issue
// that the search finds. It returns BadArgument for any other text.
func (v *View) place(r *search.Request, field, text string) (*search.Place, error) {
	invalid := badArgument(field, "%s is not a cursor of this server.", field)
	if ids.IsUUID(text) {
		p, err := r.PlaceOf(v.Tx, lower(text))
		if err == nil && p == nil {
			err = invalid
		}
		return p, err
	}
	at, _, err := entity.DecodeCursor(field, text)
	at, ranked := strings.CutPrefix(at, "r")
	tier, number, dot := strings.Cut(at, ".")
	t, err1 := strconv.Atoi(tier)
	n, err2 := strconv.ParseInt(number, 10, 64)
	if err != nil || !ranked || !dot || err1 != nil || err2 != nil {
		return nil, invalid
	}
	return &search.Place{Tier: t, Number: n}, nil
}

// bareNumber and spacedIdentifier match the short forms of identifiers that users type
// in a search.
var (
	bareNumber       = regexp.MustCompile(`^[1-9][0-9]{0,9}$`)
	spacedIdentifier = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9]{0,6}) +([1-9][0-9]{0,9})$`)
)

// named returns the issue whose identifier is the term. It returns nil if there is none
// or the search excludes it.
func (v *View) named(in Search) (*Issue, error) {
	term := strings.TrimSpace(in.Term)
	if m := spacedIdentifier.FindStringSubmatch(term); m != nil {
		term = m[1] + "-" + m[2]
	}
	if in.Team != "" && bareNumber.MatchString(term) {
		team, err := Teams.Find(v, in.Team)
		if err != nil || team == nil {
			return nil, err
		}
		term = team.Key + "-" + term
	}
	if _, _, ok := splitIdentifier(term); !ok {
		return nil, nil
	}
	q := entity.Query{IncludeArchived: in.IncludeArchived, Filter: entity.Filter{
		{Name: "and", Value: []any{entity.Only("id", entity.Only("eq", term))}}, {Name: "and", Value: []any{in.Filter}}}}
	page, err := Issues.List(v, q)
	if err != nil || len(page.Nodes) == 0 || page.Nodes[0].Trashed || in.Team != "" && page.Nodes[0].Team != in.Team {
		return nil, err
	}
	return page.Nodes[0], nil
}
