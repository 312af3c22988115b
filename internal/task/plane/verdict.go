package plane

import "encoding/json"

// Verdict is the result of an evaluation of an environment.
type Verdict struct {
	Verdict   string    `json:"verdict"`
	Score     float64   `json:"score"`
	Settled   *bool     `json:"settled,omitempty"`
	Recording Recording `json:"recording"`
	Counts    Counts    `json:"counts"`
	Checks    []Check   `json:"checks"`
}

// Recording describes the agent's requests.
type Recording struct {
	Complete bool `json:"complete"`
	Requests int  `json:"requests"`
}

// Counts counts the changes.
type Counts struct {
	Changes      int `json:"changes"`
	Matched      int `json:"matched"`
	Consequences int `json:"consequences"`
	Ignored      int `json:"ignored"`
	Left         int `json:"left"`
	CameAndWent  int `json:"came_and_went" jsonschema:"How many things the agent made and removed again: they are in no diff."`
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

// Evidence supports a result.
type Evidence struct {
	Matched  []Thing `json:"matched,omitempty"`
	Near     []Near  `json:"near,omitempty"`
	Left     []Thing `json:"left,omitempty"`
	Requests []Call  `json:"requests,omitempty"`
	Answer   *string `json:"answer,omitempty"`
	Exit     *int    `json:"exit,omitempty"`
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
	Field  string          `json:"field"`
	Wanted json.RawMessage `json:"wanted"`
	Found  json.RawMessage `json:"found"`
}

// Call is a request.
type Call struct {
	Seq       int64  `json:"seq"`
	Operation string `json:"operation,omitempty"`
	Status    int    `json:"status,omitempty"`
}

// Add inserts a check that was evaluated elsewhere, and computes the result
// again: a failed gate makes the score 0.
func (v *Verdict) Add(at int, c Check) {
	at = min(at, len(v.Checks))
	v.Checks = append(v.Checks[:at:at], append([]Check{c}, v.Checks[at:]...)...)
	passed, all, shut := 0.0, 0.0, false
	for _, one := range v.Checks {
		all += one.Weight
		switch {
		case one.Passed == nil:
		case *one.Passed:
			passed += one.Weight
		case one.Gate:
			shut = true
		}
	}
	switch {
	case shut:
		v.Score = 0
	case all > 0:
		v.Score = passed / all
	}
	if c.Passed != nil && !*c.Passed {
		v.Verdict = "failed"
	}
}
