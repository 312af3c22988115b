// Package inject decides which requests and deliveries are broken on purpose, by
// rules that are stored in a world. It matches rules and draws chances; the code
// that serves requests and sends deliveries applies the effects.
package inject

import (
	"encoding/json"
	"time"

	"understudy/internal/platform/fault"
)

// The errors of rules.
var (
	BadRule     = fault.New(fault.Invalid, "invalid_value", "")
	UnknownCode = fault.New(fault.Unprocessable, "unknown_code", "")
	// UnknownOperation rejects a rule that no request could match; it has a
	// strict.Suggestion.
	UnknownOperation = fault.New(fault.Unprocessable, "unknown_operation", "")
	// UnknownEvent rejects a rule that no delivery could match; it has a
	// strict.Suggestion.
	UnknownEvent = fault.New(fault.Unprocessable, "unknown_event", "")
	TooMany      = fault.New(fault.Unprocessable, "too_many_faults", "An environment can have at most 200 fault rules.")
	Exists       = fault.New(fault.Conflict, "fault_exists", "A fault rule with this id exists already.")
	NotFound     = fault.New(fault.NotFound, "fault_not_found", "There is no fault rule with this id.")
)

const (
	// Most is the most rules of an environment.
	Most = 200
	// MaxDelay is the longest delay of a request.
	MaxDelay = time.Minute

	maxCount = 1_000_000_000 // of matches, firings and bytes
	maxMore  = 20            // times that a delivery is duplicated
	maxPlace = 100           // deliveries that may overtake another one
	maxText  = 500           // characters of a text
)

// The values of Rule.On.
const (
	OnRequest  = "request"
	OnDelivery = "delivery"
)

// Rule is a fault rule: what to break, when and how.
type Rule struct {
	ID      string `json:"id,omitempty" description:"a-z, 0-9, - and _; made up when left out"`
	On      string `json:"on" required:"true" enum:"request,delivery"`
	Match   Match  `json:"match,omitzero"`
	When    When   `json:"when,omitzero"`
	Do      Do     `json:"do" required:"true"`
	Enabled *bool  `json:"enabled,omitempty" description:"true when left out"`
}

// Match restricts what a rule applies to: all members must match.
type Match struct {
	Service   string                     `json:"service,omitempty"`
	Operation string                     `json:"operation,omitempty" description:"Of requests; * stands for any text."`
	Method    string                     `json:"method,omitempty"`
	Path      string                     `json:"path,omitempty" description:"Relative to the service's base URL; * stands for any text."`
	By        string                     `json:"by,omitempty" enum:"agent,person,admin"`
	Principal string                     `json:"principal,omitempty" description:"The caller's id, or as recordings show it."`
	Tool      string                     `json:"tool,omitempty" description:"The tool that makes the request; * stands for any text."`
	Body      map[string]json.RawMessage `json:"body,omitempty" description:"Matchers by JSON pointer, such as {\"/properties/email\": {\"ends_with\": \".example\"}}."`

	Event       string `json:"event,omitempty" description:"Of deliveries: the type of the event; * stands for any text."`
	Destination string `json:"destination,omitempty"`
	URL         string `json:"url,omitempty" description:"Of deliveries; * stands for any text."`
}

// When restricts at which matches a rule fires: all members must hold.
type When struct {
	Nth         []int    `json:"nth,omitempty" description:"These matches, counted from 1."`
	Every       *int     `json:"every,omitempty" description:"Each so manieth match."`
	After       int      `json:"after,omitempty" description:"Matches after so many."`
	Times       *int     `json:"times,omitempty" description:"At most so often."`
	Between     []string `json:"between,omitempty" description:"Two times (RFC 3339) of the environment's clock: from the first, and before the second."`
	Probability *float64 `json:"probability,omitempty" description:"From 0 to 1; which matches these are follows from the seed."`
}

// Do is the effect of a rule: a delay, another effect, or a delay with one other
// effect.
type Do struct {
	Error      *Refusal        `json:"error,omitempty" description:"Instead of running the request, or of sending the delivery: the answer."`
	Delay      json.RawMessage `json:"delay,omitempty" description:"Of requests {\"ms\"} or {\"min_ms\", \"max_ms\"}, real time; of deliveries a duration such as 30s on the environment's clock."`
	Drop       string          `json:"drop,omitempty" enum:"before,after" description:"The connection is closed: before, nothing ran; after, it ran and the answer is lost."`
	ErrorAfter *Refusal        `json:"error_after,omitempty" description:"It runs, and the answer is an error."`
	Cut        *int            `json:"cut,omitempty" description:"The answer ends after so many bytes of its body."`
	Duplicate  int             `json:"duplicate,omitempty" description:"The delivery is sent so often again."`
	Lose       bool            `json:"lose,omitempty" description:"The delivery is not sent and ends as failed."`
	Reorder    int             `json:"reorder,omitempty" description:"The delivery goes after the next so many of its destination."`
}

// Refusal is an injected error.
type Refusal struct {
	Status     int     `json:"status" required:"true"`
	Code       string  `json:"code,omitempty" description:"In the service's own words."`
	Message    string  `json:"message,omitempty"`
	RetryAfter float64 `json:"retry_after,omitempty" description:"Seconds."`
}

// wait is the delay of a request.
type wait struct {
	MS    *float64 `json:"ms"`
	MinMS *float64 `json:"min_ms"`
	MaxMS *float64 `json:"max_ms"`
}

// IsEnabled reports whether the rule is active.
func (r *Rule) IsEnabled() bool { return r.Enabled == nil || *r.Enabled }
