package ids

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"strings"
)

// sealedPrefix begins what a Box has sealed; the number is that of the method.
const sealedPrefix = "sealed:1:"

// Box encrypts the secrets that a store has to keep, because they are used again
// and do not derive from anything: the store alone shows none of them. Its key
// derives from the program's root key and the environment's lineage, so that a
// fork opens what its parent has sealed, and a seed is of no use.
type Box struct {
	aead  cipher.AEAD
	nonce []byte // the key that nonces derive from
}

// NewBox returns the box of a lineage under the program's root key.
func NewBox(root []byte, lineage string) *Box {
	block, err := aes.NewCipher(mac(root, "box\x00"+lineage))
	if err != nil {
		panic(err) // the key has 32 bytes
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // AES has blocks of 16 bytes
	}
	return &Box{aead, mac(root, "box nonce\x00"+lineage)}
}

// Seal returns a secret encrypted for a purpose, such as the id of the row that
// holds it. The same secret for the same purpose becomes the same text, which
// leaves rows unchanged that are written again.
func (b *Box) Seal(purpose, secret string) string {
	nonce := mac(b.nonce, purpose+"\x00"+secret)[:b.aead.NonceSize()]
	return sealedPrefix + base64.RawURLEncoding.EncodeToString(b.aead.Seal(nonce, nonce, []byte(secret), []byte(purpose)))
}

// Open returns the secret that Seal has encrypted for the same purpose, and
// false for anything else.
func (b *Box) Open(purpose, sealed string) (secret string, ok bool) {
	text, ok := strings.CutPrefix(sealed, sealedPrefix)
	if !ok {
		return "", false
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(raw) < b.aead.NonceSize() {
		return "", false
	}
	plain, err := b.aead.Open(nil, raw[:b.aead.NonceSize()], raw[b.aead.NonceSize():], []byte(purpose))
	return string(plain), err == nil
}
