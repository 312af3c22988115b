package diff

import (
	"strings"

	"understudy/internal/platform/store"
)

// maxIn is how many rows one statement reads by key.
const maxIn = 500

// begin runs a statement, so that the transaction takes its snapshot.
func begin(tx *store.Tx) error {
	var n int64
	_, err := tx.Get(`SELECT COUNT(*) FROM `+tx.Dialect().Pick("sqlite_master", "pg_class WHERE FALSE"), nil, &n)
	return err
}

// selectAfter returns the rows after a key, nil for the first, in the order of
// keys: at most batchRows, and none after batchBytes. more reports whether others
// may follow.
func selectAfter(tx *store.Tx, e *Entity, columns []string, after []any) (batch rows, more bool, err error) {
	sql := `SELECT ` + strings.Join(columns, ", ") + ` FROM ` + e.Table
	args := []any{}
	if after != nil {
		sql += ` WHERE (` + strings.Join(e.Key, ", ") + `) > ` + store.In(len(after))
		args = append(args, after...)
	}
	return selectRows(tx, sql+` ORDER BY `+strings.Join(e.Key, ", ")+` LIMIT ?`, append(args, batchRows), len(columns))
}

// selectKeys returns the keys of existing rows, given their SQLite row ids, with
// the row id after each.
func selectKeys(tx *store.Tx, e *Entity, numbers []int64) (keys rows, err error) {
	sql := `SELECT ` + strings.Join(e.Key, ", ") + `, rowid FROM ` + e.Table + ` WHERE rowid IN ` + store.In(maxIn)
	for len(numbers) > 0 {
		n := min(len(numbers), maxIn)
		args := make([]any, maxIn) // padded with the last one, so that one statement serves all
		for i := range args {
			args[i] = numbers[min(i, n-1)]
		}
		err = tx.Each(sql, args, func(r store.Row) error {
			values, err := scan(r, len(e.Key)+1)
			keys = append(keys, values)
			return err
		})
		if err != nil {
			return nil, err
		}
		numbers = numbers[n:]
	}
	return keys, nil
}

// selectPicked returns the rows of the first keys of selectKeys, as many as
// selectAfter would, and the remaining keys.
func selectPicked(tx *store.Tx, e *Entity, columns []string, keys rows) (batch, left rows, err error) {
	sql := `SELECT ` + strings.Join(columns, ", ") + ` FROM ` + e.Table + ` WHERE rowid = ?`
	for size := 0; len(keys) > 0 && len(batch) < batchRows && size < batchBytes; keys = keys[1:] {
		one, _, err := selectRows(tx, sql, keys[0][len(e.Key):], len(columns))
		if err != nil {
			return nil, nil, err
		}
		batch, size = append(batch, one...), size+one.bytes()
	}
	return batch, keys, nil
}

func selectRows(tx *store.Tx, sql string, args []any, columns int) (batch rows, more bool, err error) {
	size := 0
	err = tx.Each(sql, args, func(r store.Row) error {
		values, err := scan(r, columns)
		if err != nil {
			return err
		}
		batch, size = append(batch, values), size+rowBytes(values)
		if more = len(batch) == batchRows || size >= batchBytes; more {
			return store.Stop()
		}
		return nil
	})
	return batch, more, err
}

func scan(r store.Row, columns int) ([]any, error) {
	values, places := make([]any, columns), make([]any, columns)
	for i := range values {
		places[i] = &values[i]
	}
	return values, r.Scan(places...)
}

// selectNamed returns the values of the things that a text names by a column of
// the entity's Lookup, sorted. It compares columns as texts, because SQLite
// compares texts of digits with numbers, and PostgreSQL does not.
func selectNamed(tx *store.Tx, e *Entity, text string) (found []any, err error) {
	l := e.Lookup
	var cond []string
	var args []any
	for _, by := range l.By {
		if by.Fold {
			cond, args = append(cond, `LOWER(CAST(`+by.Column+` AS TEXT)) = ?`), append(args, strings.ToLower(text))
		} else {
			cond, args = append(cond, `CAST(`+by.Column+` AS TEXT) = ?`), append(args, text)
		}
	}
	if len(cond) == 0 {
		return nil, nil
	}
	sql := `SELECT DISTINCT ` + l.Value + ` FROM ` + e.Table + ` WHERE (` + strings.Join(cond, ` OR `) + `)`
	if l.Where != "" {
		sql += ` AND ` + l.Where
	}
	err = tx.Each(sql+` ORDER BY 1 LIMIT 100`, args, func(r store.Row) error {
		values, err := scan(r, 1)
		if err == nil {
			found = append(found, values[0])
		}
		return err
	})
	return found, err
}
