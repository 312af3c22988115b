package store_test

import (
	"testing"

	"understudy/internal/platform/store"
)

func TestChangedReadsTheTable(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT a FROM t":                                "-",
		"\n\t(SELECT 1)":                                 "-",
		"INSERT INTO t (a) VALUES (?)":                   "t",
		"INSERT INTO t(a) VALUES (?)":                    "t",
		"\n\tUPDATE t\n\tSET a = ?":                      "t",
		"UPDATE t SET a = (SELECT 1 FROM u) RETURNING a": "t",
		"DELETE FROM t WHERE a = ?":                      "t",
		"DELETE FROM t":                                  "t",
		"INSERT OR REPLACE INTO t (a) VALUES (?)":        "",
		"WITH u AS (SELECT 1) DELETE FROM t USING u":     "",
		"PRAGMA user_version = 1":                        "",
		"REPLACE INTO t (a) VALUES (?)":                  "",
		"CREATE TABLE t (a TEXT)":                        "",
		"":                                               "",
	} {
		got, changes := store.Changed(sql)
		if !changes {
			got = "-"
		}
		if got != want {
			t.Errorf("%q changes %q, want %q", sql, got, want)
		}
	}
}
