package verdict

import (
	"time"

	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/verdict/match"
)

// Document is a list of expectations of an environment.
type Document struct {
	From, To   string // ids of snapshots; "" for the creation, and for now
	Settle     *Settle
	UsesMade   bool // it refers to what seed documents created
	bind       map[string]any
	answer     *string
	expect     []*expectation
	nothing    *nothingElse
	trajectory []*rule
}

// Settle is how long an environment must be quiet before it is evaluated.
type Settle struct{ Quiet, Timeout time.Duration }

// common holds the members of every check.
type common struct {
	at     seeddoc.Pos
	id     string // such as expect[0]
	name   string
	weight float64
	gate   bool
}

// The kinds of expectations: each is the member that contains the entity.
const (
	inserted = "inserted"
	updated  = "updated"
	deleted  = "deleted"
	state    = "state"
	answered = "answered"
)

// expectation is an expectation of things of one entity, or of the answer.
type expectation struct {
	common
	act    string // inserted, updated, deleted, state or answered
	kind   *kind
	where  []fieldMatch
	change []fieldChange
	only   bool
	shared bool // also count what earlier expectations matched
	count  count
	by     by
	as     string
	answer *match.Matcher
}

// fieldMatch is the expectation of a field.
type fieldMatch struct {
	field   string
	matcher *match.Matcher
}

// fieldChange is the expectation of a changed field; nil means any value on that
// side.
type fieldChange struct {
	at       seeddoc.Pos
	field    string
	from, to *match.Matcher
}

// count is the expected number.
type count struct {
	least int
	most  int // -1: any number
}

func (c count) holds(n int) bool { return n >= c.least && (c.most < 0 || n <= c.most) }

// decides reports whether the count holds for some, and whether it holds for all,
// of the numbers from least to most.
func (c count) decides(least, most int) (can, must bool) {
	can = least <= most && most >= c.least && (c.most < 0 || least <= c.most)
	return can, can && c.holds(least) && c.holds(most)
}

// nothingElse defines which other changes are allowed.
type nothingElse struct {
	common
	services []string // nil: all except ingestion
	except   []*expectation
	listed   bool // consequences are allowed only in derived fields
	refused  bool // things that were created and deleted again fail the check
}
