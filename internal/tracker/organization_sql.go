package tracker

import (
	"understudy/internal/platform/store"
	"understudy/internal/tracker/entity"
)

// Organizations are the workspaces; a view sees only its own.
var Organizations = declare(entity.Kind[*View, Organization]{Name: "Organization", Table: "tracker_organization", Few: true, Tenants: true}, (*Organization).Header, []entity.Column[Organization]{
	entity.Col("name", "name", entity.Text, func(o *Organization) any { return &o.Name }),
	entity.Col("url_key", "urlKey", entity.Text, func(o *Organization) any { return &o.URLKey }),
	entity.Col("logo_url", "logoUrl", entity.Ref, func(o *Organization) any { return &o.LogoURL }),
	entity.Col("previous_keys", "previousUrlKeys", entity.List, func(o *Organization) any { return &o.PreviousKeys }),
	entity.Col("settings", "", entity.Hidden, func(o *Organization) any { return &o.Settings }),
})

func init() {
	Organizations.Complete = func(v *View, rows []*Organization) error {
		for _, o := range rows {
			var err error
			if o.Options, _, err = merge(organizationDefaults(), o.Settings, nil); err != nil {
				return err
			}
			if _, err := v.Tx.Get(`SELECT COUNT(*) FROM tracker_user WHERE org = ? AND active`, []any{o.ID}, &o.UserCount); err != nil {
				return err
			}
			_, err = v.Tx.Get(`SELECT CAST(COALESCE(SUM(issues + archived), 0) AS BIGINT) FROM tracker_team_counter WHERE org = ?`,
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

// manyOrganizations reports whether the world has more than one organization.
func manyOrganizations(tx *store.Tx) (bool, error) {
	var n int64
	_, err := tx.Get(`SELECT COUNT(*) FROM tracker_organization`, nil, &n)
	return n > 1, err
}

func urlKeyTaken(tx *store.Tx, key string) (bool, error) {
	var one int64
	return tx.Get(`SELECT 1 FROM tracker_organization WHERE url_key = ?`, []any{key}, &one)
}
