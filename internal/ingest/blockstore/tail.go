package blockstore

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
)

// Last returns the number of the last event, 0 without any.
func (s *blocks) Last(ctx context.Context) (number int64, err error) {
	if s.world.Absent(ctx) {
		return 0, nil
	}
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		number, err = s.LastIn(tx)
		return err
	})
	return number, err
}

// Tail returns summaries of the first events with numbers in (after, upTo], in
// the order of their numbers, and the number of further ones.
func (s *blocks) Tail(ctx context.Context, m ingest.Match, after, upTo int64, limit int) (events []ingest.Listed, left int, err error) {
	var found latest
	err = s.scan(ctx, &m, after, 0, func(c *ingest.Columns, rows []int32) (bool, error) {
		for _, i := range rows {
			n := c.Number(int(i))
			if n <= after || n > upTo {
				continue
			}
			if after > 0 && len(found) >= limit { // groups come in the order of numbers
				left++
				continue
			}
			found = append(found, ranked{ingest.Position{Time: c.Time[i], Seq: n}, c.First})
		}
		return true, nil
	})
	if err != nil || len(found) == 0 {
		return nil, left, err
	}
	slices.SortFunc(found, func(a, b ranked) int { return cmp.Compare(a.Seq, b.Seq) })
	if len(found) > limit {
		left += len(found) - limit
		found = found[:limit]
	}
	page, err := s.fetch(ctx, m.Project, found, true, func(a, b *ingest.Listed) int { return cmp.Compare(a.Seq, b.Seq) })
	if page.More { // not all fit in a reply; other missing ones were removed since they were found
		shown := page.Events[len(page.Events)-1].Seq
		left += len(found) - sort.Search(len(found), func(i int) bool { return found[i].Seq > shown })
	}
	return page.Events, left, err
}
