package blockstore

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
)

// Checkpoints come back, whatever the length of their numbers.
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
		for range 2 { // the second time in memory that was used
			if err := out.decode(stored); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(out.names, in.names) || fmt.Sprint(out.rows, out.name, out.micros) != fmt.Sprint(in.rows, in.name, in.micros) {
				t.Fatalf("%v, want %v", out, in)
			}
		}
	}
}
