// Package verdict evaluates whether an environment is in an expected state: what
// was inserted, updated and deleted, that nothing else was, what exists at the
// end, and in which order requests were made. It only reads. Entities, references
// and derived fields come from the declarations beside the tables.
package verdict

import (
	"encoding/json"
	"fmt"
	"strings"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/store"
	"understudy/internal/platform/verdict/match"
)

// The results of a verdict.
const (
	Passed  = "passed"
	Failed  = "failed"
	Unknown = "unknown"
)

// Verdict is the result of all checks.
type Verdict struct {
	Verdict   string    `json:"verdict"`
	Score     float64   `json:"score"`
	Settled   *bool     `json:"settled,omitempty"`
	Recording Recording `json:"recording"`
	Counts    Counts    `json:"counts"`
	Checks    []Check   `json:"checks"`
}

// Recording describes the recorded requests.
type Recording struct {
	Complete bool `json:"complete"`
	Requests int  `json:"requests"` // by the agent
}

// Counts counts the changes.
type Counts struct {
	Changes      int `json:"changes"`
	Matched      int `json:"matched"`
	Consequences int `json:"consequences"`
	Ignored      int `json:"ignored"` // excepted, of excluded services, or by other actors
	Left         int `json:"left"`
	CameAndWent  int `json:"came_and_went"` // created by the agent and deleted again
}

// Check is the result of one expectation or rule. Passed is null if it could not
// be decided.
type Check struct {
	ID       string   `json:"id"`
	Name     string   `json:"name,omitempty"`
	Passed   *bool    `json:"passed"`
	Weight   float64  `json:"weight"`
	Gate     bool     `json:"gate"`
	Message  string   `json:"message,omitempty"`
	Evidence Evidence `json:"evidence"`
}

// Evidence supports a result; each list has at most maxEvidence items.
type Evidence struct {
	Matched  []Thing `json:"matched,omitempty"`
	Near     []Near  `json:"near,omitempty"`
	Left     []Thing `json:"left,omitempty"`
	Requests []Call  `json:"requests,omitempty"`
	Answer   *string `json:"answer,omitempty"`
	Exit     *int    `json:"exit,omitempty" description:"The exit status of an agent, where its runner has checked that."`
}

const (
	maxEvidence = 20
	maxNear     = 3
	maxShown    = 2000 // bytes of a value
)

// shortened returns a value for evidence: a long one as the beginning of its
// text.
func shortened(v any) any {
	text, isText := v.(string)
	if !isText {
		b, err := json.Marshal(v)
		if err != nil || len(b) <= maxShown {
			return v
		}
		text = string(b)
	}
	return cut(text)
}

// cut shortens a text for evidence.
func cut(text string) string {
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + fmt.Sprintf("… (%d bytes)", len(text))
}

// Thing is a record, or the change of one.
type Thing struct {
	Op      string `json:"op,omitempty"`
	Service string `json:"service"`
	Entity  string `json:"entity"`
	Key     string `json:"key"`
	Cause   []Call `json:"cause,omitempty"`
}

// Near is a record that almost matched.
type Near struct {
	Key    string       `json:"key"`
	Failed []Difference `json:"failed"`
	Cause  []Call       `json:"cause,omitempty"`
}

// Difference is a field that did not match.
type Difference struct {
	Field  string `json:"field"`
	Wanted any    `json:"wanted"`
	Found  any    `json:"found"`
}

// Call identifies a request by its number, with its operation and status if
// known.
type Call struct {
	Seq       int64  `json:"seq"`
	Operation string `json:"operation,omitempty"`
	Status    int    `json:"status,omitempty"`
}

func calls(writers []Writer) (out []Call) {
	for _, w := range writers {
		if w.Seq > 0 {
			out = append(out, Call{Seq: w.Seq, Operation: w.Operation})
		}
	}
	return out
}

// thing is a record to which expectations are applied.
type thing struct {
	kind     *kind
	key      string
	fields   map[string]any
	isBefore bool // read in the earlier state
	plain    any  // cached once computed
}

// change is a change of a thing.
type change struct {
	thing
	diff     *diff.Change
	op       string
	writers  []Writer
	exact    bool // all writers wrote it, and no others
	complete bool // no others may have written it
	taken    bool // matched by an expectation
}

// field returns a field of a thing by its declared name or a path below it.
func (e *scope) field(t *thing, name string) (any, error) {
	if v, ok := t.fields[name]; ok {
		return v, nil
	}
	switch {
	case name == "key":
		return t.key, nil
	case name == plainField && t.kind.entity.Plain != nil:
		return e.plainOf(t)
	}
	if f, path, ok := t.kind.field(name); ok && len(path) > 0 {
		v := match.Normal(t.fields[f.Name])
		for _, step := range path {
			v, _ = follow(v, step)
		}
		return v, nil
	}
	compute, err := e.computed(t, name)
	if compute == nil || err != nil {
		return nil, err
	}
	return compute(t.fields), nil
}

// computed returns the function that computes a field that is not stored; nil for
// none.
func (e *scope) computed(t *thing, name string) (func(map[string]any) any, error) {
	if t.kind.entity.Computed == nil {
		return nil, nil
	}
	at := computedField{t.kind, name, t.isBefore}
	f, known := e.computes[at]
	if known {
		return f, nil
	}
	f, err := t.kind.entity.Computed(e.worldOf(t), t.kind.sort, name)
	if err == nil {
		e.computes[at] = f
	}
	return f, err
}

// computedField is a field of the things of a kind, in one of the two states.
type computedField struct {
	kind     *kind
	name     string
	isBefore bool
}

// worldOf returns the transaction that reads the state in which a thing was
// found.
func (e *scope) worldOf(t *thing) *store.Tx {
	if t.isBefore {
		return e.reading.Before(t.kind.entity.World)
	}
	return e.reading.After(t.kind.entity.World)
}

func (e *scope) plainOf(t *thing) (any, error) {
	if t.plain != nil {
		return t.plain, nil
	}
	text, err := t.kind.entity.Plain(e.worldOf(t), t.fields)
	t.plain = text
	return text, err
}
