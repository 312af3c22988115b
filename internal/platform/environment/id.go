package environment

import (
	"regexp"
	"strings"

	"understudy/internal/platform/ids"
)

const idAlphabet = "0123456789abcdefghijklmnopqrstuvwxyz"

// The first letter of a generated id is its kind. Names of databases contain such
// ids, so that they show whether a database must be kept.
const (
	ofEnvironment = "e"
	ofSnapshot    = "s"
	ofEphemeral   = "m" // an ephemeral environment, or a snapshot of one
)

// NewID returns a new random id for an environment.
func NewID(ephemeral bool) string { return newID(ofEnvironment, ephemeral, 12) }

// NewSnapshotID returns a new random id for a snapshot; ephemeral is that of its
// environment.
func NewSnapshotID(ephemeral bool) string { return newID(ofSnapshot, ephemeral, 16) }

func newID(kind string, ephemeral bool, n int) string {
	if ephemeral {
		kind = ofEphemeral
	}
	return kind + ids.Random().String(idAlphabet, n-1)
}

// IsID reports whether a text has the form of an id, generated or chosen.
func IsID(text string) bool { return text != "" && strings.Trim(text, idAlphabet+"-") == "" }

var chosenID = regexp.MustCompile(`^[a-z][a-z0-9-]{2,39}$`)

// IsChosenID reports whether a text can be chosen as the id of an environment.
func IsChosenID(text string) bool { return chosenID.MatchString(text) }

// IsEphemeralID reports whether a generated id is that of an ephemeral
// environment or of a snapshot of one.
func IsEphemeralID(id string) bool { return strings.HasPrefix(id, ofEphemeral) }
