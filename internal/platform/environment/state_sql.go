package environment

import (
	"fmt"

	"understudy/internal/platform/store"
)

// The names of stored states.
const (
	stateLimits      = "limits"
	stateLastRequest = "last_request" // its number
	stateLostRequest = "lost_request" // the number of the last one that was dropped
	stateJournal     = "cause"        // the state of the journal; its blocks are "cause/<place>"
)

// journalBlock returns the name of the block of a journal that ends at a place.
func journalBlock(next int64) string { return fmt.Sprintf("%s/%020d", stateJournal, next) }

// trimJournal deletes the blocks that end at a place or before it.
func trimJournal(tx *store.Tx, first int64) error {
	_, err := tx.Exec(`DELETE FROM env_state WHERE name > ? AND name <= ?`, stateJournal+"/", journalBlock(first))
	return err
}

// deleteJournal deletes the state of the journal; the blocks remain.
func deleteJournal(tx *store.Tx) error {
	_, err := tx.Exec(`DELETE FROM env_state WHERE name = ?`, stateJournal)
	return err
}

// listStates returns the values whose names begin with a text that ends in "/".
func listStates(tx *store.Tx, prefix string) (out [][]byte, err error) {
	err = tx.Each(`SELECT value FROM env_state WHERE name > ? AND name < ? ORDER BY name`, []any{prefix, prefix + ":"}, func(r store.Row) error {
		var value []byte
		err := r.Scan(&value)
		out = append(out, value)
		return err
	})
	return out, err
}

func setState(tx *store.Tx, name string, value []byte) error {
	_, err := tx.Exec(`INSERT INTO env_state (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, store.Blob(value))
	return err
}

// getStates returns the stored states except the blocks of the journal, by name.
func getStates(tx *store.Tx) (map[string][]byte, error) {
	out := map[string][]byte{}
	names := []string{stateJournal, stateLimits, stateLastRequest, stateLostRequest}
	err := tx.Each(`SELECT name, value FROM env_state WHERE name IN `+store.In(len(names)), store.Arguments(nil, names), func(r store.Row) error {
		var name string
		var value []byte
		err := r.Scan(&name, &value)
		out[name] = value
		return err
	})
	return out, err
}

func insertRequests(tx *store.Tx, last int64, count, size int, data []byte) error {
	_, err := tx.Exec(`INSERT INTO env_request (last, count, size, data) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`, last, count, size, store.Blob(data))
	return err
}

func lastRequest(tx *store.Tx) (last int64, err error) {
	_, err = tx.Get(`SELECT last FROM env_request ORDER BY last DESC LIMIT 1`, nil, &last)
	return last, err
}

// sumRequests returns the number and size of the stored requests.
func sumRequests(tx *store.Tx) (count, size int, err error) {
	_, err = tx.Get(`SELECT COALESCE(SUM(count), 0), COALESCE(SUM(size), 0) FROM env_request`, nil, &count, &size)
	return count, size, err
}

// eraseRequests overwrites and deletes all blocks of requests.
func eraseRequests(tx *store.Tx) error {
	lengths := map[int64]int{}
	err := tx.Each(`SELECT last, LENGTH(data) FROM env_request`, nil, func(r store.Row) error {
		var last int64
		var n int
		err := r.Scan(&last, &n)
		lengths[last] = n
		return err
	})
	for last, n := range lengths {
		if err == nil {
			_, err = tx.Exec(`UPDATE env_request SET data = ? WHERE last = ?`, store.Blob(make([]byte, n)), last)
		}
	}
	if err == nil {
		_, err = tx.Exec(`DELETE FROM env_request`)
	}
	return err
}

// listRequests returns the stored blocks of requests, oldest first.
func listRequests(tx *store.Tx, upTo int64) (out [][]byte, err error) {
	err = tx.Each(`SELECT data FROM env_request WHERE last <= ? ORDER BY last`, []any{upTo}, func(r store.Row) error {
		var data []byte
		err := r.Scan(&data)
		out = append(out, data)
		return err
	})
	return out, err
}

func deleteState(tx *store.Tx) error {
	for _, table := range []string{"env_state", "env_request"} {
		if err := emptyTable(tx, table); err != nil {
			return err
		}
	}
	return nil
}
