package inject

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/record"
	"understudy/internal/platform/strict"
	"understudy/internal/platform/verdict/match"
)

var ruleID = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// methods are the methods that a rule can name.
var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

// Names is the names that rules can use.
type Names struct {
	Services   []string
	Codes      func(service string) []string // the error codes of a service; nil for an unknown service
	Operations record.Operations
	// With returns the services with an operation that matches a pattern; nil for
	// all.
	With func(pattern string) []string
	// Events returns the types of the events that a service delivers, of all
	// services for ""; nil if they are unknown.
	Events func(service string) record.Operations
}

// rule is a compiled Rule.
type rule struct {
	Rule
	on       bool
	asks     conditions // with the service of its operation, if Match has none
	body     []pointer
	from, to time.Time
	min, max time.Duration // of its delay
}

// pointer is a place in a body with its matcher.
type pointer struct {
	path    match.Pointer
	matcher *match.Matcher
}

// check compiles a rule. field is the place of the rule in the request. It
// returns BadRule, UnknownCode, UnknownOperation and UnknownEvent with the
// field, and strict.Unknown.
func check(r Rule, field string, names Names) (*rule, error) {
	c := &rule{Rule: r, on: r.IsEnabled()}
	bad := func(name, format string, args ...any) error {
		return BadRule.At(field+name).Detailf(format, args...)
	}
	if r.ID != "" && !ruleID.MatchString(r.ID) {
		return nil, bad("id", "must be of a-z, 0-9, - and _, at most 64 of them")
	}
	if r.On != OnRequest && r.On != OnDelivery {
		return nil, bad("on", "must be request or delivery")
	}
	if err := c.checkMatch(field+"match.", names); err != nil {
		return nil, err
	}
	if err := c.checkWhen(field + "when."); err != nil {
		return nil, err
	}
	return c, c.checkDo(field+"do.", names)
}

func (r *rule) checkMatch(field string, names Names) error {
	m := &r.Match
	forRequests := map[string]string{"operation": m.Operation, "method": m.Method, "path": m.Path, "by": m.By, "principal": m.Principal, "tool": m.Tool}
	forDeliveries := map[string]string{"event": m.Event, "destination": m.Destination, "url": m.URL}
	other, kind := forDeliveries, "deliveries"
	if r.On == OnDelivery {
		other, kind = forRequests, "requests"
	}
	for name, text := range other {
		if text != "" {
			return BadRule.At(field+name).Detailf("is only for rules on %s", kind)
		}
	}
	for _, texts := range []map[string]string{forRequests, forDeliveries} {
		for name, text := range texts {
			if utf8.RuneCountInString(text) > maxText || strings.Contains(text, "\x00") || !utf8.ValidString(text) {
				return BadRule.At(field+name).Detailf("must be a text of at most %d characters", maxText)
			}
		}
	}
	if m.Service != "" && !slices.Contains(names.Services, m.Service) {
		return BadRule.At(field+"service").Detailf("must be one of %s", strings.Join(names.Services, ", "))
	}
	if m.By != "" {
		if a, ok := record.ParseActor(m.By); !ok || a == record.System {
			return BadRule.At(field + "by").Detailf("must be agent, person or admin")
		}
	}
	if m.Method != "" && !slices.Contains(methods, strings.ToUpper(m.Method)) {
		return BadRule.At(field+"method").Detailf("must be one of %s", strings.Join(methods, ", "))
	}
	if m.Path != "" && m.Path[0] != '/' && m.Path[0] != '*' {
		return BadRule.At(field + "path").Detailf("must begin with / or *: it is relative to the service's base URL, such as /api/chat.postMessage")
	}
	r.asks = conditions{m.Service, m.Operation, m.Method, m.Path, m.By, m.Principal, m.Tool}
	if prefix, _, ok := strings.Cut(m.Operation, "."); ok && m.Service == "" && slices.Contains(names.Services, prefix) {
		r.asks.service = prefix
	}
	if near, ok := names.Operations.Check(m.Operation); m.Operation != "" && !ok {
		return UnknownOperation.At(field+"operation").Detailf("there is no operation %q; GET /admin/v1/entities lists them", m.Operation).With(strict.Suggestion(near))
	}
	if names.With != nil && m.Service != "" && m.Operation != "" && !slices.Contains(names.With(m.Operation), m.Service) {
		return UnknownOperation.At(field+"operation").Detailf("%s has no operation %q", m.Service, m.Operation).With(strict.Suggestion(""))
	}
	if near, ok := names.Operations.Tools().Check(m.Tool); m.Tool != "" && !ok {
		return UnknownOperation.At(field+"tool").Detailf("there is no tool %q; GET /admin/v1/entities lists them among the operations, with mcp. before their names", m.Tool).With(strict.Suggestion(near))
	}
	if names.Events != nil && m.Event != "" {
		types := names.Events(m.Service)
		if near, ok := types.Check(m.Event); !ok {
			return UnknownEvent.At(field+"event").Detailf("no event of this type is delivered; there are %s", strings.Join(types, ", ")).With(strict.Suggestion(near))
		}
	}
	if r.On == OnDelivery && m.Body != nil {
		return BadRule.At(field + "body").Detailf("is only for rules on requests")
	}
	if len(m.Body) > 20 {
		return BadRule.At(field + "body").Detailf("must have at most 20 matchers")
	}
	for path, text := range m.Body {
		place, ok := match.ParsePointer(path)
		if !ok || len(path) > maxText {
			return BadRule.At(field + "body." + path).Detailf("must be a JSON pointer such as /properties/email")
		}
		matcher, err := match.Parse(field+"body."+path, text)
		if err != nil {
			return err
		}
		r.body = append(r.body, pointer{place, matcher})
	}
	return nil
}

