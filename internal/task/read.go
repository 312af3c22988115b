package task

import (
	"encoding/json"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"understudy/internal/platform/seeddoc"
)

var (
	taskName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$`)
	whoever  = regexp.MustCompile(`^(messaging|crm|tracker)/.+$`)
)

// maxSeconds is the longest time limit of a run.
const maxSeconds = 24 * 3600

// maxInstruction is the longest instruction, in bytes: programs receive it in an
// environment variable, which Linux limits to 128 KiB.
const maxInstruction = 120_000

// messageName is the name under which an act of a reaction finds the message.
const messageName = "message"

// Read reads a task. file is its path, to whose directory paths in it are
// relative. It returns seeddoc.Invalid with every problem, its line and its
// field.
func Read(file string, n *seeddoc.Node) (*Task, error) { return read(file, n, true) }

// ReadUngraded is Read for a task that need not define how it is graded.
func ReadUngraded(file string, n *seeddoc.Node) (*Task, error) { return read(file, n, false) }

func read(file string, n *seeddoc.Node, graded bool) (*Task, error) {
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	t := &Task{file: file, dir: dir, root: n}
	r := &reader{t: t, graded: graded}
	r.Read(n, seeddoc.Pos{Place: n.Place}, &t.File)
	if r.Err() == nil {
		r.check()
	}
	return t, r.Err()
}

// reader reads a task and collects its problems.
type reader struct {
	seeddoc.Reader
	t      *Task
	graded bool // it must define how it is graded
}

// refuse records a problem at a field.
func (r *reader) refuse(field, format string, args ...any) {
	r.Refuse(seeddoc.Pos{Place: seeddoc.Place{Line: r.t.LineOf(field)}, Field: field}, format, args...)
}

func (r *reader) check() {
	t := r.t
	if !taskName.MatchString(t.Name) {
		r.refuse("task", "must have 1 to 80 letters, digits, dots, hyphens and underscores")
	}
	w := t.World
	switch {
	case w.Environment == "" && w.Fixture == "" && w.Document == "":
		r.refuse("world", "must have environment, fixture or document")
	case w.Environment != "" && (w.Fixture != "" || w.Document != "" || w.Seed != nil || w.Clock != "" || w.RateLimits != ""):
		r.refuse("world", "environment is one that exists: leave the other members out, or put them under fork")
	}
	r.checkFork()
	if r.graded && len(t.Expect) == 0 && t.NothingElse == nil && len(t.Trajectory) == 0 {
		r.refuse("", "expects nothing: give expect, nothing_else or trajectory")
	}
	if n := len(t.Instruction); n > maxInstruction {
		r.refuse("instruction", "has %d bytes; at most %d fit into the variable that programs read it from", n, maxInstruction)
	}
	if t.As != "" && !whoever.MatchString(t.As) {
		r.refuse("as", "must be a service and a person, such as messaging/jon.abel")
	}
	r.checkPeople()
	if t.App != nil && len(t.App.Command) == 0 {
		r.refuse("app.command", "must name a program")
	}
	if t.User != nil && len(t.User.Command) == 0 {
		r.refuse("user.command", "must name a program")
	}
	if s := t.Limits.Seconds; s != nil && (*s <= 0 || *s > maxSeconds) {
		r.refuse("limits.seconds", "must be above 0 and at most %d", maxSeconds)
	}
	if n := t.Limits.Requests; n != nil && *n < 1 {
		r.refuse("limits.requests", "must be at least 1")
	}
	if _, ok := t.solution(); !ok {
		r.refuse("solution", "must be a path or a list of words")
	}
	if r.readExit(); r.graded && t.exit != nil && len(t.Expect) == 1 && t.NothingElse == nil && len(t.Trajectory) == 0 {
		r.refuse("", "expects nothing of the world, and an exit status alone is no grade: give another expectation, nothing_else or trajectory")
	}
}

func (r *reader) checkFork() {
	f := r.t.Fork
	var i int64
	if f.Seed != nil && string(f.Seed) != `"each"` && json.Unmarshal(f.Seed, &i) != nil {
		r.refuse("fork.seed", "must be a whole number or each")
	}
	if s := f.TTLSeconds; s != nil && *s <= 0 {
		r.refuse("fork.ttl_seconds", "must be above 0")
	}
	for name, to := range f.Destinations {
		var text string
		if json.Unmarshal(to, &text) != nil {
			r.refuse("fork.destinations."+name, "must be a URL")
		}
	}
}

// checkPeople checks acts and reactions: each has one act and a person, and
// refers only to earlier acts.
func (r *reader) checkPeople() {
	known := []string{}
	for i := range r.t.Before {
		r.checkAct(&r.t.Before[i], known)
		if as := r.t.Before[i].As; as != "" {
			known = append(known, as)
		}
	}
	for i := range r.t.Meanwhile {
		m := &r.t.Meanwhile[i]
		r.checkPerson(m.At, m.When.Person)
		if m.Times != nil && (*m.Times < 1 || *m.Times > 1000) {
			r.Refuse(m.At.In("times"), "must be from 1 to 1000")
		}
		if m.When.Message.Plain != nil && m.When.Message.Text != nil {
			r.Refuse(m.At.In("when"), "plain and text are the same: give one of them")
		}
		within := append(slices.Clone(known), messageName)
		for j := range m.Then {
			act := &m.Then[j]
			if act.Person == "" {
				act.Person, act.Tenant = m.When.Person, m.When.Tenant
			}
			r.checkAct(act, within)
			if act.As != "" {
				within = append(within, act.As)
			}
		}
	}
	if u := r.t.User; u != nil && !whoever.MatchString(u.Person) {
		r.refuse("user.person", "must be a service and a person, such as messaging/jon.abel")
	}
}

func (r *reader) checkPerson(at seeddoc.Pos, person string) {
	if !strings.HasPrefix(person, "messaging/") || len(person) == len("messaging/") {
		r.Refuse(at, "person must be messaging/ and an id, handle or e-mail address")
	}
}

func (r *reader) checkAct(a *Act, known []string) {
	r.checkPerson(a.At, a.Person)
	verb, members, n := a.verb()
	if n != 1 {
		r.Refuse(a.At, "must have one of %s", strings.Join(verbs(), ", "))
		return
	}
	if a.As != "" && !seeddoc.IsCapture(a.As) {
		r.Refuse(a.At.In("as"), "is no name: one has letters, digits and underscores, and is not made")
	}
	body, _ := json.Marshal(members)
	if _, err := (Bindings{}).replace(body, known); err != nil {
		r.Refuse(a.At.In(verb), "%v", err)
	}
}

// readExit reads the expectation of an exit status.
func (r *reader) readExit() {
	for i, raw := range r.t.Expect {
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil || members["exit"] == nil {
			continue
		}
		field := "expect[" + strconv.Itoa(i) + "]"
		if r.t.exit != nil {
			r.refuse(field, "an exit status is expected already")
			continue
		}
		x := ExitStatus{Index: i, Weight: 1}
		for name, value := range members {
			into, ok := map[string]any{"exit": &x.Status, "name": &x.Name, "weight": &x.Weight, "gate": &x.Gate}[name]
			if !ok {
				r.refuse(field+"."+name, "is not a field here; there are exit, name, weight, gate")
			} else if json.Unmarshal(value, into) != nil {
				r.refuse(field+"."+name, "has a value of the wrong kind")
			}
		}
		if math.IsNaN(x.Weight) || x.Weight < 0 {
			r.refuse(field+".weight", "must not be negative")
		}
		r.t.exit = &x
	}
}

// solution returns the words of the solution, nil without one; ok is false if it
// is malformed.
func (t *Task) solution() (words []string, ok bool) {
	if t.Solution == nil {
		return nil, true
	}
	var one string
	if json.Unmarshal(t.Solution, &one) == nil {
		return []string{one}, one != ""
	}
	ok = json.Unmarshal(t.Solution, &words) == nil && len(words) > 0
	return words, ok
}

// LineOf returns the line of a field such as expect[2].where, or of the nearest
// field that contains it.
func (t *Task) LineOf(field string) int {
	n, line := t.root, t.root.Line
	for _, step := range strings.FieldsFunc(strings.ReplaceAll(field, "[", ".["), func(c rune) bool { return c == '.' }) {
		var next *seeddoc.Node
		if i, err := strconv.Atoi(strings.Trim(step, "[]")); err == nil && step[0] == '[' {
			if i >= 0 && i < len(n.Items) {
				next = n.Items[i]
				line = next.Line
			}
		} else {
			for _, m := range n.Members {
				if m.Name == step {
					next, line = m.Value, m.Line
				}
			}
		}
		if next == nil {
			break
		}
		n = next
	}
	return line
}
