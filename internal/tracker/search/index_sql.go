package search

import (
	"strings"

	"understudy/internal/platform/store"
	"understudy/internal/platform/words"
)

// maxWords bounds the bytes of one text that are indexed.
const maxWords = 64 << 10

func noteChange(tx *store.Tx, org, issue string, moved bool) error {
	return tx.ExecLater(`INSERT INTO tracker_search_change (org, issue, moved) VALUES (?, ?, ?)`, org, issue, moved)
}

func noteTeam(tx *store.Tx, org, team string) error {
	_, err := tx.Exec(`INSERT INTO tracker_search_change (org, issue, moved) SELECT org, id, FALSE FROM tracker_issue WHERE org = ? AND team = ?`, org, team)
	return err
}

func isBehind(tx *store.Tx) (bool, error) {
	var one int64
	return tx.Get(`SELECT 1 FROM tracker_search_change LIMIT 1`, nil, &one)
}

// change is an issue to index.
type change struct {
	org, issue string
	moved      bool
}

// indexSome indexes the oldest changes, at most most of them, and returns how
// many there were.
func indexSome(tx *store.Tx, known vocabulary, most int) (int, error) {
	var numbers []any
	var changes []change
	seen := map[change]int{}
	err := tx.Each(`SELECT number, org, issue, moved FROM tracker_search_change ORDER BY number LIMIT ?`, []any{most}, func(r store.Row) error {
		var number int64
		var c change
		if err := r.Scan(&number, &c.org, &c.issue, &c.moved); err != nil {
			return err
		}
		numbers = append(numbers, number)
		key := change{org: c.org, issue: c.issue}
		if at, ok := seen[key]; ok {
			c.moved = c.moved || changes[at].moved
			changes[at].issue = "" // the later one counts
		}
		seen[key] = len(changes)
		changes = append(changes, c)
		return nil
	})
	if err != nil || len(numbers) == 0 {
		return 0, err
	}
	for _, c := range changes {
		if c.issue == "" {
			continue
		}
		if err := indexIssue(tx, known, c); err != nil {
			return 0, err
		}
	}
	_, err = tx.Exec(`DELETE FROM tracker_search_change WHERE number IN `+store.In(len(numbers)), numbers...)
	return len(numbers), err
}

// document holds the indexed words of an issue, separated by blanks.
type document struct{ title, description, comments, keys, tags string }

// read returns the words of an issue; nil for one that was deleted or is in the
// trash.
func read(tx *store.Tx, org, issue string) (*document, error) {
	var team, identifier, previous, title, description string
	var archived int64
	var trashed bool
	found, err := tx.Get(`SELECT team, identifier, previous, title, description, archived, trashed FROM tracker_issue WHERE org = ? AND id = ?`,
		[]any{org, issue}, &team, &identifier, &previous, &title, &description, &archived, &trashed)
	if err != nil || !found || trashed {
		return nil, err
	}
	d := &document{title: fold(title), description: fold(description), keys: fold(identifier + " " + previous), tags: orgTag(org) + " " + teamTag(team)}
	if archived != 0 {
		d.tags += " " + archivedTag
	}
	var comments strings.Builder
	err = tx.Each(`SELECT body FROM tracker_comment WHERE org = ? AND issue = ? ORDER BY created, id`, []any{org, issue}, func(r store.Row) error {
		var body string
		if err := r.Scan(&body); err != nil {
			return err
		}
		if comments.Len() < maxWords {
			comments.WriteString(body + "\n")
		}
		return nil
	})
	d.comments = fold(comments.String())
	return d, err
}

// fold returns the words of a text without case and accents.
func fold(text string) string { return words.Split(store.Fold(text), maxWords) }

// The tags of documents. They cannot match words of texts, because texts and tags
// are in different columns.
const archivedTag = "archived"

func orgTag(id string) string  { return "o" + strings.ReplaceAll(id, "-", "") }
func teamTag(id string) string { return "t" + strings.ReplaceAll(id, "-", "") }

// indexIssue updates the index to the current words of an issue.
func indexIssue(tx *store.Tx, vocabulary vocabulary, c change) error {
	d, err := read(tx, c.org, c.issue)
	if err != nil {
		return err
	}
	var number int64
	known, err := tx.Get(`SELECT number FROM tracker_search_document WHERE org = ? AND issue = ?`, []any{c.org, c.issue}, &number)
	if err != nil {
		return err
	}
	sqlite := tx.Dialect().Name == "sqlite"
	if known {
		if sqlite {
			if _, err := tx.Exec(`DELETE FROM tracker_search WHERE rowid = ?`, number); err != nil {
				return err
			}
		}
		if d == nil || c.moved {
			if _, err := tx.Exec(`DELETE FROM tracker_search_document WHERE number = ?`, number); err != nil {
				return err
			}
			known = false
		}
	}
	if d == nil {
		return nil
	}
	if sqlite {
		if err := vocabulary.add(tx, d); err != nil {
			return err
		}
		return insertSQLite(tx, c, d, number, known)
	}
	return insertPostgres(tx, c, d, number, known)
}

func insertSQLite(tx *store.Tx, c change, d *document, number int64, known bool) (err error) {
	if !known {
		if number, err = tx.InsertID("number", `INSERT INTO tracker_search_document (org, issue) VALUES (?, ?)`, c.org, c.issue); err != nil {
			return err
		}
	}
	_, err = tx.Exec(`INSERT INTO tracker_search (rowid, title, description, comments, keys, tags) VALUES (?, ?, ?, ?, ?, ?)`,
		number, d.title, d.description, d.comments, d.keys, d.tags)
	return err
}

func insertPostgres(tx *store.Tx, c change, d *document, number int64, known bool) error {
	const vector = `setweight(to_tsvector('simple', ?), 'A') || setweight(to_tsvector('simple', ?), 'B') || setweight(to_tsvector('simple', ?), 'C') || setweight(to_tsvector('simple', ?), 'D')`
	args := []any{d.title, d.description, d.comments, d.keys + " " + d.tags}
	if known {
		_, err := tx.Exec(`UPDATE tracker_search_document SET words = `+vector+` WHERE number = ?`, append(args, number)...)
		return err
	}
	_, err := tx.Exec(`INSERT INTO tracker_search_document (org, issue, words) VALUES (?, ?, `+vector+`)`, append([]any{c.org, c.issue}, args...)...)
	return err
}
