package outbox_test

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"understudy/internal/platform/bus"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// More waits than a window holds, and more comes while it drains: nothing of a
// key may overtake what is still in the store.
func TestMoreThanAWindowStaysInOrder(t *testing.T) {
	onBoth(t, clock.System, func(p *post) {
		release := make(chan struct{})
		p.answers(func(string, int) int { <-release; return http.StatusOK })
		const all = 2500
		for i := range all {
			p.happen(fmt.Sprint("k", i%3, "."), fmt.Sprintf("%05d", i))
			if i == 2000 {
				close(release)
			}
		}
		p.until("all", func() bool { return len(p.arrived()) >= all })
		last := map[byte]string{}
		for _, g := range p.arrived() {
			if g[0] != 'k' {
				continue // sent again: the first attempt took too long
			}
			if g <= last[g[1]] {
				p.t.Fatalf("%s after %s", g, last[g[1]])
			}
			last[g[1]] = g
		}
	})
}

func TestCancelEndsWhatWaits(t *testing.T) {
	onBoth(t, func() *clock.Clock { return clock.At(time.Unix(1e9, 0)) }, func(p *post) {
		up := p.url
		p.url = "http://127.0.0.1:9"
		for range 5 {
			p.happen("k", "a")
		}
		p.until("an attempt", func() bool { return len(p.list()[0].Tried) > 0 })
		cancel := func(destination string) {
			if err := p.w.Write(context.Background(), func(tx *store.Tx) error { return p.outbox.Cancel(tx, "svc", destination) }); err != nil {
				p.t.Fatal(err)
			}
		}
		cancel("another")
		p.settles(outbox.Pending, outbox.Pending, outbox.Pending, outbox.Pending, outbox.Pending)
		cancel("one")
		c := outbox.Cancelled
		p.settles(c, c, c, c, c)
		p.outbox.Close()
		p.url = up
		p.start() // what was cancelled stays so
		p.happen("k", "b")
		p.arrives("kb")
		p.settles(c, c, c, c, c, outbox.Delivered)
	})
}

// An outbox that ended with everything delivered looks for nothing when it starts.
func TestNothingIsLeftAfterACleanEnd(t *testing.T) {
	onBoth(t, clock.System, func(p *post) {
		marks := func() (n int64) {
			err := p.w.Read(context.Background(), func(tx *store.Tx) error {
				_, err := tx.Get("SELECT count(*) FROM outbox_state", nil, &n)
				return err
			})
			if err != nil {
				p.t.Fatal(err)
			}
			return n
		}
		p.happen("k", "a")
		p.settles(outbox.Delivered)
		if marks() != 1 {
			p.t.Error("a crash now would lose deliveries")
		}
		p.outbox.Close()
		if marks() != 0 {
			p.t.Error("the mark stays after a clean end")
		}
		p.start()
		p.happen("k", "b")
		p.arrives("ka", "kb")
	})
}

// Worlds of the time when each delivery had a row from the beginning.
func TestDeliveriesOfTheOlderFormat(t *testing.T) {
	test := func(t *testing.T, url string) {
		ctx := context.Background()
		databases, err := storetest.Open(ctx, url, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = databases.Close() }()
		open := func(s store.Schema) *store.World {
			w, err := databases.Open(ctx, "old", []store.Schema{s})
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		s := outbox.Schema()
		old := fstest.MapFS{}
		for _, name := range []string{"0001_events.sql", "0002_deliveries.sql"} {
			text, err := fs.ReadFile(s.Migrations, name)
			if err != nil {
				t.Fatal(err)
			}
			old[name] = &fstest.MapFile{Data: text}
		}
		w := open(store.Schema{Name: s.Name, Migrations: old})
		err = w.Write(ctx, func(tx *store.Tx) error {
			for _, sql := range []string{
				`INSERT INTO outbox_event (seq, service, tenant, type, key, payload, at, request_id)
					VALUES (1, 'svc', 't', 'x', 'k', '"a"', 5, ''), (2, 'svc', 't', 'x', 'k', '"b"', 6, ''), (3, 'svc', 't', 'x', 'k', '"c"', 7, '')`,
				`INSERT INTO outbox_delivery (id, service, destination, note, status, tries, attempts, queued, due, reason)
					VALUES (1048576, 'svc', 'one', 'no"te', 'delivered', 1, 1, 5, 5, ''), (1048577, 'svc', 'two', '', 'pending', 0, 0, 5, 5, ''),
					(2097152, 'svc', 'one', 'n', 'pending', 0, 0, 6, 6, '')`,
			} {
				if _, err := tx.Exec(sql); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		w = open(s)
		defer func() { _ = w.Close() }()
		o := outbox.New(outbox.Deps{World: w, Clock: clock.System(), Bus: &bus.Bus{}, Log: slog.New(slog.DiscardHandler)})
		list, err := o.List(context.Background(), outbox.Filter{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range list {
			got = append(got, fmt.Sprintf("%d %s %s %s %s", d.ID, d.Destination, d.Note, d.Status, d.Event.Payload))
		}
		want := []string{`2097152 one n pending "b"`, `1048577 two  pending "a"`, `1048576 one no"te delivered "a"`}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	t.Run("sqlite", func(t *testing.T) { test(t, "") })
	t.Run("postgres", func(t *testing.T) { test(t, storetest.DatabaseURL(t)) })
}
