package ids

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"strings"
)

// sealedPrefix is the prefix of encrypted secrets; the number is that of the
// method.
const sealedPrefix = "sealed:1:"

// Box encrypts secrets that must be stored because they cannot be derived, so
// that the database alone does not reveal them. Its key is derived from the
// program's root key and the environment's lineage: a fork can decrypt what its
// parent encrypted, and knowing the seed does not help.
type Box struct {
	aead  cipher.AEAD
	nonce []byte // the key from which nonces are derived
}

// NewBox returns the box of a lineage under the program's root key.
func NewBox(root []byte, lineage string) *Box {
	block, err := aes.NewCipher(mac(root, "box\x00"+lineage))
	if err != nil {
		panic(err) // cannot fail: the key has 32 bytes
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // cannot fail: AES has blocks of 16 bytes
	}
	return &Box{aead, mac(root, "box nonce\x00"+lineage)}
}

// Seal encrypts a secret for a purpose, such as the id of the row that contains
// it. It is deterministic, so that writing a row again does not change it.
func (b *Box) Seal(purpose, secret string) string {
	nonce := mac(b.nonce, purpose+"\x00"+secret)[:b.aead.NonceSize()]
	return sealedPrefix + base64.RawURLEncoding.EncodeToString(b.aead.Seal(nonce, nonce, []byte(secret), []byte(purpose)))
}

// Open decrypts the result of Seal for the same purpose, and returns false for
// any other text.
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
