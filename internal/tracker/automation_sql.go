package tracker

import (
	"understudy/internal/platform/store"
)

func dueOrganizations(tx *store.Tx) (map[string]int64, error) {
	out := map[string]int64{}
	err := tx.Each(`SELECT org, MIN(due) FROM tracker_team_counter GROUP BY org`, nil, func(r store.Row) error {
		var org string
		var at int64
		err := r.Scan(&org, &at)
		out[org] = at
		return err
	})
	return out, err
}

// earliestDue returns the due time of an organization, never for one without teams.
func earliestDue(tx *store.Tx, org string) (at int64, err error) {
	_, err = tx.Get(`SELECT COALESCE(MIN(due), ?) FROM tracker_team_counter WHERE org = ?`, []any{never, org}, &at)
	return at, err
}

// dueTeam returns the team that is due first.
func dueTeam(tx *store.Tx, org string) (team string, at int64, err error) {
	at = never
	_, err = tx.Get(`SELECT team, due FROM tracker_team_counter WHERE org = ? ORDER BY due, team LIMIT 1`, []any{org}, &team, &at)
	return team, at, err
}

func setDue(tx *store.Tx, org, team string, at int64) error {
	_, err := tx.Exec(`UPDATE tracker_team_counter SET due = ? WHERE org = ? AND team = ?`, at, org, team)
	return err
}

func lowerDue(tx *store.Tx, org, team string, at int64) error {
	_, err := tx.Exec(`UPDATE tracker_team_counter SET due = ? WHERE org = ? AND team = ? AND due > ?`, at, org, team, at)
	return err
}

// makeAllDue makes every team of an organization due at once.
func makeAllDue(tx *store.Tx, org string) error {
	_, err := tx.Exec(`UPDATE tracker_team_counter SET due = 0 WHERE org = ?`, org)
	return err
}

// holdSync returns an organization's sync id, and locks the organization until
// the transaction ends.
func holdSync(tx *store.Tx, org string) (n int64, err error) {
	_, err = tx.Get(`UPDATE tracker_sync SET sync_id = sync_id + 0 WHERE org = ? RETURNING sync_id`, []any{org}, &n)
	return n, err
}

func setSync(tx *store.Tx, org string, n int64) error {
	_, err := tx.Exec(`UPDATE tracker_sync SET sync_id = ? WHERE org = ?`, n, org)
	return err
}

// agedIssue is an issue that is archived or closed by age, with the time at which this is
// due.
type agedIssue struct {
	id  string
	due int64
}

// The conditions under which an issue t with its parent p, cycle c and project j
// is archived or closed by age. due is the time from which all of them hold.
const (
	agedFrom = ` FROM tracker_issue t
		LEFT JOIN tracker_cycle c ON c.org = t.org AND c.id = t.cycle AND c.archived = 0
		LEFT JOIN tracker_project j ON j.org = t.org AND j.id = t.project AND j.archived = 0
		LEFT JOIN tracker_issue p ON p.org = t.org AND p.id = t.parent AND p.archived = 0
		WHERE t.org = ? AND t.team = ? AND t.archived = 0`
	planEnded     = ` AND (c.id IS NULL OR c.completed <> 0) AND (j.id IS NULL OR j.completed + j.canceled <> 0)`
	ripeToArchive = ` AND t.completed + t.canceled > 0 AND t.completed + t.canceled <= ?` + planEnded + ` AND (p.id IS NULL OR p.completed + p.canceled <> 0)`
	ripeToClose   = ` AND t.completed = 0 AND t.canceled = 0 AND t.updated <= ?` + planEnded
	lastComment   = `COALESCE((SELECT MAX(m.created) FROM tracker_comment m WHERE m.org = t.org AND m.issue = t.id), 0)`
)

// archiveDue returns the expression of the time at which an issue is archived,
// given the period and how long a project must have ended before its issues are.
func archiveDue(d *store.Dialect) string {
	return d.Pick("MAX", "GREATEST") + `(t.completed + t.canceled + ?, CASE WHEN t.restored > 0 THEN t.restored + ? ELSE 0 END, COALESCE(p.completed + p.canceled, 0), COALESCE(c.completed, 0), COALESCE(j.completed + j.canceled + ?, 0))`
}

// closeDue returns the expression of the time at which an issue without activity
// is closed, given the period.
func closeDue(d *store.Dialect) string {
	most := d.Pick("MAX", "GREATEST")
	return most + `(` + most + `(t.updated, ` + lastComment + `) + ?, COALESCE(c.completed, 0), COALESCE(j.completed + j.canceled, 0))`
}

// issuesToArchive returns issues of a team that are due to be archived at a time,
// in order.
func issuesToArchive(tx *store.Tx, org, team string, period, upTo int64, limit int) ([]agedIssue, error) {
	due := archiveDue(tx.Dialect())
	return agedIssues(tx, `SELECT id, due FROM (SELECT t.id AS id, `+due+` AS due`+agedFrom+ripeToArchive+`) x WHERE due <= ? ORDER BY due, id LIMIT ?`,
		period, period, month, org, team, upTo-period, upTo, limit)
}

