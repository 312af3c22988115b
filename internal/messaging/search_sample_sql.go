package messaging

import (
	"math"

	"understudy/internal/platform/store"
)

const (
	// sampleOf is of how many messages one is in the sample that PostgreSQL indexes
	// beside all of them, and sampleMany how many matches in it show that there are
	// more than searchWindow: of so many a sample has 156, and never half as many
	// again.
	sampleOf   = 64
	sampleMany = 240
	// sampleSome is how many messages of the sample have words that about a thousand
	// of all messages have.
	sampleSome = 16
	// walkAtMost is among how many messages a search looks for a page before it
	// asks the index for all matches.
	walkAtMost = 100_000
)

// withWords selects the messages with certain words, sampleWithWords those of the
// sample. OFFSET 0 makes the planner use the index of words alone: before
// PostgreSQL has gathered statistics it would combine it with the index of places,
// which names all messages of the workspace.
const withWords = `(SELECT * FROM msg_message WHERE document @@ (SELECT to_tsquery('simple', ?)) OFFSET 0) m`
const sampleWithWords = `(SELECT * FROM msg_message WHERE (hashint8(id) & 63) = 0 AND document @@ (SELECT to_tsquery('simple', ?)) OFFSET 0) m`

// postgres is findMessages on PostgreSQL. Its index puts all messages with the
// words into a bitmap and reads each of them before it returns the first. So the
// sample is asked first: where it shows that more than searchWindow match, only
// the messages up to need are looked for.
func (p *searchPlan) postgres(tx *store.Tx, ascending bool, need int) (ids []int64, total int, err error) {
	from, words, many := "msg_message m", true, true
	if len(p.all) > 0 {
		n, sample, err := p.sample(tx, ascending)
		if err != nil {
			return nil, 0, err
		}
		if len(sample) >= sampleMany {
			if ids, err := p.walk(tx, sample, ascending, need); err != nil || ids != nil {
				return ids, searchWindow, err
			}
		}
		many = n >= sampleSome
		if n < sampleMany {
			from, words = withWords, false
		}
	}
	conditions, args := p.onMessages(many)
	if query := p.tsquery(); !words {
		args = append([]any{query}, args...)
	} else if query != "" {
		conditions += " AND m.document @@ to_tsquery('simple', ?)"
		args = append(args, query)
	}
	// Channels share timestamps: the later id is the later message, as on SQLite.
	ids, err = selectIDs(tx, nil, `SELECT m.id FROM `+from+` WHERE `+conditions+` ORDER BY m.ts `+direction(ascending)+`, m.id `+direction(ascending)+` LIMIT ?`,
		append(args, searchWindow))
	return ids, len(ids), err
}

// sample returns how many messages of the sample have the words of a plan, and
// the ids of those among them that the plan finds, in order.
func (p *searchPlan) sample(tx *store.Tx, ascending bool) (words int, ids []int64, err error) {
	conditions, args := p.onMessages(false)
	err = tx.Each(`SELECT m.id, `+conditions+` FROM `+sampleWithWords+` ORDER BY m.id `+direction(ascending), append(args, p.tsquery()), func(r store.Row) error {
		var id int64
		var passes bool
		err := r.Scan(&id, &passes)
		words++
		if passes {
			ids = append(ids, id)
		}
		return err
	})
	return words, ids, err
}

// walk returns the ids of the first need messages that a plan finds, in the order
// in which they were posted, by reading all messages from the first on. sample are
// the ids of those in the sample that the plan finds. It returns nil when they
// show that more than walkAtMost messages may have to be read.
func (p *searchPlan) walk(tx *store.Tx, sample []int64, ascending bool, need int) (ids []int64, err error) {
	share := float64(need) / sampleOf
	last := int(share + 6*math.Sqrt(share) + 6) // six standard deviations more: the messages wanted stand before that one
	if last >= len(sample) {
		return nil, nil
	}
	end, step, edge := sample[last], int64(-1), "MAX"
	if ascending {
		step, edge = 1, "MIN"
	}
	var at int64
	if _, err := tx.Get(`SELECT `+edge+`(id) FROM msg_message`, nil, &at); err != nil {
		return nil, err
	}
	far := (end - at) * step
	if far > walkAtMost {
		return nil, nil
	}
	conditions, args := p.onMessages(false)
	sql := `SELECT m.id FROM (SELECT * FROM msg_message WHERE id BETWEEN ? AND ? OFFSET 0) m
		WHERE m.document @@ (SELECT to_tsquery('simple', ?)) AND ` + conditions + ` ORDER BY m.id ` + direction(ascending) + ` LIMIT ?`
	// Twice as many messages as should be enough, then more.
	for size := max(256, 2*int64(need)*far/(int64(last+1)*sampleOf)); len(ids) < need && (end-at)*step >= 0; size *= 4 {
		to := at + step*min(size, (end-at)*step)
		with := append(append([]any{min(at, to), max(at, to), p.tsquery()}, args...), need-len(ids))
		if ids, err = selectIDs(tx, ids, sql, with); err != nil {
			return nil, err
		}
		at = to + step
	}
	if len(ids) < need {
		return nil, nil
	}
	return ids, nil
}
