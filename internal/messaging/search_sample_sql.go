package messaging

import (
	"math"

	"understudy/internal/platform/store"
)

const (
	// One in sampleOf messages is in the sample, for which PostgreSQL has an index of
	// its own. sampleMany matches in the sample show that more than searchWindow
	// messages match: a sample of searchWindow matches contains 156 on average, and
	// practically never sampleMany.
	sampleOf   = 64
	sampleMany = 240
	// sampleSome is the number of messages in the sample with words that about a
	// thousand of all messages have.
	sampleSome = 16
	// walkAtMost bounds the messages that a search reads in order to find a page
	// without the index of words.
	walkAtMost = 100_000
)

// withWords selects the messages with certain words, sampleWithWords the messages of
// the sample with them. OFFSET 0 makes the planner use only the index of words: before
// PostgreSQL has statistics, the planner would combine that index with the index of
// places, which contains all messages of the workspace.
const withWords = `(SELECT * FROM msg_message WHERE document @@ (SELECT to_tsquery('simple', ?)) OFFSET 0) m`
const sampleWithWords = `(SELECT * FROM msg_message WHERE (hashint8(id) & 63) = 0 AND document @@ (SELECT to_tsquery('simple', ?)) OFFSET 0) m`

// postgres is findMessages on PostgreSQL. A search in the index of words collects all
// matching messages in a bitmap and reads each of them before it returns the first. So
// postgres searches the sample first. If the sample shows that more than searchWindow
// messages match, it finds only the first need messages, and returns searchWindow as
// the total.
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
	// Messages of different channels can have the same timestamp. Among them the message
	// with the greater id is the later one, as on SQLite.
	ids, err = selectIDs(tx, nil, `SELECT m.id FROM `+from+` WHERE `+conditions+` ORDER BY m.ts `+direction(ascending)+`, m.id `+direction(ascending)+` LIMIT ?`,
		append(args, searchWindow))
	return ids, len(ids), err
}

// sample returns the number of messages in the sample with the words of a plan, and
// the ids of those that also meet the plan's other conditions, in order.
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

// walk returns the ids of the first need messages that a plan finds, in the order of
// posting or, unless ascending is set, in the reverse order. It reads all messages in
// that order. sample are the ids of the plan's results in the sample. It returns nil
// if the sample shows that it may have to read more than walkAtMost messages, and if
// it finds fewer than need.
func (p *searchPlan) walk(tx *store.Tx, sample []int64, ascending bool, need int) (ids []int64, err error) {
	share := float64(need) / sampleOf
	last := int(share + 6*math.Sqrt(share) + 6) // plus six standard deviations: the wanted messages come before sample[last]
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
	// The first step reads twice as many messages as are probably enough, each further
	// one four times as many as the step before.
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
