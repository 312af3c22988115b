// Package strict rejects unknown names: members of a JSON text that its Go type
// does not have, and query parameters that a route does not accept.
package strict

import (
	"strings"

	"understudy/internal/platform/fault"
)

// Unknown rejects an unknown name. Its Field is the place of the name, such as
// "faults[0].mach", and its Attrs a Suggestion.
var Unknown = fault.New(fault.Invalid, "unknown_member", "")

// Twice rejects a member that an object has twice. Its Field is the place.
var Twice = fault.New(fault.Invalid, "invalid_value", "is given twice")

// Suggestion is the known name that was probably meant; "" for none.
type Suggestion string

// Located is a Suggestion for a name in a document. Line and Column count from 1;
// Column is 0 if it is unknown.
type Located struct {
	Suggestion
	Line, Column int
}

// Refuse returns Unknown for a name at a place, which ends with the name, with
// the nearest known name. what is a noun for the message, such as "member".
func Refuse(what, place, name string, known []string) error {
	detail := "There is no " + what + " of this name; there is none at all here."
	if len(known) > 0 {
		detail = "There is no " + what + " of this name; there are " + strings.Join(known, ", ") + "."
	}
	return Unknown.At(place).Detailf("%s", detail).With(Suggestion(Nearest(name, known)))
}

// Nearest returns the known name at the smallest distance from name, below 4; ""
// for none.
func Nearest(name string, known []string) (best string) {
	least := 4
	lower := strings.ToLower(name)
	for _, k := range known {
		if len(k)-len(name) >= least || len(name)-len(k) >= least {
			continue
		}
		if d := distance(lower, strings.ToLower(k)); d < least && d < len(k) {
			best, least = k, d
		}
	}
	return best
}

// distance returns the number of letters to insert, delete, replace or swap with
// the next to change one name into another; 99 for very long names.
func distance(a, b string) int {
	if len(a) > 128 || len(b) > 128 {
		return 99
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
