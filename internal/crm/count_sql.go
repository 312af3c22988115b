package crm

import (
	"context"

	"understudy/internal/platform/store"
)

// Count returns the numbers of live records of each type and of owners in all
// portals.
func (c *CRM) Count(ctx context.Context) (map[string]int64, error) {
	counts := map[string]int64{}
	err := c.world.Read(ctx, func(tx *store.Tx) error {
		err := tx.Each(`SELECT type, CAST(SUM(live) AS BIGINT) FROM crm_tally GROUP BY type`, nil, func(r store.Row) error {
			var t Type
			var n int64
			err := r.Scan(&t, &n)
			counts[t.String()] = n
			return err
		})
		if err != nil {
			return err
		}
		var owners int64
		_, err = tx.Get(`SELECT COUNT(*) FROM crm_user WHERE archived = 0`, nil, &owners)
		counts["owners"] = owners
		return err
	})
	return counts, err
}