func (r *rule) checkWhen(field string) error {
	w := &r.When
	for name, n := range map[string]*int{"every": w.Every, "times": w.Times} {
		if n != nil && (*n < 1 || *n > maxCount) {
			return BadRule.At(field + name).Detailf("must be a number above 0")
		}
	}
	if w.After < 0 || w.After > maxCount {
		return BadRule.At(field + "after").Detailf("must be a number of at least 0")
	}
	if w.Nth != nil && len(w.Nth) == 0 || len(w.Nth) > 1000 || slices.ContainsFunc(w.Nth, func(n int) bool { return n < 1 || n > maxCount }) {
		return BadRule.At(field + "nth").Detailf("must be a list of 1 to 1000 numbers above 0")
	}
	if p := w.Probability; p != nil && (*p < 0 || *p > 1) {
		return BadRule.At(field + "probability").Detailf("must be from 0 to 1")
	}
	if w.Between == nil {
		return nil
	}
	var err error
	if len(w.Between) == 2 {
		if r.from, err = time.Parse(time.RFC3339Nano, w.Between[0]); err == nil {
			r.to, err = time.Parse(time.RFC3339Nano, w.Between[1])
		}
	}
	if len(w.Between) != 2 || err != nil || !r.from.Before(r.to) {
		return BadRule.At(field + "between").Detailf("must be two times such as 2026-01-31T09:00:00Z, the earlier one first")
	}
	return nil
}

func (r *rule) checkDo(field string, names Names) error {
	d := &r.Do
	if string(bytes.TrimSpace(d.Delay)) == "null" {
		d.Delay = nil
	}
	on := map[string]bool{"drop": d.Drop != "", "error_after": d.ErrorAfter != nil, "cut": d.Cut != nil}
	other := map[string]bool{"duplicate": d.Duplicate != 0, "lose": d.Lose, "reorder": d.Reorder != 0}
	if r.On == OnDelivery {
		on, other = other, on
	}
	for name, given := range other {
		if given {
			return BadRule.At(field+name).Detailf("is not for rules on %s", map[string]string{OnRequest: "requests", OnDelivery: "deliveries"}[r.On])
		}
	}
	does := 0
	for _, given := range on {
		if given {
			does++
		}
	}
	if d.Error != nil {
		does++
	}
	if does == 0 && len(d.Delay) == 0 {
		effects := "error, delay, drop, error_after, cut"
		if r.On == OnDelivery {
			effects = "error, delay, duplicate (from 1), lose (true), reorder (from 1)"
		}
		return BadRule.At(strings.TrimSuffix(field, ".")).Detailf("must have an effect: %s", effects)
	}
	if does > 1 {
		return BadRule.At(strings.TrimSuffix(field, ".")).Detailf("must have one member, or delay and one other")
	}
	if d.Drop != "" && d.Drop != "before" && d.Drop != "after" {
		return BadRule.At(field + "drop").Detailf("must be before or after")
	}
	if d.Cut != nil && (*d.Cut < 0 || *d.Cut > maxCount) {
		return BadRule.At(field + "cut").Detailf("must be a number of bytes")
	}
	if d.Duplicate < 0 || d.Duplicate > maxMore {
		return BadRule.At(field+"duplicate").Detailf("must be from 1 to %d", maxMore)
	}
	if d.Reorder < 0 || d.Reorder > maxPlace {
		return BadRule.At(field+"reorder").Detailf("must be from 1 to %d", maxPlace)
	}
	for name, e := range map[string]*Refusal{"error": d.Error, "error_after": d.ErrorAfter} {
		if e == nil {
			continue
		}
		if err := r.checkRefusal(e, field+name+".", names); err != nil {
			return err
		}
	}
	return r.checkDelay(field + "delay")
}

