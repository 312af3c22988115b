package tracker

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
	"understudy/internal/tracker/entity"
)

// without0010 returns the tracker's tables as of the migrations before 0010.
func without0010(t *testing.T) store.Schema {
	t.Helper()
	s, before := Schema(), fstest.MapFS{}
	entries, err := fs.ReadDir(s.Migrations, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() >= "0010" {
			continue
		}
		text, err := fs.ReadFile(s.Migrations, e.Name())
		if err != nil {
			t.Fatal(err)
		}
		before[e.Name()] = &fstest.MapFile{Data: text}
	}
	s.Migrations = before
	return s
}

// Subscribers of earlier versions have the time of their issue after the upgrade.
func TestSubscribersAfterAnUpgrade(t *testing.T) {
	test := func(t *testing.T, url string) {
		ctx := context.Background()
		s, err := storetest.Open(ctx, url, t.TempDir())
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		check(err)
		defer func() { check(s.Close()) }()
		w, err := s.Open(ctx, "subscribers_upgrade", []store.Schema{without0010(t)})
		check(err)
		check(w.Write(ctx, func(tx *store.Tx) error {
			for n, id := range []string{"b", "a", "c"} {
				i := &Issue{Base: entity.Base{Org: "o", ID: id, Created: int64(n + 1)}, Number: int64(n)}
				if err := Issues.InsertFresh(tx, i); err != nil {
					return err
				}
			}
			for _, link := range [][2]string{{"a", "u"}, {"b", "v"}, {"b", "u"}} {
				if _, err := tx.Exec(`INSERT INTO tracker_issue_subscriber (org, issue, user_id) VALUES (?, ?, ?)`, "o", link[0], link[1]); err != nil {
					return err
				}
			}
			return nil
		}))
		check(w.Close())
		w, err = s.Open(ctx, "subscribers_upgrade", []store.Schema{Schema()})
		check(err)
		defer func() {
			check(w.Close())
			check(s.Drop(ctx, "subscribers_upgrade"))
		}()
		type row struct {
			created     int64
			issue, user string
		}
		var got []row
		check(w.Read(ctx, func(tx *store.Tx) error {
			return tx.Each(`SELECT created, issue, user_id FROM tracker_issue_subscriber WHERE org = ? ORDER BY created, user_id`, []any{"o"},
				func(r store.Row) error {
					var one row
					err := r.Scan(&one.created, &one.issue, &one.user)
					got = append(got, one)
					return err
				})
		}))
		if want := []row{{1, "b", "u"}, {1, "b", "v"}, {2, "a", "u"}}; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	t.Run("sqlite", func(t *testing.T) { test(t, "") })
	t.Run("postgres", func(t *testing.T) { test(t, storetest.PostgresURL(t)) })
}

// The subscribers of issues are looked up by the time of the issue: the plan that
// SQLite would choose reads those of all issues.
func TestSubscribersAreLookedUp(t *testing.T) {
	w := storetest.SQLite(t, []store.Schema{Schema()})
	r := Users.Relations["issue"]
	for _, which := range []string{" = ?", " IN (?, ?, ?)"} {
		args := []any{"o", "a", "b", "c"}[:1+strings.Count(which, "?")]
		err := w.Read(context.Background(), func(tx *store.Tx) error {
			found := false
			err := tx.Each("EXPLAIN QUERY PLAN SELECT t.id, "+r.Parent+" FROM tracker_user t"+r.Join+" WHERE t.org = ? AND t.archived = 0 AND "+r.Parent+which+
				" ORDER BY t.created, t.id", args, func(row store.Row) error {
				var id, parent, unused int64
				var text string
				err := row.Scan(&id, &parent, &unused, &text)
				found = found || strings.Contains(text, "SEARCH j USING PRIMARY KEY (org=? AND created=? AND issue=?")
				return err
			})
			if !found {
				t.Errorf("issue%s: subscribers are not looked up", which)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
