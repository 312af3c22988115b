package ids

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"strconv"
)

// Secrets derives an environment's secrets from a root key and the environment's
// lineage, so that they need not be stored and can be shown again after a fork or
// a reset. A fork shares its parent's lineage.
//
// It derives ids too. With a seed, ids depend only on the seed, and secrets also
// on the server's key if it is reachable by others.
type Secrets struct{ key, ids []byte }

// NewSecrets returns the secrets of a lineage under a root key.
func NewSecrets(root []byte, lineage string) *Secrets {
	key := mac(root, "lineage\x00"+lineage)
	return &Secrets{key, key}
}

// GuardedSecrets returns the secrets of an environment that was created with a
// seed on a server that others can reach: deriving them needs the server's key.
// The ids depend on the seed alone.
func GuardedSecrets(server []byte, seed int64, lineage string) *Secrets {
	s := NewSecrets(mac(server, "seed\x00"+strconv.FormatInt(seed, 10)), lineage)
	s.ids = NewSecrets(SeedRoot(seed), lineage).ids
	return s
}

// Fresh returns the secrets of a fork that accepts none of its parent's: they are
// derived from s and the fork's id. The ids are the same.
func (s *Secrets) Fresh(id string) *Secrets { return &Secrets{mac(s.key, "fork\x00"+id), s.ids} }

// ID returns n public characters of alphabet for a purpose.
func (s *Secrets) ID(purpose, alphabet string, n int) string {
	return derive(s.ids, purpose, alphabet, n)
}

// IDBytes returns 32 public bytes for a purpose.
func (s *Secrets) IDBytes(purpose string) []byte { return mac(s.ids, purpose) }

// SeedRoot returns the root key of an environment with a seed.
func SeedRoot(seed int64) []byte {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(seed))
	return mac([]byte("understudy seed"), string(b[:]))
}

// Bytes returns 32 secret bytes for a purpose; always the same.
func (s *Secrets) Bytes(purpose string) []byte { return mac(s.key, purpose) }

// Text returns n secret characters of alphabet for a purpose; always the same.
func (s *Secrets) Text(purpose, alphabet string, n int) string {
	return derive(s.key, purpose, alphabet, n)
}

// derive returns n characters of alphabet derived from a key and a text.
func derive(key []byte, text, alphabet string, n int) string {
	out := make([]byte, 0, n)
	limit := 256 - 256%len(alphabet)
	for round := byte(0); len(out) < n; round++ {
		for _, c := range mac(key, text+"\x00"+string([]byte{round})) {
			if int(c) < limit && len(out) < n {
				out = append(out, alphabet[int(c)%len(alphabet)])
			}
		}
	}
	return string(out)
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
