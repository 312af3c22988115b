package search

import (
	"strconv"

	"understudy/internal/platform/store"
)

// MaxTotal is the number up to which matches are counted; there may be more.
const MaxTotal = 10_000

// Request is a search for issues.
type Request struct {
	Org      string
	Version  int64 // of the organization, in the transaction that searches; 0 in a write
	Shared   bool  // the world has other organizations too
	Pieces   []Piece
	Team     string   // id of the team to search in; "" for all
	Hidden   []string // ids of teams that the caller may not see
	Archived bool     // archived issues too
	Comments bool     // the words of comments too

	// Cond is a further condition on the issue t, with its arguments; "" for none.
	Cond string
	Args []any

	Size     int
	From     *Place // where the page begins: after it, or before it when Backward
	Backward bool

	answers *answers
}

// Place is the place of a match: its tier, and the number of its document in it.
// Higher numbers come first.
type Place struct {
	Tier   int
	Number int64
}

// Match is an issue that was found.
type Match struct {
	Place
	Issue string
}

// tiers returns the tiers of a request, in the order of the search.
func (r *Request) tiers() []tier {
	out := []tier{byTitle, byText}
	if r.Comments {
		out = append(out, byComment)
	}
	if r.Backward {
		for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
			out[i], out[j] = out[j], out[i]
		}
	}
	return out
}

// Find returns the best matches, at most Size of them, the best first; among
// equals the latest change comes first. With Backward it returns those just
// before From, nearest first.
func (r *Request) Find(tx *store.Tx) (out []Match, err error) {
	for _, t := range r.tiers() {
		if r.From != nil && (!r.Backward && int(t) < r.From.Tier || r.Backward && int(t) > r.From.Tier) {
			continue
		}
		if len(out) >= r.Size {
			break
		}
		var found []Match
		if r.From == nil && !r.Backward {
			found, err = r.besides(tx, t, out)
		} else {
			found, err = r.within(tx, t, r.Size-len(out))
		}
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// besides returns the matches of a tier that are not in better, which holds all
// matches of the better tiers. Excluding them here is faster than in the index.
func (r *Request) besides(tx *store.Tx, t tier, better []Match) (out []Match, err error) {
	seen := map[int64]bool{}
	for _, m := range better {
		seen[m.Number] = true
	}
	from, args := r.from(tx.Dialect(), t, true)
	found, err := r.read(tx, t, from, args, r.Size)
	for _, m := range found {
		if !seen[m.Number] {
			out = append(out, m)
		}
	}
	return out[:min(len(out), r.Size-len(better))], err
}

// within returns the matches of one tier.
func (r *Request) within(tx *store.Tx, t tier, most int) (out []Match, err error) {
	from, args := r.from(tx.Dialect(), t, false)
	if r.From != nil && int(t) == r.From.Tier {
		from += " AND " + tx.Dialect().Pick("f.rowid", "d.number") + map[bool]string{false: " < ?", true: " > ?"}[r.Backward]
		args = append(args, r.From.Number)
	}
	return r.read(tx, t, from, args, most)
}

// read returns the first matches of a tier in the direction of the request. The
// caller must not change them.
func (r *Request) read(tx *store.Tx, t tier, from string, args []any, most int) ([]Match, error) {
	number := tx.Dialect().Pick("f.rowid", "d.number")
	order := map[bool]string{false: " DESC", true: " ASC"}[r.Backward]
	sql := "SELECT " + number + ", d.issue " + from + " ORDER BY " + number + order + " LIMIT " + strconv.Itoa(most)
	a, err := r.answer(tx, sql, args, func(a *answer) error {
		return tx.Each(sql, args, func(row store.Row) error {
			m := Match{Place: Place{Tier: int(t)}}
			err := row.Scan(&m.Number, &m.Issue)
			a.matches = append(a.matches, m)
			return err
		})
	})
	return a.matches, err
}

// from returns the FROM and WHERE clauses for the matches of a tier that are in
// no better tier or, with whole, also for those.
func (r *Request) from(d *store.Dialect, t tier, whole bool) (text string, args []any) {
	if d.Name == "sqlite" {
		text, args = "FROM tracker_search f CROSS JOIN tracker_search_document d ON d.number = f.rowid", []any{r.match(t, whole)}
	} else {
		text, args = "FROM tracker_search_document d", []any{r.tsquery(t, whole)}
	}
	if r.Cond != "" { // the index is searched first
		text += d.Pick(" CROSS", "") + " JOIN tracker_issue t ON t.org = d.org AND t.id = d.issue"
	}
	text += " WHERE " + d.Pick("tracker_search MATCH ?", "d.words @@ to_tsquery('simple', ?)")
	if r.Cond != "" {
		text, args = text+" AND "+r.Cond, append(args, r.Args...)
	}
	return text, args
}

// Total returns how many issues a request finds on all its pages, at most MaxTotal.
func (r *Request) Total(tx *store.Tx) (int64, error) {
	from, args := r.from(tx.Dialect(), r.last(), true)
	if tx.Dialect().Name == "sqlite" && r.Cond == "" { // the index alone suffices
		from = "FROM tracker_search f WHERE tracker_search MATCH ?"
	}
	sql := "SELECT COUNT(*) FROM (SELECT 1 AS one " + from + " LIMIT " + strconv.Itoa(MaxTotal) + ") x"
	a, err := r.answer(tx, sql, args, func(a *answer) error {
		_, err := tx.Get(sql, args, &a.total)
		return err
	})
	return a.total, err
}

// last returns the tier with the most matches.
func (r *Request) last() tier {
	if r.Comments {
		return byComment
	}
	return byText
}

// PlaceOf returns the place of an issue among the results of a request, or nil
// when it is not found.
func (r *Request) PlaceOf(tx *store.Tx, issue string) (*Place, error) {
	for _, t := range []tier{byTitle, byText, byComment} {
		if t == byComment && !r.Comments {
			break
		}
		from, args := r.from(tx.Dialect(), t, false)
		p := &Place{Tier: int(t)}
		found, err := tx.Get("SELECT d.number "+from+" AND "+tx.Dialect().Pick("f.rowid", "d.number")+
			" = (SELECT x.number FROM tracker_search_document x WHERE x.org = ? AND x.issue = ?)", append(args, r.Org, issue), &p.Number)
		if err != nil || found {
			return p, err
		}
	}
	return nil, nil
}

// Within returns the condition, with its arguments, that a request finds the
// issue t in any tier.
func (r *Request) Within(d *store.Dialect) (string, []any) {
	any := *r
	any.Cond = ""
	from, args := any.from(d, r.last(), true)
	return "(t.org, t.id) IN (SELECT d.org, d.issue " + from + ")", args
}
