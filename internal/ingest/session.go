package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"understudy/internal/platform/store"
)

// Members is a JSON object, each value as its JSON text.
type Members = map[string]json.RawMessage

// Session is a conversation.
type Session struct {
	ID         string
	User       string
	Traits     Members // as sent with this session; null values remove a trait
	Metadata   Members
	Attributes Members // further members that clients send
	Client     string
	Started    int64 // milliseconds; 0 when not given
	Registered bool  // false for one that is only known from its events

	// Sums of its events.
	LastEvent                 int64
	Events, Errors            int64
	InputTokens, OutputTokens int64
	Cost                      float64 // by the current prices
	Scores                    []Score // where they are shown

	bytes int // about its length in a reply
}

const (
	maxTraits     = 100
	maxTraitBytes = 64 << 10
	maxIndexed    = 256 // bytes of a trait's value that filters compare
)

// CheckSession validates a session and converts its id to the stored form. A
// lenient client may leave out the user and use an id that is no UUID. It returns
// ValidationFailed.
func (in *Ingest) CheckSession(s *Session, lenient bool) (err error) {
	if s.ID, err = checkID("session_id", s.ID, lenient, true); err != nil {
		return err
	}
	if s.User == "" && !lenient {
		return wrong("user_data.user_id", "is required")
	}
	if err := checkText("user_data.user_id", s.User); err != nil {
		return err
	}
	if err := checkText("client_config", s.Client); err != nil {
		return err
	}
	if err := traitsWithin(s.Traits); err != nil {
		return err
	}
	if s.Started == 0 {
		return nil
	}
	return checkTime(s.Started, in.Now())
}

func sameText(a, b json.RawMessage) bool { return bytes.Equal(a, b) }

// traitsWithin returns ValidationFailed for traits that are too many or too long.
func traitsWithin(traits Members) error {
	if len(traits) > maxTraits {
		return wrong("user_data", "has %d traits; limit is %d", len(traits), maxTraits)
	}
	size := 0
	for _, name := range slices.Sorted(maps.Keys(traits)) {
		size += len(name) + len(traits[name])
		if err := checkText("user_data", name); err != nil {
			return err
		}
	}
	if size > maxTraitBytes {
		return wrong("user_data", "is %d bytes; limit is %d", size, maxTraitBytes)
	}
	return nil
}

// CaptureSession registers a session that CheckSession has accepted, or adds to
// an existing one: traits, metadata and attributes merge by key, the later value
// wins and null removes; the earliest start stays.
func (in *Ingest) CaptureSession(ctx context.Context, project string, s Session) error {
	if s.Started == 0 {
		s.Started = in.Now()
	}
	s.Registered = true
	seen := in.Now()
	return in.d.Events.Write(ctx, func(tx *store.Tx) error { return in.putSession(tx, project, s, seen) })
}

// putSession is CaptureSession in a transaction of the events' database.
func (in *Ingest) putSession(tx *store.Tx, project string, s Session, seen int64) error {
	n := s
	have, found, err := getSession(tx, project, s.ID, true)
	if err != nil {
		return err
	}
	if found {
		n = mergeSession(have, s)
	}
	n.Traits = without(n.Traits)
	if err := putSession(tx, project, &n); err != nil {
		return err
	}
	if n.User != have.User {
		in.owners.noteAfter(tx, project, n.ID, n.User)
	}
	if s.User == "" {
		return nil
	}
	return in.putTraits(tx, project, s.User, s.Traits, min(n.Started, seen), seen)
}

// noteSession stores the facts about a session in spans; it need not be
// registered. It leaves out traits that would exceed the limits of a session or
// user.
func (in *Ingest) noteSession(tx *store.Tx, project string, s Session) error {
	have, found, err := getSession(tx, project, s.ID, true)
	if err != nil {
		return err
	}
	n := s
	if found {
		n = mergeSession(have, s)
	}
	n.Traits = without(n.Traits)
	if traitsWithin(n.Traits) != nil {
		n.Traits = have.Traits
	}
	if found && n.User == have.User && n.Client == have.Client && maps.EqualFunc(n.Traits, have.Traits, sameText) {
		return nil
	}
	if err := putSession(tx, project, &n); err != nil || n.User == "" {
		return err
	}
	if n.User != have.User {
		in.owners.noteAfter(tx, project, n.ID, n.User)
	}
	err = in.putTraits(tx, project, n.User, n.Traits, s.Started, s.Started)
	if errors.Is(err, ValidationFailed) {
		return nil
	}
	return err
}

func mergeSession(have, s Session) Session {
	have.Registered = have.Registered || s.Registered
	if s.User != "" {
		have.User = s.User
	}
	if s.Client != "" {
		have.Client = s.Client
	}
	have.Started = min(have.Started, s.Started)
	have.Traits = merged(have.Traits, s.Traits)
	have.Metadata = merged(have.Metadata, s.Metadata)
	have.Attributes = merged(have.Attributes, s.Attributes)
	return have
}

func merged(have, add Members) Members {
	out := maps.Clone(have)
	if out == nil {
		out = Members{}
	}
	maps.Copy(out, add)
	return out
}

// without removes the members that are null.
func without(m Members) Members {
	out := Members{}
	for k, v := range m {
		if string(v) != "null" {
			out[k] = v
		}
	}
	return out
}

// putTraits merges sent traits into a user's profile and its filters.
func (in *Ingest) putTraits(tx *store.Tx, project, user string, sent Members, first, last int64) error {
	have, err := lockUser(tx, project, user)
	if err != nil {
		return err
	}
	traits := without(merged(have, sent))
	if len(traits) > maxTraits {
		return wrong("user_data", "has more than %d traits together with those that the user has", maxTraits)
	}
	if err := putUser(tx, project, user, traits, first, last); err != nil {
		return err
	}
	if len(sent) == 0 {
		return nil
	}
	var rows [][]any
	for name, v := range traits {
		for _, value := range traitValues(v) {
			rows = append(rows, []any{project, name, value, user})
		}
	}
	return replaceTraits(tx, project, user, rows)
}

// traitValues returns the texts by which a trait is found: a scalar, or the
// scalars of an array; nothing for an object.
func traitValues(raw json.RawMessage) []string {
	var v any
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	seen := map[string]bool{}
	var out []string
	for _, item := range list {
		var text string
		switch x := item.(type) {
		case string:
			text = x
		case json.Number:
			text = x.String()
		case bool:
			text = map[bool]string{true: "true", false: "false"}[x]
		default:
			continue
		}
		text = indexedValue(strings.ReplaceAll(text, "\x00", ""))
		if !seen[text] {
			seen[text] = true
			out = append(out, text)
		}
	}
	return out
}

// indexedValue returns the part of a trait's value that filters compare.
func indexedValue(text string) string {
	if len(text) > maxIndexed {
		return strings.ToValidUTF8(text[:maxIndexed], "")
	}
	return text
}
