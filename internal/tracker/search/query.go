package search

import (
	"strings"

	"understudy/internal/platform/store"
	"understudy/internal/platform/words"
)

// minPrefix is the number of letters from which the last word of a term also
// finds longer words that begin with it.
const minPrefix = 3

// Piece is a part of a term without blanks. Its words must be adjacent in a
// match.
type Piece struct {
	Words  []string
	Prefix bool // longer words that begin with the last word match too
	Key    bool // it may be the identifier of an issue

	forms []string // the words that match the last word
}

// Parse splits a term into its pieces. key reports whether a part of it has the
// form of an identifier.
func Parse(term string, key func(string) bool) (out []Piece) {
	parts := strings.Fields(store.Fold(term))
	for n, part := range parts {
		p := Piece{Key: key(part)}
		letter := false
		words.Each(part, func(w words.Word) bool {
			p.Words = append(p.Words, strings.ToLower(part[w.Start:w.End]))
			letter = w.Letter
			return len(p.Words) < 50
		})
		if len(p.Words) == 0 {
			continue
		}
		p.Prefix = n == len(parts)-1 && !letter && !p.Key && len([]rune(p.Words[len(p.Words)-1])) >= minPrefix
		if out = append(out, p); len(out) == 20 {
			break
		}
	}
	return out
}

// tier is how well an issue matches: by its title, by title or description, or
// only with its comments.
type tier int

const (
	byTitle tier = iota
	byText
	byComment
)

// fts returns the conditions of a tier for the full-text index of SQLite. All
// text in it consists of letters, digits and operators.
func fts(pieces []Piece, t tier) string {
	var b strings.Builder
	b.WriteByte('(')
	for n, p := range pieces {
		if n > 0 {
			b.WriteString(" AND ")
		}
		b.WriteString("{title")
		if t >= byText {
			b.WriteString(" description")
		}
		if t >= byComment {
			b.WriteString(" comments")
		}
		if p.Key {
			b.WriteString(" keys")
		}
		b.WriteString("} : ")
		p.writeFTS(&b)
	}
	b.WriteByte(')')
	return b.String()
}

// writeFTS writes the phrases of a piece for the full-text index of SQLite.
func (p *Piece) writeFTS(b *strings.Builder) {
	if len(p.forms) == 0 {
		b.WriteString(`"` + strings.Join(p.Words, " ") + `"`)
		if p.Prefix {
			b.WriteString(" *")
		}
		return
	}
	begin := strings.Join(p.Words[:len(p.Words)-1], " ")
	if begin != "" {
		begin += " "
	}
	b.WriteByte('(')
	for n, form := range p.forms {
		if n > 0 {
			b.WriteString(" OR ")
		}
		b.WriteString(`"` + begin + form + `"`)
	}
	b.WriteByte(')')
}

// match returns the full-text condition for the matches of a tier that are in no
// better tier or, with whole, also for those, restricted to what the caller may
// see.
func (r *Request) match(t tier, whole bool) string {
	all := fts(r.Pieces, t)
	if tags := r.wanted(); len(tags) > 0 {
		for _, tag := range tags {
			all += ` AND tags : "` + tag + `"`
		}
		all = "(" + all + ")"
	}
	if t > byTitle && !whole {
		all += " NOT " + fts(r.Pieces, t-1)
	}
	for _, tag := range r.unwanted() {
		all += ` NOT tags : "` + tag + `"`
	}
	return all
}

// wanted returns the tags that a match must have.
func (r *Request) wanted() (tags []string) {
	if r.Shared {
		tags = append(tags, orgTag(r.Org))
	}
	if r.Team != "" {
		tags = append(tags, teamTag(r.Team))
	}
	return tags
}

// unwanted returns the tags that a match must not have.
func (r *Request) unwanted() (tags []string) {
	if !r.Archived {
		tags = append(tags, archivedTag)
	}
	for _, id := range r.Hidden {
		tags = append(tags, teamTag(id))
	}
	return tags
}

// tsquery returns what match returns, for PostgreSQL.
func (r *Request) tsquery(t tier, whole bool) string {
	all := terms(r.Pieces, t)
	for _, tag := range r.wanted() {
		all += " & '" + tag + "':D"
	}
	if t > byTitle && !whole {
		all += " & !(" + terms(r.Pieces, t-1) + ")"
	}
	for _, tag := range r.unwanted() {
		all += " & !'" + tag + "':D"
	}
	return all
}

func terms(pieces []Piece, t tier) string {
	weights := [...]string{"A", "AB", "ABC"}[t]
	var all []string
	for _, p := range pieces {
		text := p.phrase(weights)
		if p.Key {
			text = "(" + text + " | " + p.phrase("D") + ")"
		}
		all = append(all, text)
	}
	return strings.Join(all, " & ")
}

// phrase returns the condition of a piece for words with some weights.
func (p *Piece) phrase(weights string) string {
	var terms []string
	for n, w := range p.Words {
		star := ""
		if p.Prefix && n == len(p.Words)-1 {
			star = "*"
		}
		terms = append(terms, "'"+w+"':"+star+weights)
	}
	return "(" + strings.Join(terms, " <-> ") + ")"
}
