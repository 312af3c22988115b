package search

import (
	"strings"

	"understudy/internal/platform/store"
)

// On PostgreSQL issues are indexed beside the writers, on a connection of its own:
// nothing but this work writes to tracker_search_document and removes changes. It
// removes those that it has read, so an issue that changes meanwhile is indexed
// again.

// pending is changes with everything that indexing them needs. It is read before
// the transaction that writes, with few statements: each is a round trip.
type pending struct {
	numbers   []int64 // of all changes
	changes   []change
	documents map[issueKey]*document // of issues that exist; nil for those in the trash
	indexed   map[issueKey]int64     // numbers of existing documents of the index
}

type issueKey struct{ org, issue string }

// changed are the keys of changed issues, before a subquery that reads their rows.
// With OFFSET 0 in it, each issue is looked up by its key. Otherwise the planner,
// which overestimates the changes, may read the whole table instead.
const changed = ` FROM unnest(CAST(? AS TEXT[]), CAST(? AS TEXT[])) c (org, issue) CROSS JOIN LATERAL `

// gather returns the oldest changes, at most most of them.
func gather(tx *store.Tx, most int) (*pending, error) {
	p := &pending{documents: map[issueKey]*document{}, indexed: map[issueKey]int64{}}
	var err error
	if p.changes, p.numbers, err = oldest(tx, most); err != nil || len(p.numbers) == 0 {
		return p, err
	}
	var orgs, issues []string
	for _, c := range p.changes {
		orgs, issues = append(orgs, c.org), append(issues, c.issue)
	}
	keys := []any{orgs, issues}
	comments := map[issueKey]*strings.Builder{}
	err = tx.Each(`SELECT c.org, c.issue, m.body`+changed+`(SELECT body, created, id FROM tracker_comment WHERE org = c.org AND issue = c.issue OFFSET 0) m
		ORDER BY m.created, m.id`, keys, func(r store.Row) error {
		var k issueKey
		var body string
		if err := r.Scan(&k.org, &k.issue, &body); err != nil {
			return err
		}
		if comments[k] == nil {
			comments[k] = &strings.Builder{}
		}
		if comments[k].Len() < maxWords {
			comments[k].WriteString(body + "\n")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = tx.Each(`SELECT c.org, c.issue, `+issueColumns+changed+`(SELECT * FROM tracker_issue WHERE org = c.org AND id = c.issue OFFSET 0) i`,
		keys, func(r store.Row) error {
			var k issueKey
			var row issueRow
			if err := r.Scan(append([]any{&k.org, &k.issue}, row.places()...)...); err != nil {
				return err
			}
			text := ""
			if comments[k] != nil {
				text = comments[k].String()
			}
			p.documents[k] = row.document(k.org, text)
			return nil
		})
	if err != nil {
		return nil, err
	}
	err = tx.Each(`SELECT c.org, c.issue, d.number`+changed+`(SELECT number FROM tracker_search_document WHERE org = c.org AND issue = c.issue OFFSET 0) d`,
		keys, func(r store.Row) error {
			var k issueKey
			var number int64
			err := r.Scan(&k.org, &k.issue, &number)
			p.indexed[k] = number
			return err
		})
	return p, err
}

// columns are the columns of documents to write.
type columns struct {
	orgs, issues                       []string
	numbers                            []int64
	titles, descriptions, comments, ds []string
}

func (c *columns) add(k issueKey, number int64, d *document) {
	c.orgs, c.issues, c.numbers = append(c.orgs, k.org), append(c.issues, k.issue), append(c.numbers, number)
	c.titles, c.descriptions = append(c.titles, d.title), append(c.descriptions, d.description)
	c.comments, c.ds = append(c.comments, d.comments), append(c.ds, d.keys+" "+d.tags)
}

const (
	vector = `setweight(to_tsvector('simple', d.a), 'A') || setweight(to_tsvector('simple', d.b), 'B') ||
		setweight(to_tsvector('simple', d.c), 'C') || setweight(to_tsvector('simple', d.d), 'D')`
	texts = `CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[])`
)

// write updates the index. It needs no result of any statement.
func (p *pending) write(tx *store.Tx) error {
	var gone []int64
	var fresh, known columns
	for _, c := range p.changes {
		k := issueKey{c.org, c.issue}
		d, number := p.documents[k], p.indexed[k]
		if number != 0 && (d == nil || c.moved) {
			gone = append(gone, number)
			number = 0
		}
		switch {
		case d == nil:
		case number == 0:
			fresh.add(k, 0, d)
		default:
			known.add(k, number, d)
		}
	}
	if len(gone) > 0 {
		if err := tx.ExecLater(`DELETE FROM tracker_search_document WHERE number = ANY(CAST(? AS BIGINT[]))`, gone); err != nil {
			return err
		}
	}
	if len(known.numbers) > 0 {
		if err := tx.ExecLater(`UPDATE tracker_search_document SET words = `+vector+` FROM unnest(CAST(? AS BIGINT[]), `+texts+`) d (n, a, b, c, d)
			WHERE number = d.n`, known.numbers, known.titles, known.descriptions, known.comments, known.ds); err != nil {
			return err
		}
	}
	if len(fresh.orgs) > 0 {
		if err := tx.ExecLater(`INSERT INTO tracker_search_document (org, issue, words) SELECT d.org, d.issue, `+vector+`
			FROM unnest(CAST(? AS TEXT[]), CAST(? AS TEXT[]), `+texts+`) d (org, issue, a, b, c, d)`,
			fresh.orgs, fresh.issues, fresh.titles, fresh.descriptions, fresh.comments, fresh.ds); err != nil {
			return err
		}
	}
	return tx.ExecLater(`DELETE FROM tracker_search_change WHERE number = ANY(CAST(? AS BIGINT[]))`, p.numbers)
}
