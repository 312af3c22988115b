package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxKey is the longest key, in bytes, so that keys fit the indexes of both
// databases.
const MaxKey = 240

// Key returns the key of a value, which sorts as the property compares, or "" for
// a value that is invalid for the type. A long text is cut and extended by its
// hash, so that equality is preserved.
func (p *Property) Key(v string) string {
	switch p.Type {
	case "number":
		f, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return ""
		}
		return numberKey(f)
	case "date", "datetime":
		if len(v) < len(DateOnly) || v[4] != '-' || v[7] != '-' { // from before the property's type was changed
			return ""
		}
		return v
	case "bool":
		return v
	case "enumeration":
	default:
		v = strings.ToLower(v)
	}
	v = strings.ReplaceAll(v, "\x00", "") // PostgreSQL cannot store it
	if len(v) > MaxKey {
		sum := sha256.Sum256([]byte(v))
		cut := MaxKey - 33
		for !utf8.RuneStart(v[cut]) {
			cut--
		}
		v = v[:cut] + "~" + hex.EncodeToString(sum[:16])
	}
	return v
}

// numberKey encodes a number as 16 digits that sort like the numbers.
func numberKey(f float64) string {
	if f == 0 {
		f = 0 // -0 equals 0
	}
	bits := math.Float64bits(f)
	if bits>>63 != 0 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	return fmt.Sprintf("%016x", bits)
}

// Keys returns the keys of a value: one, or one for each element of a set.
func (p *Property) Keys(v string) []string {
	if !p.Many() {
		return []string{p.Key(v)}
	}
	parts := Split(v)
	for i := range parts {
		parts[i] = p.Key(parts[i])
	}
	return parts
}

// NumberOfKey decodes a key of numberKey.
func NumberOfKey(k string) float64 {
	var bits uint64
	raw, _ := hex.DecodeString(k)
	for _, b := range raw {
		bits = bits<<8 | uint64(b)
	}
	if bits>>63 != 0 {
		return math.Float64frombits(bits &^ (1 << 63))
	}
	return math.Float64frombits(^bits)
}
