package blockstore

import (
	"context"
	"strings"
	"testing"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// A damaged block is left out and counted once; all others are read, and taking
// in events goes on, those of the damaged block included.
func TestDamagedBlocksAreSetAside(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		ctx := context.Background()
		for column, table := range map[string]string{"columns": "event_block", "idents": "event_detail", "payload": "event_detail"} {
			project := "p-" + column
			s := open(t, w)
			for i := range 3 {
				if err := s.Append(ctx, project, events(100*i, 100*i+100)); err != nil {
					t.Fatal(err)
				}
			}
			var seq int64
			err := w.Write(ctx, func(tx *store.Tx) error {
				if _, err := tx.Get(`SELECT seq FROM event_block WHERE project = ? ORDER BY seq LIMIT 1`, []any{project}, &seq); err != nil {
					return err
				}
				var b []byte
				if _, err := tx.Get(`SELECT `+column+` FROM `+table+` WHERE seq = ?`, []any{seq}, &b); err != nil {
					return err
				}
				b = append([]byte(nil), b...)
				b[len(b)/2] ^= 0x10
				_, err := tx.Exec(`UPDATE `+table+` SET `+column+` = ? WHERE seq = ?`, store.Blob(b), seq)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			s.Close()
			s = open(t, w)
			found := 0
			s.Damaged = func() { found++ }
			for range 2 {
				if n := len(all(t, s, ingest.Query{Project: project})); n != 200 || found != 1 {
					t.Errorf("%s: %d events, %d damaged blocks", column, n, found)
				}
			}
			if err := s.Append(ctx, project, events(50, 250)); err != nil {
				t.Errorf("%s: %v", column, err)
			}
			s.Close()
		}
	})
}

// Long events do not share a block: who reads one builds all of its block.
func TestBlocksOfLongEventsAreShort(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		s := open(t, w)
		defer s.Close()
		list := events(0, 100)
		for i := range list {
			list[i].Args = strings.Repeat("x", 1<<20)
		}
		list[99].ID = list[0].ID // known, although it is in another block
		if err := s.Append(context.Background(), "p", list); err != nil {
			t.Fatal(err)
		}
		n, longest := 0, 0
		err := s.Query(context.Background(), ingest.Query{Project: "p"}, func(c *ingest.Columns) (bool, error) {
			n, longest = n+c.N, max(longest, c.N)
			return true, nil
		})
		if err != nil || n != 99 || longest > blockBytes>>20 {
			t.Errorf("%d events, up to %d in a block, %v", n, longest, err)
		}
	})
}
