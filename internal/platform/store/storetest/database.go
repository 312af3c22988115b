package storetest

import (
	"context"
	"database/sql"
	"fmt"
	neturl "net/url"
	"os"
	"sync"
	"testing"
)

// DatabaseURL returns the URL of a new, empty database, for tests that run a
// whole program; it skips the test without a server. The database is removed when
// the test ends.
func DatabaseURL(t testing.TB) string {
	t.Helper()
	name, server := newName(), PostgresURL(t)
	if err := administer(server, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { drop(t, server, name) })
	return at(server, name)
}

// migrated is a database of this process without worlds, but with the templates
// of new worlds: programs on a copy of it do not run migrations.
var migrated struct {
	sync.Mutex
	name string // "" until the first test with a database has ended
}

// MigratedURL is DatabaseURL for tests that run the same program many times: the
// databases of later tests contain the templates that the first one created.
func MigratedURL(t testing.TB) string {
	t.Helper()
	name, server := newName(), PostgresURL(t)
	migrated.Lock()
	from := migrated.name
	migrated.Unlock()
	if from == "" {
		if err := administer(server, "CREATE DATABASE "+name); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { t.Helper(); becomeMigrated(t, server, name) })
		return at(server, name)
	}
	if err := administer(server, "CREATE DATABASE "+name+" TEMPLATE "+from); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { drop(t, server, name) })
	return at(server, name)
}

// becomeMigrated removes the worlds of a database, and keeps it as migrated
// unless there is one already.
func becomeMigrated(t testing.TB, server, name string) {
	t.Helper()
	migrated.Lock()
	defer migrated.Unlock()
	if migrated.name != "" {
		drop(t, server, name)
		return
	}
	const removeWorlds = `DO $$ DECLARE name text; BEGIN
		FOR name IN SELECT nspname FROM pg_namespace
			WHERE starts_with(nspname, 'understudy') AND NOT starts_with(nspname, 'understudytemplate_')
		LOOP EXECUTE 'DROP SCHEMA ' || name || ' CASCADE'; END LOOP; END $$`
	if err := administer(at(server, name), removeWorlds); err != nil {
		t.Error(err)
		return
	}
	migrated.name = name
}

func drop(t testing.TB, server, name string) {
	if err := administer(server, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
		t.Error(err)
	}
}

// newName returns a unique name for a world or database.
func newName() string { return fmt.Sprintf("test_%d_%d", os.Getpid(), worlds.Add(1)) }

// at returns the URL of a database on a server.
func at(server, name string) string {
	u, err := neturl.Parse(server)
	if err != nil {
		return server // the test then fails with the reason
	}
	u.Path = "/" + name
	return u.String()
}

// administer runs a statement in a database, on its own connection.
func administer(url, statement string) error {
	db, err := sql.Open("pgx", url) // the driver that package postgres registers
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(context.Background(), statement)
	return err
}
