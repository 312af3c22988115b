package memdb

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// state is a database beside the bytes that it must have.
type state struct {
	db   *Database
	want []byte
}

func (s *state) write(b []byte, at int) {
	if grown := at + len(b) - len(s.want); grown > 0 {
		s.want = append(s.want, make([]byte, grown)...)
	}
	copy(s.want[at:], b)
	s.db.write(b, int64(at))
}

func (s *state) truncate(size int) {
	if size > len(s.want) {
		s.want = append(s.want, make([]byte, size-len(s.want))...)
	}
	s.want = s.want[:size:size]
	s.db.truncate(int64(size))
}

// Databases that begin as images of each other and are written to at random hold
// what each of them alone was given, and no image changes.
func TestCopiesShareWhatTheyDoNotChange(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		some := func(n int) []byte {
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			return b
		}
		first := some(r.IntN(5 * pageSize))
		states := []*state{{NewDatabase(NewImage(bytes.Clone(first))), first}}
		images, were := []*Image{}, [][]byte{}
		for range 400 {
			s := states[r.IntN(len(states))]
			switch r.IntN(7) {
			case 0:
				image := s.db.Image()
				if s.db.Image() != image {
					t.Fatal("two images of a database that has not changed")
				}
				images, were = append(images, image), append(were, bytes.Clone(s.want))
				if len(states) < 8 {
					states = append(states, &state{NewDatabase(image), bytes.Clone(s.want)})
				}
			case 1:
				s.truncate(r.IntN(8 * pageSize))
			case 2:
				s.write(some(pageSize), r.IntN(8)*pageSize)
			default:
				s.write(some(1+r.IntN(3*pageSize)), r.IntN(6*pageSize))
			}
			n, at := r.IntN(3*pageSize), r.IntN(8*pageSize)
			got := some(n)
			whole := s.db.read(got, int64(at))
			want := make([]byte, n)
			if at < len(s.want) {
				copy(want, s.want[at:])
			}
			if !bytes.Equal(got, want) || whole != (n == 0 || at+n <= len(s.want)) {
				t.Fatalf("seed %d: %d bytes at %d of %d are not what was written; whole: %v", seed, n, at, len(s.want), whole)
			}
			part := s.db.Part(int64(at), int64(n))
			if at+n > len(s.want) != (part == nil) && n > 0 || part != nil && !bytes.Equal(part, s.want[at:at+n]) {
				t.Fatalf("seed %d: another part of %d bytes at %d of %d", seed, n, at, len(s.want))
			}
		}
		for i, s := range states {
			if s.db.Size() != int64(len(s.want)) || !bytes.Equal(contentOf(s.db.Image()), s.want) {
				t.Fatalf("seed %d: database %d has other bytes", seed, i)
			}
		}
		for i, image := range images {
			if image.Size() != int64(len(were[i])) || !bytes.Equal(contentOf(image), were[i]) {
				t.Fatalf("seed %d: image %d has changed", seed, i)
			}
		}
	}
}

// A copy costs the pages that it changes.
func TestACopyHasOfItsOwnWhatItChanges(t *testing.T) {
	image := NewImage(make([]byte, 1000*pageSize))
	d := NewDatabase(image)
	d.write(make([]byte, 10), 5*pageSize)
	d.write(make([]byte, 10), 5*pageSize+20)
	d.write(make([]byte, pageSize), 7*pageSize)
	own := 0
	for i, p := range d.pages {
		if p != image.pages[i] {
			own++
		}
	}
	if own != 2 {
		t.Errorf("%d pages of its own, want 2", own)
	}
}

// One connection writes at a time, and nobody reads while it does.
func TestLocksModel(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 2))
		var l locks
		held := make([]int32, 4)
		for step := range 500 {
			i := r.IntN(len(held))
			to := []int32{unlocked, shared, reserved, exclusive}[r.IntN(4)]
			what := fmt.Sprintf("seed %d, step %d: %v, %d to %d", seed, step, held, i, to)
			switch {
			case to < held[i] && to <= shared:
				l.lower(held[i], to)
				held[i] = to
			case to > held[i] && (held[i] > unlocked || to == shared): // as SQLite asks
				can := true
				for j, other := range held {
					if j != i {
						can = can && (to < reserved || held[i] >= reserved || other < reserved) && (to < exclusive || other == unlocked) && other < exclusive
					}
				}
				if got := l.raise(held[i], to); got != can {
					t.Fatalf("%s: %v", what, got)
				}
				if can {
					held[i] = to
				}
			}
			writes := false
			for _, level := range held {
				writes = writes || level >= reserved
			}
			if l.isReserved() != writes {
				t.Fatalf("%s: reserved is not %v", what, writes)
			}
		}
	}
}

func contentOf(image *Image) []byte {
	var b bytes.Buffer
	_ = image.WriteTo(&b, nil)
	return b.Bytes()
}
