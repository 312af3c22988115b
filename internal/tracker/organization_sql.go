package tracker

import "understudy/internal/platform/store"

// Organizations are the workspaces; a view sees its own alone.
var Organizations = (&Kind[Organization]{Name: "Organization", table: "tracker_organization"}).
	ready((*Organization).base, []column[Organization]{
		{"name", "name", text, func(o *Organization) any { return &o.Name }},
		{"url_key", "urlKey", text, func(o *Organization) any { return &o.URLKey }},
		{"logo_url", "logoUrl", ref, func(o *Organization) any { return &o.LogoURL }},
		{"previous_keys", "previousUrlKeys", list, func(o *Organization) any { return &o.PreviousKeys }},
		{"settings", "", hidden, func(o *Organization) any { return &o.Settings }},
	})

func init() {
	Organizations.complete = func(v *View, rows []*Organization) error {
		for _, o := range rows {
			var err error
			if o.Options, _, err = merge(organizationDefaults(), o.Settings, nil); err != nil {
				return err
			}
			if _, err := v.tx.Get(`SELECT COUNT(*) FROM tracker_user WHERE org = ? AND active`, []any{o.ID}, &o.UserCount); err != nil {
				return err
			}
			_, err = v.tx.Get(`SELECT CAST(COALESCE(SUM(issues + archived), 0) AS BIGINT) FROM tracker_team_counter WHERE org = ?`,
				[]any{o.ID}, &o.CreatedIssues)
			if err != nil {
				return err
			}
		}
		return nil
	}
}

func insertSync(tx *store.Tx, org string) error {
	_, err := tx.Exec(`INSERT INTO tracker_sync (org, sync_id) VALUES (?, 0)`, org)
	return err
}

func urlKeyTaken(tx *store.Tx, key string) (bool, error) {
	var one int64
	return tx.Get(`SELECT 1 FROM tracker_organization WHERE url_key = ?`, []any{key}, &one)
}
