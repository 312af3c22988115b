package diff

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"understudy/internal/platform/store"
)

// histories returns for each change the members that requests wrote, by request,
// if the entity has a history whose rows the journal knows.
func (c *comparison) histories(list []*Change, writes []Writes) ([]map[int64][]string, error) {
	out := make([]map[int64][]string, len(list))
	seqs := map[*Entity]map[int64]bool{}
	for i, ch := range list {
		e := ch.pair.entity
		if e.History == nil {
			continue
		}
		for _, w := range writes[i].List {
			if w.Op == store.Updated && w.Seq > 0 {
				if seqs[e] == nil {
					seqs[e] = map[int64]bool{}
				}
				seqs[e][w.Seq] = true
			}
		}
	}
	for e, asked := range seqs {
		tx := c.txs[e.World][1]
		if tx == nil || tx.Dialect() != store.SQLite {
			continue
		}
		written, err := e.History.read(tx, c.origins.Inserted(e.World, e.History.Table, asked))
		if err != nil {
			return nil, err
		}
		for i, ch := range list {
			if ch.pair.entity == e {
				out[i] = written[store.HashKey(ch.pair.owner...)]
			}
		}
	}
	return out, nil
}

// read returns the names in rows of the history, by owner and request. rows holds
// their numbers by request.
func (h *History) read(tx *store.Tx, rows map[int64][]int64) (map[int64]map[int64][]string, error) {
	out := map[int64]map[int64][]string{}
	by := map[int64]int64{}
	for seq, numbers := range rows {
		for _, n := range numbers {
			by[n] = seq
		}
	}
	numbers := slices.Sorted(maps.Keys(by))
	sql := `SELECT rowid, ` + h.Names + `, ` + strings.Join(h.Owner, ", ") + ` FROM ` + h.Table + ` WHERE rowid IN ` + store.In(maxIn)
	for chunk := range slices.Chunk(numbers, maxIn) {
		args := make([]any, maxIn)
		for i := range args {
			args[i] = chunk[min(i, len(chunk)-1)]
		}
		err := tx.Each(sql, args, func(r store.Row) error {
			values, err := scan(r, 2+len(h.Owner))
			if err != nil {
				return err
			}
			var members map[string]json.RawMessage
			text, _ := values[1].(string)
			if json.Unmarshal([]byte(text), &members) != nil {
				return nil
			}
			number, _ := values[0].(int64)
			owner, seq := store.HashKey(values[2:]...), by[number]
			if out[owner] == nil {
				out[owner] = map[int64][]string{}
			}
			out[owner][seq] = slices.AppendSeq(out[owner][seq], maps.Keys(members))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// eachNumbered calls fn for the rows of an entity with some sorted numbers, in
// this order. values is valid only during the call.
func eachNumbered(tx *store.Tx, e *Entity, columns []string, numbers []int64, fn func(number int64, values []any) error) error {
	var number int64
	values, places := make([]any, len(columns)), make([]any, len(columns)+1)
	places[0] = &number
	for i := range values {
		places[i+1] = &values[i]
	}
	sql := `SELECT ` + strings.Join(append([]string{"rowid"}, columns...), ", ") + ` FROM ` + e.Table + ` WHERE rowid `
	for chunk := range slices.Chunk(numbers, maxIn) {
		how, args := rowIDsAmong(chunk)
		at := 0
		err := tx.Each(sql+how, args, func(r store.Row) error {
			if err := r.Scan(places...); err != nil {
				return err
			}
			for at < len(chunk) && chunk[at] < number {
				at++
			}
			if at == len(chunk) || chunk[at] != number {
				return nil
			}
			return fn(number, values)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rowIDsAmong returns a condition for the next of some sorted rowids. If they are
// dense, it is a range that includes others, which takes one scan without
// comparisons. The rows are sorted. There are few different texts, so that
// prepared statements are reused.
func rowIDsAmong(numbers []int64) (condition string, args []any) {
	first, last := numbers[0], numbers[len(numbers)-1]
	if last-first < 2*int64(len(numbers)) {
		return `>= ? ORDER BY rowid LIMIT ?`, []any{first, last - first + 1}
	}
	n := 1
	for n < len(numbers) {
		n = min(8*n, maxIn)
	}
	args = make([]any, n)
	for i := range args {
		args[i] = numbers[min(i, len(numbers)-1)]
	}
	return `IN ` + store.In(n) + ` ORDER BY rowid`, args
}
