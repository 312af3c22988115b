// Package page encodes and decodes the opaque cursors of the admin and control
// planes. A cursor contains a position, never an offset, so it stays valid while
// rows are added and removed.
package page

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"understudy/internal/platform/fault"
)

// BadCursor means that a cursor was not issued by this server.
var BadCursor = fault.New(fault.Invalid, "invalid_cursor", "The cursor was not issued by this server.")

// Encode returns a cursor of a kind and a position.
func Encode(kind, position string) string {
	return base64.StdEncoding.EncodeToString([]byte(kind + ":" + position))
}

// Decode returns the position of a cursor of that kind, "" for an empty cursor,
// and BadCursor for anything else.
func Decode(kind, cursor string) (string, error) {
	if cursor == "" {
		return "", nil
	}
	raw, err := base64.StdEncoding.DecodeString(cursor)
	if err != nil {
		if raw, err = base64.RawStdEncoding.DecodeString(cursor); err != nil {
			return "", BadCursor
		}
	}
	position, ok := strings.CutPrefix(string(raw), kind+":")
	if !ok || position == "" || !utf8.ValidString(position) || strings.Contains(position, "\x00") {
		return "", BadCursor
	}
	return position, nil
}

// Limit returns asked if it is in 1..most, standard if it is 0, and most if it is
// greater.
func Limit(asked, standard, most int) int {
	switch {
	case asked <= 0:
		return standard
	case asked > most:
		return most
	}
	return asked
}

// Cut returns the first limit rows, of which the caller has read one more, and
// the cursor of the next page: the position of the last row, "" at the end.
func Cut[T any](found []T, limit int, kind string, position func(last *T) string) ([]T, string) {
	if len(found) <= limit {
		return found, ""
	}
	return found[:limit], Encode(kind, position(&found[limit-1]))
}
