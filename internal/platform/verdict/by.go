package verdict

import (
	"slices"
	"strings"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/seeddoc"
)

// by selects whose work counts. The zero by selects the agent's.
type by struct {
	at     seeddoc.Pos
	kind   string // kind of actor; "" for agents, anyone for all
	handle string // of one person
	app    string // of one app
	ids    []id   // ids of handle or app
	isBot  bool   // handle is an app's, whose requests are the agent's
}

// id is a user or an app of a service.
type id struct{ service, id string }

const anyone = "anyone"

var actors = []string{Agent, Person, Admin, System, anyone}

func (r *reader) by(n *seeddoc.Node, at seeddoc.Pos) by {
	b := by{at: at}
	if n.Kind == seeddoc.Map {
		r.object(n, at, member{"app", into(&b.app, r.text)})
		if b.app == "" {
			r.Problem(at, "must name an app")
		}
		return b
	}
	text := r.text(n, at)
	switch {
	case slices.Contains(actors, text):
		b.kind = text
	case strings.HasPrefix(text, "@") && len(text) > 1:
		b.handle = text
	case n.Kind == seeddoc.String:
		r.Problem(at, `must be one of %s, "@handle" or {"app": id}`, strings.Join(actors, ", "))
	}
	return b
}

// is reports whether by selects an actor.
func (b by) is(a Actor) bool {
	switch {
	case b.kind == anyone:
		return true
	case b.handle != "":
		return (a.Kind == Person || b.isBot && a.Kind == Agent) && slices.Contains(b.ids, id{a.Service, a.ID})
	case b.app != "":
		return slices.Contains(b.ids, id{a.Service, a.ID})
	case b.kind == "":
		return a.Kind == Agent
	}
	return a.Kind == b.kind
}

func (b by) String() string {
	switch {
	case b.handle != "":
		return b.handle
	case b.app != "":
		return "app " + b.app
	case b.kind == "":
		return Agent
	}
	return b.kind
}

// certainty is whether a condition holds; without a recording it may.
type certainty int

const (
	no certainty = iota
	maybe
	yes
)

// whose reports whether a change is the work of actors that b selects: whether
// they wrote one of its fields that are not derived.
func (c *change) whose(b by) certainty {
	if b.kind == anyone {
		return yes
	}
	found, others := false, false // who may have written such a field
	for _, w := range c.writers {
		if c.wrote(w) {
			meant := b.is(w.Actor)
			found, others = found || meant, others || !meant
		}
	}
	switch {
	case found && (c.exact || !others):
		return yes
	case c.exact, c.complete && !found:
		return no
	}
	return maybe
}

// wrote reports whether a writer wrote a field that is not derived.
func (c *change) wrote(w Writer) bool {
	if !c.diff.Updated() && w.Fields == nil {
		return true
	}
	return slices.ContainsFunc(c.intended(), func(f string) bool { return w.Fields == nil || slices.Contains(w.Fields, f) }) ||
		!c.diff.Updated() && slices.ContainsFunc(w.Fields, func(f string) bool { return !c.kind.derived(f) })
}

// intended returns the fields of an update that changed and are not derived.
func (c *change) intended() []string {
	return slices.DeleteFunc(slices.Clone(c.diff.Changed), c.kind.derived)
}

// changedBy returns the fields of an update that actors selected by b changed, as
// far as known.
func (c *change) changedBy(b by) []string {
	return slices.DeleteFunc(c.intended(), func(f string) bool {
		return b.kind != anyone && c.exact && !slices.ContainsFunc(c.writers, func(w Writer) bool {
			return b.is(w.Actor) && (w.Fields == nil || slices.Contains(w.Fields, f))
		})
	})
}

// unknownSource is the source for an environment without recordings: all changes
// count as the agent's.
type unknownSource struct{}

func (unknownSource) Writers(*diff.Change) (list []Writer, exact, complete bool) {
	return []Writer{{Actor: Actor{Kind: Agent}}}, true, true
}
func (unknownSource) Requests(bool) ([]Request, bool) { return nil, false }
