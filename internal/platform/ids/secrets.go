package ids

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
)

// Secrets derives an environment's secrets from a root key and the
// environment's lineage. So no world stores them, and the reply to a fork or a
// reset can still show them. A fork shares its parent's lineage.
type Secrets struct{ key []byte }

// NewSecrets returns the secrets of a lineage under a root key.
func NewSecrets(root []byte, lineage string) *Secrets {
	return &Secrets{key: mac(root, "lineage\x00"+lineage)}
}

// SeedRoot returns the root key of an environment that was created with a seed.
func SeedRoot(seed int64) []byte {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(seed))
	return mac([]byte("understudy seed"), string(b[:]))
}

// Bytes returns 32 bytes for a purpose, the same each time.
func (s *Secrets) Bytes(purpose string) []byte { return mac(s.key, purpose) }

// Text returns n characters of alphabet for a purpose, the same each time.
func (s *Secrets) Text(purpose, alphabet string, n int) string {
	out := make([]byte, 0, n)
	limit := 256 - 256%len(alphabet)
	for round := byte(0); len(out) < n; round++ {
		for _, c := range mac(s.key, purpose+"\x00"+string([]byte{round})) {
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
