package crm

import (
	"strconv"
	"strings"
	"time"

	"understudy/internal/platform/store"
)

// source is an index that gives the ids of candidates.
type source struct {
	table    string // with its alias
	id       string // the column of ids
	where    string
	args     []any
	distinct bool // the same id may come more than once
	byID     bool // cheap to read in the order of ids
	exact    bool // every candidate passes the predicate
}

// source gives the index for a predicate, or nil.
func (pl *plan) source(tx *store.Tx, p *predicate) (*source, error) {
	portal := pl.d.Portal.ID
	switch p.test {
	case isLinked:
		return pl.linkSource(p), nil
	case matchesText:
		return wordsSource(tx, scoped(searchScope(portal, pl.t), p.terms, true), !longest(p.terms))
	case hasToken:
		if p.negated || !p.property.words() || !p.indexed() || p.phrase.any {
			break
		}
		words, open := p.phrase.words, p.phrase.openEnd
		if len(words) > 0 && p.phrase.openStart {
			words = words[1:]
		}
		if len(words) == 0 {
			break
		}
		s := scoped(propertyScope(portal, p.property), words, false)
		s[len(s)-1].prefix = open
		return wordsSource(tx, s, len(p.phrase.words) == 1 && !longest(words))
	}
	if p.negated && !p.needsValue {
		return nil, nil
	}
	switch p.property.column() {
	case "id":
		return pl.idSource(p), nil
	case "created", "updated":
		return pl.timeSource(p), nil
	}
	if !p.indexed() {
		return nil, nil
	}
	s := &source{table: "crm_value v", id: "v.record", where: "v.portal = ? AND v.property = ?", args: []any{portal, p.property.number},
		distinct: p.property.many(), exact: !p.negated}
	switch {
	case p.negated || p.test == hasValue || p.test == hasToken:
		s.exact = p.test == hasValue && !p.negated
	case p.test == isOneOf && len(p.keys) == 1:
		s.where, s.byID, s.distinct = s.where+" AND v.value = ?", true, false
		s.args = append(s.args, p.keys[0])
	case p.test == isOneOf:
		s.where += " AND v.value IN " + store.In(len(p.keys))
		for _, k := range p.keys {
			s.args = append(s.args, k)
		}
	case p.test == inRange:
		where, args := rangeSQL(p, "v.value", func(k string) any { return k })
		s.where, s.args = s.where+where, append(s.args, args...)
	}
	return s, nil
}

// rangeSQL gives the conditions of a range on a column.
func rangeSQL(p *predicate, column string, convert func(string) any) (where string, args []any) {
	if p.low.set {
		where += " AND " + column + map[bool]string{false: " >= ?", true: " > ?"}[p.low.strict]
		args = append(args, convert(p.low.key))
	}
	if p.high.set {
		where += " AND " + column + map[bool]string{false: " <= ?", true: " < ?"}[p.high.strict]
		args = append(args, convert(p.high.key))
	}
	return where, args
}

// microsOf reads a key of a time.
func microsOf(key string) any {
	t, _ := time.Parse(isoMillis, key)
	return t.UnixMicro()
}

func (pl *plan) timeSource(p *predicate) *source {
	column := "r." + p.property.column()
	s := &source{table: "crm_record r", id: "r.id", where: "r.portal = ? AND r.type = ? AND r.archived = 0", args: []any{pl.d.Portal.ID, pl.t}, exact: !p.negated}
	switch {
	case p.negated || p.test == hasValue || p.test == hasToken:
		return nil
	case p.test == isOneOf:
		s.where += " AND " + column + " IN " + store.In(len(p.keys))
		for _, k := range p.keys {
			s.args = append(s.args, microsOf(k))
		}
	default:
		where, args := rangeSQL(p, column, microsOf)
		s.where, s.args = s.where+where, append(s.args, args...)
	}
	return s
}

// idSource serves equality; ranges of ids are walked.
func (pl *plan) idSource(p *predicate) *source {
	if p.negated || p.test != isOneOf {
		return nil
	}
	s := &source{table: "crm_record r", id: "r.id", where: "r.portal = ? AND r.type = ? AND r.archived = 0 AND r.id IN " + store.In(len(p.keys)),
		args: []any{pl.d.Portal.ID, pl.t}, exact: true}
	for _, k := range p.keys {
		s.args = append(s.args, int64(numberOfKey(k)))
	}
	return s
}

func (pl *plan) linkSource(p *predicate) *source {
	if p.negated || p.anyLink || len(p.linkIDs) == 0 {
		return nil
	}
	s := &source{table: "crm_association a", id: "a.to_record", where: "a.portal = ? AND a.from_type = ? AND a.to_type = ? AND a.from_record IN " +
		store.In(len(p.linkIDs)), args: []any{pl.d.Portal.ID, p.linkedTo, pl.t}, distinct: true, exact: true}
	for _, id := range p.linkIDs {
		s.args = append(s.args, id)
	}
	return s
}

