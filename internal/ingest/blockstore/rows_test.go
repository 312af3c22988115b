package blockstore

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"understudy/internal/ingest"
)

// decodeRows returns for some rows the events that decodeEvents returns for them.
func TestSomeRowsAreThoseOfAll(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	for range 50 {
		list := events(0, 1+r.IntN(300))
		for i := range list {
			switch r.IntN(4) {
			case 0:
				list[i].Parent = list[r.IntN(len(list))].ID // in the block
			case 1:
				list[i].Parent = id(100_000 + i)
			case 2:
				list[i].Parent = fmt.Sprint("text ", i)
			}
			if r.IntN(5) == 0 {
				list[i].ID = fmt.Sprint("no uuid ", i)
			}
			list[i].Received += r.Int64N(1000) - 500
		}
		b := encode(list, 1, nil)
		c := ingest.Columns{First: 1}
		if err := decodeColumns(b.columns, &c, allColumns); err != nil {
			t.Fatal(err)
		}
		for _, payload := range [][]byte{b.payload, nil} {
			all, err := decodeEvents(&c, b.idents, payload)
			if err != nil {
				t.Fatal(err)
			}
			var rows []int
			for i := range all {
				if r.IntN(3) == 0 {
					rows = append(rows, i)
				}
			}
			rows = append(rows, len(all)-1)
			rows = slices.Compact(rows)
			some, err := decodeRows(&c, b.idents, payload, rows)
			if err != nil || !reflect.DeepEqual(some, pickEvents(all, rows)) {
				t.Fatalf("rows %v of %d: %v", rows, len(all), err)
			}
		}
	}
}
