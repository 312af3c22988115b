package search

import (
	"slices"
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

// oldest returns the oldest changes, at most most of them: the last one of each
// issue, and the numbers of all.
func oldest(tx *store.Tx, most int) (changes []change, numbers []int64, err error) {
	at := map[change]int{}
	err = tx.Each(`SELECT number, org, issue, moved FROM tracker_search_change ORDER BY number LIMIT ?`, []any{most}, func(r store.Row) error {
		var c change
		var number int64
		if err := r.Scan(&number, &c.org, &c.issue, &c.moved); err != nil {
			return err
		}
		numbers = append(numbers, number)
		key := change{org: c.org, issue: c.issue}
		if before, ok := at[key]; ok {
			c.moved = c.moved || changes[before].moved
			changes[before].issue = "" // the later change wins
		}
		at[key] = len(changes)
		changes = append(changes, c)
		return nil
	})
	return slices.DeleteFunc(changes, func(c change) bool { return c.issue == "" }), numbers, err
}

// indexSome indexes the oldest changes on SQLite, at most most of them, and returns
// how many there were.
func indexSome(tx *store.Tx, known vocabulary, most int) (int, error) {
	changes, numbers, err := oldest(tx, most)
	if err != nil || len(numbers) == 0 {
		return 0, err
	}
	for _, c := range changes {
		if err := indexIssue(tx, known, c); err != nil {
			return 0, err
		}
	}
	return len(numbers), tx.ExecLater(`DELETE FROM tracker_search_change WHERE number <= ?`, numbers[len(numbers)-1])
}

// document holds the indexed words of an issue, separated by blanks.
type document struct{ title, description, comments, keys, tags string }

// issueColumns are the columns of a document.
const issueColumns = `i.team, i.identifier, i.previous, i.title, i.description, i.archived, i.trashed`

// issueRow is a row of issueColumns.
type issueRow struct {
	team, identifier, previous, title, description string
	archived                                       int64
	trashed                                        bool
}

func (r *issueRow) places() []any {
	return []any{&r.team, &r.identifier, &r.previous, &r.title, &r.description, &r.archived, &r.trashed}
}

// document returns the words of an issue; nil for one in the trash.
func (r *issueRow) document(org, comments string) *document {
	if r.trashed {
		return nil
	}
	d := &document{title: fold(r.title), description: fold(r.description), comments: fold(comments), keys: fold(r.identifier + " " + r.previous),
		tags: orgTag(org) + " " + teamTag(r.team)}
	if r.archived != 0 {
		d.tags += " " + archivedTag
	}
	return d
}

// read returns the words of an issue; nil for one that was deleted or is in the
// trash.
func read(tx *store.Tx, org, issue string) (*document, error) {
	var row issueRow
	found, err := tx.Get(`SELECT `+issueColumns+` FROM tracker_issue i WHERE i.org = ? AND i.id = ?`, []any{org, issue}, row.places()...)
	if err != nil || !found || row.trashed {
		return nil, err
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
	return row.document(org, comments.String()), err
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
	if known {
		if _, err := tx.Exec(`DELETE FROM tracker_search WHERE rowid = ?`, number); err != nil {
			return err
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
	if err := vocabulary.add(tx, d); err != nil {
		return err
	}
	if !known {
		if number, err = tx.InsertID("number", `INSERT INTO tracker_search_document (org, issue) VALUES (?, ?)`, c.org, c.issue); err != nil {
			return err
		}
	}
	_, err = tx.Exec(`INSERT INTO tracker_search (rowid, title, description, comments, keys, tags) VALUES (?, ?, ?, ?, ?, ?)`,
		number, d.title, d.description, d.comments, d.keys, d.tags)
	return err
}
