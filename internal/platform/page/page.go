// Package page writes and reads the opaque cursors of the admin and control
// planes. A cursor holds a position, never an offset, so that it stays valid
// while rows come and go.
package page

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"understudy/internal/platform/fault"
)

// BadCursor is a cursor that this server never gave.
var BadCursor = fault.New(fault.Invalid, "invalid_cursor", "The cursor is not one that this server gave.")

// Encode makes a cursor of a kind and a position.
func Encode(kind, position string) string {
	return base64.StdEncoding.EncodeToString([]byte(kind + ":" + position))
}

// Decode gives the position of a cursor of that kind; an empty cursor gives "".
// It returns BadCursor for anything else.
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

// Limit gives asked when it lies in 1..most, standard when it is 0, and most above that.
func Limit(asked, standard, most int) int {
	switch {
	case asked <= 0:
		return standard
	case asked > most:
		return most
	}
	return asked
}

// Cut keeps the first limit of what was found, where one more was asked for,
// and gives the cursor of what follows: of the last one's position, "" at the end.
func Cut[T any](found []T, limit int, kind string, position func(last *T) string) ([]T, string) {
	if len(found) <= limit {
		return found, ""
	}
	return found[:limit], Encode(kind, position(&found[limit-1]))
}
