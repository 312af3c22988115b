package verdict

import (
	"time"

	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/verdict/match"
)

// Document is what somebody expects of an environment.
type Document struct {
	From, To   string // ids of snapshots; "" is the creation, and now
	Settle     *Settle
	UsesMade   bool // it refers to what seed documents made
	bind       map[string]any
	answer     *string
	expect     []*expectation
	nothing    *nothingElse
	trajectory []*rule
}

// Settle is how long an environment must have been quiet before it is looked at.
type Settle struct{ Quiet, Timeout time.Duration }

// common is what every check may have.
type common struct {
	at     seeddoc.Pos
	id     string // such as expect[0]
	name   string
	weight float64
	gate   bool
}

// The kinds of expectations: each is the member that names the entity.
const (
	inserted = "inserted"
	updated  = "updated"
	deleted  = "deleted"
	state    = "state"
	answered = "answered"
)

// expectation is a sentence about things of one entity, or about the answer.
type expectation struct {
	common
	act    string // inserted, updated, deleted, state or answered
	kind   *kind
	where  []fieldMatch
	change []fieldChange
	only   bool
	shared bool // it also counts what earlier expectations matched
	count  count
	by     by
	as     string
	answer *match.Matcher
}

// fieldMatch is what is expected of a field.
type fieldMatch struct {
	field   string
	matcher *match.Matcher
}

// fieldChange is what is expected of a field that changed; nil expects nothing of a side.
type fieldChange struct {
	at       seeddoc.Pos
	field    string
	from, to *match.Matcher
}

// count is how many there have to be.
type count struct {
	least int
	most  int // -1: any number
}

func (c count) holds(n int) bool { return n >= c.least && (c.most < 0 || n <= c.most) }

// decides reports whether the count holds for one of the numbers from least to
// most, and whether it holds for all of them.
func (c count) decides(least, most int) (can, must bool) {
	can = least <= most && most >= c.least && (c.most < 0 || least <= c.most)
	return can, can && c.holds(least) && c.holds(most)
}

// nothingElse is what else may have changed.
type nothingElse struct {
	common
	services []string // nil: all but ingestion
	except   []*expectation
	listed   bool // of what follows from other changes derived fields alone are allowed
	refused  bool // what came and went is a failure
}
