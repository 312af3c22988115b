package agentdiff

import (
	"crypto/sha256"
	"regexp"
	"strconv"
	"strings"

	"understudy/internal/platform/ids"
)

// names holds the ids of the things of a template in its seed document.
type names struct {
	ids      map[string]string   // what an expectation calls them: an id, or a reference
	text     *strings.Replacer   // replaces, within texts, ids that could not be kept
	agent    map[string]bool     // whom an agent stands for: an admin, for the rules there know no rights
	user     map[string]string   // handles or e-mail addresses of people, by their ids there
	labelsOf map[string][]string // the labels of issues, by their ids there
	repl     []string            // of text
	used     map[string]bool
}

func newNames() *names {
	return &names{agent: map[string]bool{}, ids: map[string]string{}, text: strings.NewReplacer(), user: map[string]string{}, labelsOf: map[string][]string{}, used: map[string]bool{}}
}

var loose = regexp.MustCompile(`[^A-Z0-9]`)

// uuid returns an id of the tracker: the same, or a UUID made of it.
func (n *names) uuid(id string) string {
	if raw, ok := ids.ParseUUID(strings.ToLower(id)); ok && raw == ids.AsVersion4(raw) {
		return n.keep(id, ids.FormatUUID(raw))
	}
	sum := sha256.Sum256([]byte(id))
	return n.keep(id, ids.FormatUUID(ids.AsVersion4([16]byte(sum[:16]))))
}

// shortID returns an id of messaging with its first letter: the same, or one of
// its letters and digits.
func (n *names) shortID(letter, id string) string {
	if to := n.ids[id]; to != "" {
		return to
	}
	to := loose.ReplaceAllString(strings.ToUpper(id), "")
	if !strings.HasPrefix(to, letter) {
		to = letter + to
	}
	for len(to) < 9 {
		to += "0"
	}
	for i := 1; n.used[to]; i++ {
		to += strconv.Itoa(i)
	}
	n.used[to] = true
	return n.keep(id, to)
}

// keep notes the id that a thing has here.
func (n *names) keep(id, to string) string {
	if n.ids[id] = to; id != to {
		n.repl = append(n.repl, id, to)
	}
	return to
}

// done makes the ids known to texts.
func (n *names) done() { n.text = strings.NewReplacer(n.repl...) }