func (r *rule) checkRefusal(e *Refusal, field string, names Names) error {
	least := 400
	if r.On == OnRequest && (r.asks.service == "messaging" || e.Code != "") {
		least = 200 // dialects that report errors in the body
	}
	if e.Status < least || e.Status > 599 {
		return BadRule.At(field+"status").Detailf("must be from %d to 599", least)
	}
	if e.RetryAfter < 0 || e.RetryAfter > 86400 {
		return BadRule.At(field + "retry_after").Detailf("must be from 0 to 86400 seconds")
	}
	if utf8.RuneCountInString(e.Message) > maxText {
		return BadRule.At(field+"message").Detailf("must have at most %d characters", maxText)
	}
	if r.On == OnDelivery {
		if e.Code != "" || e.Message != "" || e.RetryAfter != 0 {
			return BadRule.At(field + "status").Detailf("is the only member that error may have in a rule on deliveries")
		}
		return nil
	}
	if e.Code == "" {
		return nil
	}
	services := names.Services
	if r.asks.service != "" {
		services = []string{r.asks.service}
	} else if names.With != nil && r.Match.Operation != "" {
		services = names.With(r.Match.Operation)
	}
	for _, service := range services {
		if known := names.Codes(service); !slices.Contains(known, e.Code) {
			return UnknownCode.At(field+"code").Detailf("%s has no such code; it has %s", service, strings.Join(known, ", "))
		}
	}
	return nil
}

func (r *rule) checkDelay(field string) error {
	text := bytes.TrimSpace(r.Do.Delay)
	if len(text) == 0 {
		return nil
	}
	if r.On == OnDelivery {
		var s string
		err := json.Unmarshal(text, &s)
		if err == nil {
			r.min, err = time.ParseDuration(s)
		}
		if r.max = r.min; err != nil || r.min <= 0 || r.min > 30*24*time.Hour {
			return BadRule.At(field).Detailf("must be a duration such as 30s, at most 720h")
		}
		return nil
	}
	var w wait
	if err := strict.MembersOnce(text, &w); err != nil {
		if e, ok := fault.As(err); ok {
			return e.At(field + "." + e.Field)
		}
		return err
	}
	bad := BadRule.At(field).Detailf(`must be {"ms": 500} or {"min_ms": 100, "max_ms": 900}, at most %d`, MaxDelay.Milliseconds())
	if text[0] != '{' || json.Unmarshal(text, &w) != nil || (w.MS == nil) == (w.MinMS == nil) || (w.MinMS == nil) != (w.MaxMS == nil) {
		return bad
	}
	least, most := w.MinMS, w.MaxMS
	if w.MS != nil {
		least, most = w.MS, w.MS
	}
	if *least < 0 || *most < *least || *most > float64(MaxDelay.Milliseconds()) {
		return bad
	}
	r.min, r.max = time.Duration(*least*float64(time.Millisecond)), time.Duration(*most*float64(time.Millisecond))
	return nil
}

// Name returns a short name of the effect, such as "drop after".
func (d *Do) Name() string {
	switch {
	case d.Error != nil:
		return fmt.Sprint("error ", d.Error.Status)
	case d.ErrorAfter != nil:
		return fmt.Sprint("error_after ", d.ErrorAfter.Status)
	case d.Drop != "":
		return "drop " + d.Drop
	case d.Cut != nil:
		return fmt.Sprint("cut ", *d.Cut)
	case d.Duplicate > 0:
		return fmt.Sprint("duplicate ", d.Duplicate)
	case d.Lose:
		return "lose"
	case d.Reorder > 0:
		return fmt.Sprint("reorder ", d.Reorder)
	}
	return "delay"
}