// loadLinks reads the records that link predicates are about.
func (pl *plan) loadLinks(tx *store.Tx) error {
	for _, g := range pl.groups {
		for _, p := range g.all {
			if p.test != isLinked {
				continue
			}
			s := pl.linkSource(&predicate{linkedTo: p.linkedTo, linkIDs: p.linkIDs})
			if p.anyLink {
				s = &source{table: "crm_association a", id: "a.from_record", where: "a.portal = ? AND a.from_type = ? AND a.to_type = ?",
					args: []any{pl.d.Portal.ID, pl.t, p.linkedTo}, distinct: true}
			}
			p.ids = map[int64]bool{}
			ids, err := sourceIDs(tx, s, 1<<31)
			if err != nil {
				return err
			}
			for _, id := range ids {
				p.ids[id] = true
			}
		}
	}
	return nil
}

// probe has the source's statement ask another predicate by the value table.
func (s *source) probe(portal int64, p *predicate) {
	s.where += " AND EXISTS (SELECT 1 FROM crm_value x WHERE x.portal = ? AND x.property = ? AND x.value IN " + store.In(len(p.keys)) +
		" AND x.record = " + s.id + ")"
	s.args = append(s.args, portal, p.property.number)
	for _, k := range p.keys {
		s.args = append(s.args, k)
	}
}

func (s *source) selectIDs() string {
	if s.distinct {
		return "SELECT DISTINCT " + s.id + " AS id FROM " + s.table + " WHERE " + s.where
	}
	return "SELECT " + s.id + " AS id FROM " + s.table + " WHERE " + s.where
}

// countSource counts up to most.
func countSource(tx *store.Tx, s *source, most int) (n int, err error) {
	_, err = tx.Get("SELECT COUNT(*) FROM ("+s.selectIDs()+" LIMIT "+strconv.Itoa(most)+") c", s.args, &n)
	return n, err
}

// sourceIDs gives at most n ids, in no order.
func sourceIDs(tx *store.Tx, s *source, n int) (out []int64, err error) {
	err = tx.Each(s.selectIDs()+" LIMIT "+strconv.Itoa(n), s.args, func(r store.Row) error {
		var id int64
		err := r.Scan(&id)
		out = append(out, id)
		return err
	})
	return out, err
}

// scopedWord is a word of the index, or the beginning of one.
type scopedWord struct {
	text   string
	prefix bool
}

func scoped(scope string, words []string, prefix bool) []scopedWord {
	out := make([]scopedWord, len(words))
	for i, w := range words {
		out[i] = scopedWord{scope + cutToken(w), prefix || len(w) > maxToken}
	}
	return out
}

// longest tells whether a word is longer than what is indexed of it.
func longest(words []string) bool {
	for _, w := range words {
		if len(w) >= maxToken {
			return true
		}
	}
	return false
}

func wordsSource(tx *store.Tx, words []scopedWord, exact bool) (*source, error) {
	parts := make([]string, len(words))
	if !lazyWords(tx) {
		for i, w := range words {
			if parts[i] = "'" + w.text + "'"; w.prefix {
				parts[i] += ":*"
			}
		}
		return &source{table: "crm_fts w", id: "w.id", where: "w.words @@ CAST(? AS tsquery)", args: []any{strings.Join(parts, " & ")}, exact: exact}, nil
	}
	for i, w := range words {
		if parts[i] = `"` + w.text + `"`; w.prefix {
			var err error
			if parts[i], err = beginning(tx, w.text); err != nil {
				return nil, err
			}
		}
	}
	return &source{table: "crm_fts", id: "crm_fts.rowid", where: "crm_fts MATCH ?", args: []any{strings.Join(parts, " AND ")}, byID: true, exact: exact}, nil
}

// maxBeginnings is how many words a beginning is spelled out to.
const maxBeginnings = 200

// beginning gives the expression for the words that begin with a text. Few are
// spelled out: FTS5 reads along the records of whole words, but gathers all
// those of a beginning before it gives the first.
func beginning(tx *store.Tx, text string) (string, error) {
	words := []string{`"` + text + `"`}
	err := tx.Each("SELECT term FROM crm_fts_vocab WHERE term >= ? AND term < ? LIMIT "+strconv.Itoa(maxBeginnings),
		[]any{text + "0", text + "\U0010FFFF"}, func(r store.Row) error { // "0" is the first letter that a word can go on with
			var term string
			err := r.Scan(&term)
			words = append(words, `"`+term+`"`)
			return err
		})
	if err != nil {
		return "", err
	}
	if len(words) > maxBeginnings {
		return words[0] + " *", nil
	}
	return "(" + strings.Join(words, " OR ") + ")", nil
}
