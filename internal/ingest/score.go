package ingest

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

// Score is a judgement of a session or an event.
type Score struct {
	ID      string
	Session string
	Event   string // "" when the session is judged
	Name    string
	Text    string   // the value
	Number  *float64 // the value when it is a number
	Comment string
	Created int64 // milliseconds

	at, number int64 // of the judged session or event: its start, and the event's number
	no         int64
}

// ScoreFilter selects sessions and events with a score.
type ScoreFilter struct {
	Name     string
	Values   []string // alternatives; nil for any
	Min, Max *float64
}

// has reports whether a score matches.
func (f *ScoreFilter) has(s *Score) bool {
	if (f.Min != nil || f.Max != nil) && (s.Number == nil || f.Min != nil && *s.Number < *f.Min || f.Max != nil && *s.Number > *f.Max) {
		return false
	}
	return len(f.Values) == 0 || slices.ContainsFunc(f.Values, func(v string) bool {
		n, err := strconv.ParseFloat(v, 64)
		return v == s.Text || err == nil && s.Number != nil && n == *s.Number
	})
}

const maxComment = 8 << 10

// AddScore stores a score of a session or of an event, which must exist. It
// returns ValidationFailed, SessionNotFound and EventNotFound.
func (in *Ingest) AddScore(ctx context.Context, project string, s Score) (Score, error) {
	switch {
	case (s.Session == "") == (s.Event == ""):
		return s, wrong("session_id", "or event_id is required, and only one of them")
	case s.Name == "":
		return s, wrong("name", "is required")
	case len(s.Comment) > maxComment:
		return s, wrong("comment", "is %d bytes; limit is %d", len(s.Comment), maxComment)
	case s.Number != nil && !isNumber(*s.Number):
		return s, wrong("value", "must be a number or a text")
	}
	for _, f := range [...]struct{ name, text string }{{"name", s.Name}, {"value", s.Text}, {"session_id", s.Session}, {"event_id", s.Event}} {
		if err := checkText(f.name, f.text); err != nil {
			return s, err
		}
	}
	if strings.IndexByte(s.Comment, 0) >= 0 {
		return s, wrong("comment", "must not contain a NUL character")
	}
	s.ID, s.Created = in.d.IDs.UUID(), in.Now()
	if s.Event != "" {
		e, err := in.Event(ctx, project, s.Event)
		if err != nil {
			return s, err
		}
		s.Event, s.Session, s.at, s.number = e.ID, e.Session, e.Event.Time, e.Seq
	} else if ids.IsUUID(s.Session) {
		s.Session = strings.ToLower(s.Session)
	}
	if err := in.CatchUp(ctx); err != nil {
		return s, err
	}
	return s, in.d.Events.Write(ctx, func(tx *store.Tx) error {
		n, found, err := getSession(tx, project, s.Session, false)
		if err == nil && !found && s.Event == "" {
			err = SessionNotFound
		}
		if err != nil {
			return err
		}
		if s.Event == "" {
			s.at = n.Started
		}
		return insertScore(tx, project, &s)
	})
}

// ScoreQuery selects scores. The values of a list are alternatives, and an empty list
// allows every score; all lists must match.
type ScoreQuery struct{ Sessions, Events, Names []string }

// Scores returns scores below a position, newest first: at most limit of them, and
// fewer when more would make a reply too long. more reports whether others follow.
func (in *Ingest) Scores(ctx context.Context, project string, q ScoreQuery, below int64, limit int) (out []Score, more bool, err error) {
	list := budget.NewPage(ctx)
	err = in.d.Events.Read(ctx, func(tx *store.Tx) error {
		return eachListedScore(tx, project, q, below, limit+1, func(s Score) error {
			if more = len(out) == limit || list.Full(); more {
				return store.Stop()
			}
			out = append(out, s)
			return list.Add(s.size())
		})
	})
	return out, more, err
}

// size returns the approximate length of a score in a reply, if each character needs
// the longest form.
func (s *Score) size() int { return 300 + 6*(len(s.Name)+len(s.Text)+len(s.Comment)) }

// Position is the position of a score in a list.
func (s *Score) Position() int64 { return s.no }

// Average is the average of the scores with a name in a period.
type Average struct {
	Name  string
	Count int64
	Sum   float64
}

// Averages returns the averages of the scores that are numbers, for each period
// that begins at one of bounds, by the index of the bound. A score belongs to the
// period in which the judged session or event began. It returns ValidationFailed
// where the averages would make the reply too long, and the errors of budget.Page.
func (in *Ingest) Averages(ctx context.Context, project string, bounds []int64) (out map[int][]Average, err error) {
	out = map[int][]Average{}
	if len(bounds) == 0 {
		return out, nil
	}
	page := budget.NewPage(ctx)
	err = in.d.Events.Read(ctx, func(tx *store.Tx) error {
		return eachScore(tx, project, bounds[0], func(name string, at int64, value float64) error {
			i, found := slices.BinarySearch(bounds, at)
			if !found {
				i--
			}
			list := out[i]
			if len(list) == 0 || list[len(list)-1].Name != name { // they are ordered by name
				if err := page.Add(averageBytes + 6*len(name)); err != nil {
					return err
				}
				if page.Full() {
					return ValidationFailed.At("interval").Detailf("The averages of so many scores are too long for a reply; ask for a shorter period or a longer interval.")
				}
				list = append(list, Average{Name: name})
			}
			last := &list[len(list)-1]
			last.Count++
			last.Sum += value
			out[i] = list
			return nil
		})
	})
	return out, err
}

// averageBytes is about what an average uses in memory and in a reply, beside its name.
const averageBytes = 200

// scoredBy returns the sessions and events that match a score filter.
func (in *Ingest) scoredBy(tx *store.Tx, project string, f ScoreFilter) (Set, error) {
	out := Set{Sessions: map[string]bool{}}
	err := scoresNamed(tx, project, f.Name, func(s Score) {
		switch {
		case !f.has(&s):
		case s.Event == "":
			out.Sessions[s.Session] = true
		default:
			out.Numbers = append(out.Numbers, s.number)
		}
	})
	slices.Sort(out.Numbers)
	return out, err
}
