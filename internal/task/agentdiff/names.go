package agentdiff

import (
	"crypto/sha256"
	"regexp"
	"strconv"
	"strings"

	"understudy/internal/platform/ids"
)

// names maps the ids in a template to those in its seed document.
type names struct {
	ids      map[string]string   // by id in the template: an id, or a reference
	text     *strings.Replacer   // replaces, within texts, ids that had to change
	agent    map[string]bool     // possible identities of the agent: admins, because Agent-Diff has no permissions
	user     map[string]string   // handles or e-mail addresses of people, by id in the template
	labelsOf map[string][]string // the labels of issues, by id in the template
	repl     []string            // of text
	used     map[string]bool
}

func newNames() *names {
	return &names{agent: map[string]bool{}, ids: map[string]string{}, text: strings.NewReplacer(), user: map[string]string{}, labelsOf: map[string][]string{}, used: map[string]bool{}}
}

var loose = regexp.MustCompile(`[^A-Z0-9]`)

// uuid returns a tracker id for an id: the same, or a UUID derived from it.
func (n *names) uuid(id string) string {
	if raw, ok := ids.ParseUUID(strings.ToLower(id)); ok && raw == ids.AsVersion4(raw) {
		return n.keep(id, ids.FormatUUID(raw))
	}
	sum := sha256.Sum256([]byte(id))
	return n.keep(id, ids.FormatUUID(ids.AsVersion4([16]byte(sum[:16]))))
}

// shortID returns a messaging id with a first letter: the same, or one derived
// from it.
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

// keep stores the new id for an id.
func (n *names) keep(id, to string) string {
	if n.ids[id] = to; id != to {
		n.repl = append(n.repl, id, to)
	}
	return to
}

// done builds the replacer of ids in texts.
func (n *names) done() { n.text = strings.NewReplacer(n.repl...) }
