package messaging

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// BenchmarkDiff compares a world of many messages (MESSAGES, 20,000 unless
// set) with a copy in which a hundred were changed and a hundred were added.
// DATABASE names a PostgreSQL server; without it the world is a SQLite file.
func BenchmarkDiff(b *testing.B) {
	count, _ := strconv.Atoi(os.Getenv("MESSAGES"))
	if count == 0 {
		count = 20_000
	}
	s, err := storetest.Open(b.Context(), os.Getenv("DATABASE"), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	open := func(name string) *store.World {
		w, err := s.Open(b.Context(), name, []store.Schema{Schema()})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = w.Close(); _ = s.Drop(b.Context(), name) })
		return w
	}
	now := open("bench_diff_now")
	add := func(from, n int) {
		columns := []string{"workspace", "channel", "listed", "ts", "thread_ts", "user_id", "subtype", "body", "metadata", "reactions",
			"reply_count", "reply_users", "latest_reply", "client_msg_id", "words", "deleted"}
		rows := make([][]any, n)
		for i := range rows {
			ts := TS(1_767_225_600_000_000 + int64(from+i)*1_000_000)
			text := fmt.Sprintf("Message %d of a channel where people talk about what they do today and tomorrow.", from+i)
			body := fmt.Sprintf(`{"type":"message","user":"U0AAAAAAA1","text":%q,"ts":%q,"team":"T0AAAAAAA1","blocks":[{"type":"rich_text","block_id":"b1aB2",`+
				`"elements":[{"type":"rich_text_section","elements":[{"type":"text","text":%q}]}]}]}`, text, ts, text)
			rows[i] = []any{"T0AAAAAAA1", fmt.Sprintf("C0AAAAAA%02d", i%50), true, int64(ts), 0, "U0AAAAAAA1", "", body, "", "", 0, "", 0, "", text, false}
		}
		if err := now.Write(b.Context(), func(tx *store.Tx) error { return tx.CopyFrom("msg_message", columns, rows) }); err != nil {
			b.Fatal(err)
		}
	}
	for from := 0; from < count; from += 10_000 {
		add(from, min(10_000, count-from))
	}
	if err := s.Copy(b.Context(), "bench_diff_now", "bench_diff_past"); err != nil {
		b.Fatal(err)
	}
	past := open("bench_diff_past")
	err = now.Write(b.Context(), func(tx *store.Tx) error {
		for i := range 100 {
			if _, err := tx.Exec(`UPDATE msg_message SET reply_count = 1 WHERE id = ?`, 1+i*(count/100)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	add(count, 100)
	entities := Entities()
	for i := range entities {
		entities[i].Service = Name
	}
	size, err := s.Size(b.Context(), "bench_diff_now")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		got, err := diff.Compare(b.Context(), entities, map[string]*store.World{"": past}, map[string]*store.World{"": now}, diff.Options{Limit: 10_000})
		if err != nil || len(got.Inserts) != 100 || len(got.Updates) != 100 || len(got.Deletes) != 0 {
			b.Fatalf("%v, %d inserts, %d updates, %d deletes", err, len(got.Inserts), len(got.Updates), len(got.Deletes))
		}
	}
	b.ReportMetric(float64(size)/1e6, "MB")
}
