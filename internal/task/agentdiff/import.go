package agentdiff

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Import is the result of Read: a suite as tasks, and what could not be
// translated.
type Import struct {
	Files    []File    // tasks and the seed documents of their worlds
	Tasks    int       // among the files
	Refused  int       // tests that were not translated
	Problems []Problem // of tests that were not translated
	Notes    []string  // what seed documents lack
}

// File is a file with its name.
type File struct {
	Name string
	Text []byte
}

// Read translates a suite. seeds returns the text of a seed template, and is
// called once for each.
func Read(text []byte, seeds func(service, template string) ([]byte, error)) (*Import, error) {
	var s suite
	if err := decode(text, &s); err != nil {
		return nil, fmt.Errorf("is not a suite: %w", err)
	}
	switch {
	case entities[s.Service] == nil:
		return nil, fmt.Errorf("is a suite of the service %q: there are %s", s.Service, strings.Join(slices.Sorted(maps.Keys(entities)), ", "))
	case len(s.Tests) == 0:
		return nil, fmt.Errorf("has no tests")
	}
	r := &reader{suite: &s, seeds: seeds, templates: map[string]*template{}, names: map[string]bool{}, Import: &Import{}}
	for i := range s.Tests {
		if err := r.test(&s.Tests[i]); err != nil {
			return nil, err
		}
	}
	return r.Import, nil
}

// reader translates a suite.
type reader struct {
	*Import
	suite     *suite
	seeds     func(service, template string) ([]byte, error)
	templates map[string]*template // nil for an invalid one
	names     map[string]bool      // used names of tasks
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// maxName is the longest name of a task, in characters.
const maxName = 80

// test adds the task for a test, or its problems.
func (r *reader) test(t *test) error {
	before := len(r.Problems)
	refuse := func(where, format string, args ...any) {
		r.Problems = append(r.Problems, Problem{t.ID, where, fmt.Sprintf(format, args...)})
	}
	name := strings.Trim(unfit.ReplaceAllString(r.suite.ID+"."+t.ID, "-"), ".-")
	switch {
	case name == "" || len(name) > maxName || r.names[name]:
		refuse("id", "the task would be called %q: a name has at most %d characters and no other test has it", name, maxName)
	case len(t.Aggregates) > 0:
		refuse("aggregates", "nothing is counted over several rows")
	case len(t.Assertions) == 0:
		refuse("assertions", "there are none, and a task expects something")
	}
	r.names[name] = true
	seed, err := r.template(t.Template)
	if err != nil {
		refuse("seed_template", "%v", err)
	}
	var x *translation
	if seed != nil {
		x = &translation{template: seed, suite: r.suite, test: t, refuse: refuse, idle: true}
		for i := range t.Assertions {
			x.assertion(i, &t.Assertions[i])
		}
		if t.Agent != "" && seed.user[t.Agent] == "" {
			refuse("impersonate_user_id", "the seed template has no user %s", t.Agent)
		}
	}
	if len(r.Problems) > before || x == nil {
		r.Refused++
		return nil
	}
	file, err := write(fmt.Sprintf("# Test %s of the suite %s of Agent-Diff, imported by understudy task import.\n", t.ID, r.suite.ID), x.task(name))
	r.Files = append(r.Files, File{name + ".yaml", file})
	r.Tasks++
	return err
}

// task returns the task of a test.
func (t *translation) task(name string) *yaml.Node {
	as, idle := "", ""
	if t.test.Agent != "" {
		as = map[string]string{"slack": "messaging/", "linear": "tracker/"}[t.suite.Service] + t.user[t.test.Agent]
	}
	if t.idle {
		idle = "passes"
	}
	metadata := map[string]any{}
	if m, ok := number(t.test.Metadata).(map[string]any); ok {
		metadata = m
	}
	if t.test.Name != "" {
		metadata["name"] = t.test.Name
	}
	return mapping("task", name, "world", inLine(mapping("document", t.test.Template+".yaml")), "as", as, "instruction", t.text.Replace(t.test.Prompt),
		"expect", t.expect, "idle", idle, "metadata", metadata)
}

// template returns a seed template, and an error for an invalid one.
func (r *reader) template(name string) (*template, error) {
	if t, known := r.templates[name]; known {
		if t == nil {
			return nil, fmt.Errorf("%s cannot be read, see above", name)
		}
		return t, nil
	}
	r.templates[name] = nil
	if name == "" || unfit.MatchString(name) || strings.HasPrefix(name, ".") {
		return nil, fmt.Errorf("%q is not the name of a template", name)
	}
	text, err := r.seeds(r.suite.Service, name)
	if err != nil {
		return nil, err
	}
	t, err := seed(r.suite.Service, text, r.suite.Tests)
	if err != nil {
		return nil, fmt.Errorf("%s %w", name, err)
	}
	r.templates[name] = t
	r.Files = append(r.Files, File{name + ".yaml", t.document})
	for _, left := range t.left {
		r.Notes = append(r.Notes, name+".yaml has not: "+left)
	}
	return t, nil
}
