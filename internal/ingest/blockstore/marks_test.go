package blockstore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Checkpoints of the calls that are asked for come back, whatever the length of their numbers.
func TestCheckpointsComeBack(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for range 40 {
		var in marks
		for n := range 1 + r.IntN(300) {
			in.names = append(in.names, fmt.Sprint("checkpoint ", n))
		}
		row := uint32(0)
		for range r.IntN(500) {
			row += r.Uint32N(1 << r.IntN(10))
			in.rows = append(in.rows, row)
			in.name = append(in.name, uint16(r.IntN(len(in.names))))
			in.micros = append(in.micros, r.Int64N(1<<(1+r.IntN(40))))
		}
		stored := in.encode()
		out := marks{}
		const first = 1000
		for _, share := range []int{1, 2, 20} { // from the second time on in memory that was used
			var calls []timedRow
			want := marks{names: in.names}
			for i, row := range in.rows {
				number := first + int64(row)
				if begun := i == 0 || in.rows[i-1] < row; begun && r.IntN(share) == 0 {
					calls = append(calls, timedRow{number: number})
				}
				if n := len(calls); n > 0 && calls[n-1].number == number {
					want.rows, want.name, want.micros = append(want.rows, row), append(want.name, in.name[i]), append(want.micros, in.micros[i])
				}
			}
			if err := out.decode(stored, first, calls); err != nil {
				t.Fatal(err)
			}
			for _, equal := range []bool{slices.Equal(out.names, want.names), slices.Equal(out.rows, want.rows), slices.Equal(out.name, want.name), slices.Equal(out.micros, want.micros)} {
				if !equal {
					t.Fatalf("%v %v %v, want %v %v %v", out.rows, out.name, out.micros, want.rows, want.name, want.micros)
				}
			}
		}
	}
}
