package blockstore

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"reflect"
	"testing"

	"github.com/cespare/xxhash/v2"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// named returns events of which each names a user, or all but the fourth.
func named(n int, nobody bool) []ingest.Event {
	list := events(0, n)
	for i := range list {
		list[i].User, list[i].Customer = []string{"ann", "bob", "eve"}[i%3], "customer"
	}
	if nobody {
		list[3].User = ""
	}
	return list
}

// A question finds its columns in the beginning of a block, and notices each byte of that
// which is not as it was written.
func TestTheBeginningOfABlockIsEnough(t *testing.T) {
	for _, nobody := range []bool{false, true} {
		for _, numbers := range [][]int64{nil, {10, 12, 15, 20, 21, 22, 23, 24, 25, 30}} {
			list := named(10, nobody)
			b := encode(list, 10, numbers)
			head, owned := prefixes(b.columns)
			if head <= partsHeader || owned <= head || owned >= int64(len(b.columns)) {
				t.Fatalf("prefixes of %d and %d bytes of %d", head, owned, len(b.columns))
			}
			whole := int64(len(b.columns))
			for _, q := range []struct {
				want columnSet
				end  int64
			}{{nameColumn | typeColumn | modelColumn | customerColumn | latencyColumn | tokenColumns, head}, {latencyColumn, head}, {0, head},
				{ownerColumns | tokenColumns, owned}, {userColumn, owned}, {ownerColumns | sessionColumn, whole}, {allColumns, whole}} {
				var some, all ingest.Columns
				some.First, all.First = 10, 10
				beginning := append([]byte(nil), b.columns[:q.end]...)
				if err := decodeColumns(beginning, &some, q.want); err != nil {
					t.Fatalf("%b of %d bytes: %v", q.want, q.end, err)
				}
				if err := decodeColumns(b.columns, &all, q.want); err != nil || !reflect.DeepEqual(some, all) {
					t.Fatalf("%b of %d bytes: %+v, of all %+v, %v", q.want, q.end, some, all, err)
				}
				for i := range beginning {
					beginning[i] ^= 0x10
					if decodeColumns(beginning, &some, q.want) == nil {
						t.Fatalf("%b of %d bytes: byte %d is not what was written", q.want, q.end, i)
					}
					beginning[i] ^= 0x10
				}
				for end := range q.end {
					if decodeColumns(beginning[:end], &some, q.want) == nil {
						t.Fatalf("%b is read from %d bytes of %d", q.want, end, q.end)
					}
				}
			}
		}
	}
}

// PostgreSQL sends no more of a block than a question reads, unless events are being erased.
func TestPostgreSQLSendsTheBeginningOfBlocks(t *testing.T) {
	w := storetest.Postgres(t, schemas)
	ctx := context.Background()
	s := open(t, w)
	defer s.Close()
	for project, nobody := range map[string]bool{"p": false, "q": true} {
		if err := s.Append(ctx, project, named(600, nobody)); err != nil {
			t.Fatal(err)
		}
		lengths := func(want columnSet) (n int64) {
			err := w.Read(ctx, func(tx *store.Tx) error {
				d, err := decodingOf(tx, ingest.Query{}, want, &s.quarantine)
				if err != nil {
					return err
				}
				return eachColumns(tx, ingest.Query{Project: project}, d.reads(), func(b *rawBlock) error {
					n += int64(len(b.columns))
					return nil
				})
			})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		whole := lengths(allColumns)
		head, owned := prefixes(encode(named(600, nobody), 1, nil).columns)
		if a, b, c := lengths(tokenColumns|nameColumn), lengths(ownerColumns), lengths(sessionColumn); a != head || b != owned || c != whole || owned >= whole {
			t.Errorf("%d, %d and %d bytes were sent of %d, want %d, %d and all", a, b, c, whole, head, owned)
		}
		err := w.Write(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(`INSERT INTO event_erasure (project, session, user_id, upto) VALUES ('other', 'session', '', 1)`)
			return err
		})
		if n := lengths(latencyColumn); err != nil || n != whole {
			t.Errorf("%d bytes were sent while events are being erased, %v", n, err)
		}
		err = w.Write(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(`DELETE FROM event_erasure`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Blocks that an earlier version stored are read beside those of this one, and come to be in
// parts when they are changed.
func TestStoredBlocksOfEarlierFormatsAreRead(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		ctx := context.Background()
		list := earlierEvents()
		s := open(t, w)
		defer s.Close()
		for i, text := range earlier {
			project := string(rune('a' + i))
			for n := range list {
				list[n].ID = id(100*i + n)
			}
			if err := s.Append(ctx, project, list); err != nil {
				t.Fatal(err)
			}
			columns, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			err = w.Write(ctx, func(tx *store.Tx) error {
				content := columns[:len(columns)-2*sumBytes]
				columns = appendSum(binary.LittleEndian.AppendUint64(content, xxhash.Sum64(encodeIdents(list))))
				_, err := tx.Exec(`UPDATE event_block SET columns = ?, head = 0, owned = 0 WHERE project = ?`, store.Blob(columns), project)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if hasGaps(columns) {
				continue // their numbers are beyond those of the project
			}
			for _, want := range list {
				if got := all(t, s, ingest.Query{Project: project})[want.ID]; !reflect.DeepEqual(got, want) {
					t.Errorf("%q: got  %+v\nwant %+v", project, got, want)
				}
			}
			for _, by := range []ingest.Dimension{ingest.ByName, ingest.ByUser, ingest.BySession} {
				owner := func(string) string { return "somebody" }
				groups, err := s.Sum(ctx, ingest.Sum{Match: ingest.Match{Project: project}, By: by, Owner: owner, Latency: true})
				n := int64(0)
				for _, g := range groups {
					n += g.Events
				}
				if err != nil || n != int64(len(list)) {
					t.Errorf("%q: %d events by dimension %d, %v", project, n, by, err)
				}
			}
		}
	})
}

func TestBlocksAreReadInGrowingParts(t *testing.T) {
	for _, n := range []int{0, 1, 4, 5, 20, 84, 85, 183, 184, 185, 1000} {
		var all, together []int64
		for i := range n {
			all = append(all, int64(i))
		}
		parts := growing(all)
		for i, part := range parts {
			if most := []int{4, 16, 64, blocksAtOnce}[min(i, 3)]; len(part) > most || len(part) < most && i+1 < len(parts) {
				t.Errorf("part %d of %d blocks has %d", i, n, len(part))
			}
			together = append(together, part...)
		}
		if !reflect.DeepEqual(together, all) {
			t.Errorf("%d blocks came back as %v", n, parts)
		}
	}
}
