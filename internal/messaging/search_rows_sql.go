package messaging

import (
	"slices"
	"strings"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/store"
)

// matchBytes is the approximate size of a match in a reply, without the message.
const matchBytes = 1 << 10

// rowsAtOnce is the number of messages that a search reads before it checks their
// sizes.
const rowsAtOnce = 20

// messagesWithin returns messages from the start of ids until a page is full,
// without those that no longer exist, and the number of ids used. It returns
// budget.Exhausted.
func messagesWithin(tx *store.Tx, room *budget.Page, ids []int64) (out []*found, taken int, err error) {
	for batch := range slices.Chunk(ids, rowsAtOnce) {
		rows, err := messagesByID(tx, batch)
		if err != nil {
			return nil, 0, err
		}
		for _, f := range rows {
			if room.Full() {
				return out, taken + slices.Index(batch, f.message.id), nil
			}
			if err := room.Add(len(f.message.body) + matchBytes); err != nil {
				return nil, 0, err
			}
			out = append(out, f)
		}
		taken += len(batch)
		if room.Full() {
			break
		}
	}
	return out, taken, nil
}

// messagesByID returns messages in the order of ids, without those that no longer
// exist.
func messagesByID(tx *store.Tx, ids []int64) ([]*found, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	byID := map[int64]*found{}
	err := tx.Each(`SELECT channel, `+messageColumns+` FROM msg_message WHERE NOT deleted AND id IN `+store.In(len(ids)), args, func(r store.Row) error {
		f := &found{message: &Message{}}
		m := f.message
		err := r.Scan(&f.channel, &m.id, &m.Listed, &m.TS, &m.ThreadTS, &m.User, &m.Subtype, &m.body, &m.metadata, &m.reactions,
			&m.replyCount, &m.replyUsers, &m.latestReply)
		byID[m.id] = f
		return err
	})
	out := make([]*found, 0, len(ids))
	for _, id := range ids {
		if f := byID[id]; f != nil {
			out = append(out, f)
		}
	}
	return out, err
}

// found is a message with its conversation.
type found struct {
	channel string
	message *Message
}

// wordsAtOnce is the number of messages whose words one statement reads.
const wordsAtOnce = 100

// eachWords calls f with the words of messages, in any order.
func eachWords(tx *store.Tx, ids []int64, f func(id int64, words []string)) error {
	for batch := range slices.Chunk(ids, wordsAtOnce) {
		args := make([]any, wordsAtOnce)
		for i := range args {
			args[i] = batch[min(i, len(batch)-1)] // one statement for any number
		}
		err := tx.Each(`SELECT id, words FROM msg_message WHERE id IN `+store.In(wordsAtOnce), args, func(r store.Row) error {
			var id int64
			var words string
			err := r.Scan(&id, &words)
			f(id, strings.Fields(words))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