// issuesToClose returns issues of a team that are due to be closed at a time, in
// order.
func issuesToClose(tx *store.Tx, org, team string, period, upTo int64, limit int) ([]agedIssue, error) {
	due := closeDue(tx.Dialect())
	return agedIssues(tx, `SELECT id, due FROM (SELECT t.id AS id, `+due+` AS due`+agedFrom+ripeToClose+`) x WHERE due <= ? ORDER BY due, id LIMIT ?`,
		period, org, team, upTo-period, upTo, limit)
}

func agedIssues(tx *store.Tx, sql string, args ...any) (out []agedIssue, err error) {
	err = tx.Each(sql, args, func(r store.Row) error {
		out = append(out, agedIssue{})
		i := &out[len(out)-1]
		return r.Scan(&i.id, &i.due)
	})
	return out, err
}

// nextArchive returns a time before which no issue of a team is due to be
// archived, once everything up to now is done.
func nextArchive(tx *store.Tx, org, team string, period, now int64) (int64, error) {
	waiting, young := never, never
	if _, err := tx.Get(`SELECT COALESCE(MIN(due), ?) FROM (SELECT `+archiveDue(tx.Dialect())+` AS due`+agedFrom+ripeToArchive+`) x`,
		[]any{never, period, period, month, org, team, now - period}, &waiting); err != nil {
		return 0, err
	}
	if _, err := tx.Get(`SELECT completed + canceled + ? FROM tracker_issue WHERE org = ? AND team = ? AND archived = 0 AND completed + canceled > 0
		AND completed + canceled > ? ORDER BY completed + canceled LIMIT 1`, []any{period, org, team, now - period}, &young); err != nil {
		return 0, err
	}
	return min(waiting, young), nil
}

// nextClose returns a time before which no issue of a team is due to be closed by
// age, once everything up to now is done.
func nextClose(tx *store.Tx, org, team string, period, now int64) (int64, error) {
	waiting, young := never, never
	if _, err := tx.Get(`SELECT COALESCE(MIN(due), ?) FROM (SELECT `+closeDue(tx.Dialect())+` AS due`+agedFrom+ripeToClose+`) x`,
		[]any{never, period, org, team, now - period}, &waiting); err != nil {
		return 0, err
	}
	_, err := tx.Get(`SELECT COALESCE(MIN(updated + ?), ?) FROM tracker_issue WHERE org = ? AND team = ? AND archived = 0 AND completed = 0 AND canceled = 0
		AND updated > ?`, []any{period, never, org, team, now - period}, &young)
	return min(waiting, young), err
}

func nextWaking(tx *store.Tx, org, team string) (at int64, err error) {
	_, err = tx.Get(`SELECT COALESCE(MIN(snoozed_until), ?) FROM tracker_issue WHERE org = ? AND team = ? AND snoozed_until > 0`, []any{never, org, team}, &at)
	return at, err
}

// heldIssues reports whether an active issue has an id in a column, such as that
// of its cycle.
func heldIssues(tx *store.Tx, org, column, id string) (bool, error) {
	var one int64
	return tx.Get(`SELECT 1 FROM tracker_issue WHERE org = ? AND `+column+` = ? AND `+column+` <> '' AND archived = 0 LIMIT 1`, []any{org, id}, &one)
}

// teamsOfClosedChildren returns the teams of the closed sub-issues of an issue.
func teamsOfClosedChildren(v *View, issue string) ([]string, error) {
	return texts(v.Tx, `SELECT DISTINCT team FROM tracker_issue WHERE org = ? AND parent = ? AND parent <> '' AND archived = 0 AND completed + canceled > 0`,
		v.Tenant, issue)
}

// texts returns the only column of a reply.
func texts(tx *store.Tx, sql string, args ...any) (out []string, err error) {
	err = tx.Each(sql, args, func(r store.Row) error {
		out = append(out, "")
		return r.Scan(&out[len(out)-1])
	})
	return out, err
}

// openCycles returns the cycles of a team that are neither completed nor
// archived, in the order of their starts.
func openCycles(v *View, team string) ([]*Cycle, error) {
	return Cycles.Select(v.Tx, "WHERE t.org = ? AND t.team = ? AND t.archived = 0 AND t.completed = 0 ORDER BY t.starts, t.id", v.Tenant, team)
}

// lastCycleEnd returns the end of the last cycle of a team, 0 without cycles.
func lastCycleEnd(v *View, team string) (at int64, err error) {
	_, err = v.Tx.Get(`SELECT COALESCE(MAX(ends), 0) FROM tracker_cycle WHERE org = ? AND team = ? AND archived = 0`, []any{v.Tenant, team}, &at)
	return at, err
}
