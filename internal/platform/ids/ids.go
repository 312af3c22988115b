// Package ids is the only source of randomness and of identifiers.
//
// A Source is either random or seeded. A seeded one repeats its sequence for the
// same seed and position, so that an environment created with a seed replies with
// the same bytes. Its position is stored with the environment.
package ids

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sync"
)

const (
	// Base36 is the alphabet of upper-case object ids.
	Base36 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	// Alnum is the alphabet of secrets.
	Alnum = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	// Hex is the alphabet of hexadecimal strings.
	Hex = "0123456789abcdef"
)

// Source generates identifiers. It is safe for concurrent use.
type Source struct {
	mu     sync.Mutex
	seeded bool
	key    [32]byte
	next   uint64 // blocks drawn
	buf    []byte

	guard []byte // mixed into secrets; nil for none
}

// Random returns an unpredictable source.
func Random() *Source { return &Source{} }

// Seeded returns the source of a seed at a position.
func Seeded(seed int64, position uint64) *Source {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(seed))
	return seededBy(b[:], position)
}

// SeededFork returns the source of a fork with its own seed, at a position.
// generation is the number of such forks in its ancestry, including itself, so
// that it draws other ids than all of them.
func SeededFork(seed int64, generation int, position uint64) *Source {
	return seededBy([]byte(fmt.Sprintf("fork %d of %d", seed, generation)), position)
}

func seededBy(key []byte, position uint64) *Source {
	s := &Source{seeded: true, key: sha256.Sum256(key), next: position / sha256.Size}
	if used := position % sha256.Size; used > 0 {
		s.refill()
		s.buf = s.buf[used:]
	}
	return s
}

// Position returns how many bytes a seeded source has produced, 0 for a random
// one. Seeded continues from there as this source would.
func (s *Source) Position() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.seeded {
		return 0
	}
	return s.next*sha256.Size - uint64(len(s.buf))
}

// IsSeeded reports whether the sequence can be repeated.
func (s *Source) IsSeeded() bool { return s.seeded }

// Bytes fills b with random bytes.
func (s *Source) Bytes(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(b) > 0 {
		if len(s.buf) == 0 {
			s.refill()
		}
		n := copy(b, s.buf)
		b, s.buf = b[n:], s.buf[n:]
	}
}

func (s *Source) refill() {
	if !s.seeded {
		s.buf = make([]byte, 512)
		_, _ = rand.Read(s.buf) // never fails: crypto/rand terminates the program instead
		return
	}
	var in [40]byte
	copy(in[:], s.key[:])
	binary.BigEndian.PutUint64(in[32:], s.next)
	s.next++
	sum := sha256.Sum256(in[:])
	s.buf = sum[:]
}

// String returns n characters of alphabet, each equally likely.
func (s *Source) String(alphabet string, n int) string {
	out := make([]byte, 0, n)
	limit := 256 - 256%len(alphabet)
	var b [32]byte
	for len(out) < n {
		chunk := b[:min(len(b), n-len(out)+2)]
		s.Bytes(chunk)
		for _, c := range chunk {
			if int(c) < limit && len(out) < n {
				out = append(out, alphabet[int(c)%len(alphabet)])
			}
		}
	}
	return string(out)
}

// Object returns an id of messaging's form: prefix, "0", nine characters of
// Base36.
func (s *Source) Object(prefix string) string { return prefix + "0" + s.String(Base36, 9) }

// Guard mixes a key into all later secrets, so that they cannot be predicted from
// the seed. Ids do not change. Call it before the source is shared.
func (s *Source) Guard(key []byte) { s.guard = key }

// Secret returns n secret characters of Alnum.
func (s *Source) Secret(n int) string {
	drawn := s.String(Alnum, n)
	if s.guard == nil {
		return drawn
	}
	return derive(s.guard, drawn, Alnum, n)
}

// SecretUUID returns a secret in the form of a UUID.
func (s *Source) SecretUUID() string {
	drawn := s.UUID()
	if s.guard == nil {
		return drawn
	}
	return FormatUUID(uuidOf(derive(s.guard, drawn, Hex, 32)))
}

// Digits returns n decimal digits, of which the first is not zero.
func (s *Source) Digits(n int) string {
	return s.String("123456789", 1) + s.String("0123456789", n-1)
}

// Hex returns n hexadecimal digits.
func (s *Source) Hex(n int) string { return s.String(Hex, n) }

// UUID returns a random (version 4) UUID.
func (s *Source) UUID() string {
	var b [16]byte
	s.Bytes(b[:])
	return FormatUUID(AsVersion4(b))
}
