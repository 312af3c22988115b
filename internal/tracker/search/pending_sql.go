package search

import (
	"strings"

	"understudy/internal/platform/store"
)

// pending is changes with everything that indexing them on PostgreSQL needs. It
// is read before the write transaction, with few statements: each is a round
// trip, for which writers would wait.
type pending struct {
	count     int
	last      int64 // the number of the last change
	changes   []change
	documents map[issueKey]*document // of issues that exist; nil for those in the trash
	numbers   map[issueKey]int64     // of existing documents of the index
}

type issueKey struct{ org, issue string }

// changed are the issues of the changes up to a number.
const changed = `(SELECT DISTINCT org, issue FROM tracker_search_change WHERE number <= ?) c`

// gather returns the oldest changes, at most most of them.
func gather(tx *store.Tx, most int) (*pending, error) {
	p := &pending{documents: map[issueKey]*document{}, numbers: map[issueKey]int64{}}
	var err error
	if p.changes, p.count, p.last, err = oldest(tx, most); err != nil || p.count == 0 {
		return p, err
	}
	comments := map[issueKey]*strings.Builder{}
	err = tx.Each(`SELECT c.org, c.issue, m.body FROM `+changed+` JOIN tracker_comment m ON m.org = c.org AND m.issue = c.issue
		ORDER BY m.created, m.id`, []any{p.last}, func(r store.Row) error {
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
	err = tx.Each(`SELECT c.org, c.issue, `+issueColumns+` FROM `+changed+` JOIN tracker_issue i ON i.org = c.org AND i.id = c.issue`,
		[]any{p.last}, func(r store.Row) error {
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
	err = tx.Each(`SELECT c.org, c.issue, d.number FROM `+changed+` JOIN tracker_search_document d ON d.org = c.org AND d.issue = c.issue`,
		[]any{p.last}, func(r store.Row) error {
			var k issueKey
			var number int64
			err := r.Scan(&k.org, &k.issue, &number)
			p.numbers[k] = number
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
		d, number := p.documents[k], p.numbers[k]
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
	return forget(tx, p.last)
}
