package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"understudy/internal/platform/store/storetest/bare"
	"understudy/test/load/databases"
)

// singles is how many contacts are made one at a time.
const singles = 500

// single makes contacts one at a time. In turns with them, it appends to a file as
// many bytes as the database's log gets for a contact, and waits for the disk: no
// durable write of those bytes takes less. It also sends a request that does nothing: no
// reply over HTTP comes sooner.
func (r *report) single(c *client, url, dir string) error {
	size, err := r.logged(c, url, dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(dir, "appended"))
	if err != nil {
		return err
	}
	defer out.Close()
	bytes := make([]byte, size)
	health := strings.TrimSuffix(c.base, contactsPath) + "/api/health"
	var times, appends, requests latencies
	for n := range singles {
		at := time.Now()
		if err := c.createOne(n); err != nil {
			return err
		}
		times.add(time.Since(at))
		at = time.Now()
		if _, err := out.Write(bytes); err != nil {
			return err
		}
		if err := out.Sync(); err != nil {
			return err
		}
		appends.add(time.Since(at))
		at = time.Now()
		if _, err := c.call("GET", health, "", 200); err != nil {
			return err
		}
		requests.add(time.Since(at))
	}
	r.line("Create one, durable, one caller", fmt.Sprintf("%.0f/s; p50 %s, p99 %s", singles/times.sum().Seconds(), times.at(50), times.at(99)))
	r.line("A synced append of the bytes of the log for one (goal: a create takes at most 1.5 on SQLite)", fmt.Sprintf("%d KB; p50 %s, p99 %s; a create takes %.1f of its p50", size/1000, appends.at(50), appends.at(99),
		times.at(50).Seconds()/appends.at(50).Seconds()))
	r.line("A request that does nothing, one caller", fmt.Sprintf("p50 %s, p99 %s; with a synced append it takes %.1f of the append's p50, and a create %.2f of both", requests.at(50), requests.at(99),
		(appends.at(50)+requests.at(50)).Seconds()/appends.at(50).Seconds(), times.at(50).Seconds()/(appends.at(50)+requests.at(50)).Seconds()))
	return nil
}

// logged returns how many bytes the log of the database gets for a contact.
func (r *report) logged(c *client, url, dir string) (int64, error) {
	const sample = 50
	for try := 0; ; try++ {
		before, err := logEnd(url, dir)
		if err != nil {
			return 0, err
		}
		for n := range sample {
			if err := c.createOne(10_000 + try*sample + n); err != nil {
				return 0, err
			}
		}
		after, err := logEnd(url, dir)
		if err != nil || after > before { // else the log has begun anew
			return (after - before) / sample, err
		}
	}
}

// logEnd returns the number of bytes in the log of the default environment.
func logEnd(url, dir string) (n int64, err error) {
	if url == "" {
		return databases.LogEnd(filepath.Join(filepath.Dir(dir), "data", "worlds", "env_default.db-shm"))
	}
	ctx := context.Background()
	db, err := bare.Open(ctx, url, "")
	if err != nil {
		return 0, err
	}
	defer db.Close()
	query, err := db.Prepare(ctx, `SELECT CAST(pg_current_wal_insert_lsn() - '0/0' AS BIGINT)`)
	if err != nil {
		return 0, err
	}
	defer func() { _ = query.Close() }()
	return n, query.QueryRowContext(ctx).Scan(&n)
}
