package native_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/native"
)

func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkPage(b *testing.B) {
	db, _ := sql.Open("sqlite", "")
	raw, err := db.Driver().Open(b.TempDir() + "/x.db")
	if err != nil {
		b.Fatal(err)
	}
	c, err := native.Of(raw)
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range []string{"PRAGMA journal_mode=WAL", "PRAGMA cache_size=2000", "PRAGMA synchronous=OFF",
		"CREATE TABLE m (id INTEGER PRIMARY KEY, w TEXT, c TEXT, l BOOLEAN, ts BIGINT, th BIGINT, u TEXT, s TEXT, body TEXT, me TEXT, re TEXT, rc BIGINT)",
		"CREATE INDEX mi ON m (w, c, l, ts)", "BEGIN"} {
		st, err := c.Prepare(s)
		if err != nil {
			b.Fatal(err)
		}
		if err := st.Exec(nil); err != nil {
			b.Fatal(err)
		}
		_ = st.Close()
	}
	ins, _ := c.Prepare("INSERT INTO m (w,c,l,ts,th,u,s,body,me,re,rc) VALUES ('T0123456789','C0123456789',1,?,0,'U0123456789','',?,'','',0)")
	body := strings.Repeat("x", 330)
	for n := range 5000 {
		if err := ins.Exec([]any{int64(n) * 1000, body}); err != nil {
			b.Fatal(err)
		}
	}
	st, _ := c.Prepare("COMMIT")
	_ = st.Exec(nil)
	const q = `SELECT ts, body, re, rc FROM m WHERE w = ? AND c = ? AND l = TRUE AND ts >= ? AND ts <= ? ORDER BY ts DESC LIMIT ?`
	args := func(n int) []any { return []any{"T0123456789", "C0123456789", int64(0), int64(200+n%4800) * 1000, int64(101)} }
	b.Run("driver", func(b *testing.B) {
		ds, err := raw.(driver.ConnPrepareContext).PrepareContext(context.Background(), q)
		if err != nil {
			b.Fatal(err)
		}
		was := cpu()
		n := 0
		for b.Loop() {
			n++
			var named []driver.NamedValue
			for i, a := range args(n) {
				named = append(named, driver.NamedValue{Ordinal: i + 1, Value: a})
			}
			rows, err := ds.(driver.StmtQueryContext).QueryContext(context.Background(), named)
			if err != nil {
				b.Fatal(err)
			}
			vals := make([]driver.Value, 4)
			k := 0
			for rows.Next(vals) == nil {
				k += len(vals[1].(string))
			}
			_ = rows.Close()
		}
		b.ReportMetric(float64((cpu()-was).Nanoseconds())/float64(b.N), "cpu-ns/op")
	})
	b.Run("native", func(b *testing.B) {
		ns, err := c.Prepare(q)
		if err != nil {
			b.Fatal(err)
		}
		was := cpu()
		n := 0
		for b.Loop() {
			n++
			if err := ns.Bind(args(n)); err != nil {
				b.Fatal(err)
			}
			var ts, rc int64
			var bo, re store.Borrowed
			places := []any{&ts, &bo, &re, &rc}
			k := 0
			for {
				row, err := ns.Step()
				if err != nil {
					b.Fatal(err)
				}
				if !row {
					break
				}
				if err := ns.Scan(places...); err != nil {
					b.Fatal(err)
				}
				k += len(bo)
			}
			_ = ns.Reset()
		}
		b.ReportMetric(float64((cpu()-was).Nanoseconds())/float64(b.N), "cpu-ns/op")
	})
	b.Run("one", func(b *testing.B) {
		ns, err := c.Prepare(`SELECT group_concat(body, ',') FROM (` + q + `)`)
		if err != nil {
			b.Fatal(err)
		}
		was := cpu()
		n := 0
		for b.Loop() {
			n++
			if err := ns.Bind(args(n)); err != nil {
				b.Fatal(err)
			}
			var bo store.Borrowed
			if _, err := ns.Step(); err != nil {
				b.Fatal(err)
			}
			if err := ns.Scan(&bo); err != nil {
				b.Fatal(err)
			}
			_ = ns.Reset()
		}
		b.ReportMetric(float64((cpu()-was).Nanoseconds())/float64(b.N), "cpu-ns/op")
	})
	b.Run("steps", func(b *testing.B) {
		ns, err := c.Prepare(q)
		if err != nil {
			b.Fatal(err)
		}
		was := cpu()
		n := 0
		for b.Loop() {
			n++
			if err := ns.Bind(args(n)); err != nil {
				b.Fatal(err)
			}
			for {
				if row, _ := ns.Step(); !row {
					break
				}
			}
			_ = ns.Reset()
		}
		b.ReportMetric(float64((cpu()-was).Nanoseconds())/float64(b.N), "cpu-ns/op")
	})
}
