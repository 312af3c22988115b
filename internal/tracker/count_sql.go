package tracker

import (
	"context"

	"understudy/internal/platform/store"
)

// Count returns how many users, teams, projects, issues (archived ones too) and
// comments there are in all organizations.
func (t *Tracker) Count(ctx context.Context) (map[string]int64, error) {
	var users, teams, projects, issues, comments int64
	err := t.world.Read(ctx, func(tx *store.Tx) error {
		_, err := tx.Get(`SELECT (SELECT COUNT(*) FROM tracker_user), (SELECT COUNT(*) FROM tracker_team), (SELECT COUNT(*) FROM tracker_project),
			(SELECT CAST(COALESCE(SUM(issues + archived), 0) AS BIGINT) FROM tracker_team_counter), (SELECT COUNT(*) FROM tracker_comment)`,
			nil, &users, &teams, &projects, &issues, &comments)
		return err
	})
	return map[string]int64{"users": users, "teams": teams, "projects": projects, "issues": issues, "comments": comments}, err
}
