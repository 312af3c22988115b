package app

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func worldSchemas() []store.Schema { return environment.Schemas((&App{}).services()) }

// TestEveryTableHasAClass fails for a table that no schema declares as world or runtime.
func TestEveryTableHasAClass(t *testing.T) {
	declared := map[string]bool{}
	for _, s := range worldSchemas() {
		declared["schema_"+s.Name] = true // goose's own
		for name, class := range s.Tables {
			if class != store.WorldClass && class != store.RuntimeClass {
				t.Errorf("%s has class %q", name, class)
			}
			declared[name] = true
		}
	}
	storetest.Run(t, worldSchemas(), func(t *testing.T, w *store.World) {
		for table := range columns(t, w) {
			if !declared[table] {
				t.Errorf("%s is in no schema's Tables: say whether it is of class world or runtime", table)
			}
		}
	})
}

// TestBothDatabasesHoldTheSame compares tables and columns of the two.
func TestBothDatabasesHoldTheSame(t *testing.T) {
	onlyHere := func(table, column string) bool { // indexes that are tables are each database's own
		return strings.HasPrefix(table, "schema_") || strings.Contains(table, "_search") || strings.Contains(table, "_fts") ||
			table == "crm_word" || column == "document"
	}
	sqlite := columns(t, storetest.SQLite(t, worldSchemas()))
	postgres := columns(t, storetest.Postgres(t, worldSchemas()))
	for _, pair := range []struct {
		a, b map[string][]string
		name string
	}{{sqlite, postgres, "PostgreSQL"}, {postgres, sqlite, "SQLite"}} {
		for table, list := range pair.a {
			for _, column := range list {
				if !onlyHere(table, column) && !slices.Contains(pair.b[table], column) {
					t.Errorf("%s lacks %s.%s", pair.name, table, column)
				}
			}
		}
	}
}

// columns returns the columns of each table.
func columns(t *testing.T, w *store.World) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := w.Read(t.Context(), func(tx *store.Tx) error {
		return tx.Each(tx.Dialect().Pick(
			`SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`,
			`SELECT table_name::text, column_name::text FROM information_schema.columns WHERE table_schema = current_schema()`),
			nil, func(r store.Row) error {
				var table, column string
				if err := r.Scan(&table, &column); err != nil {
					return err
				}
				out[table] = append(out[table], column)
				return nil
			})
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 5 {
		t.Fatal(fmt.Sprint("too few tables: ", out))
	}
	return out
}
