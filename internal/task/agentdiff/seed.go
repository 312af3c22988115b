package agentdiff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// template is a seed template translated to a seed document.
type template struct {
	*names
	document []byte
	left     []string // what the document lacks, such as "7 rows of issue_relations"
}

// kept are the tables that are translated, by service, and those that need not
// be: there is one workspace, and one organization.
var kept = map[string][]string{
	"slack":  {"teams", "users", "channels", "user_teams", "channel_members", "messages", "message_reactions"},
	"linear": {"organizations", "users", "teams", "workflow_states", "issue_labels", labelling, "issues", "comments", "team_memberships"},
}

// seed translates a template of a service to a seed document.
func seed(service string, file []byte, tests []test) (*template, error) {
	var tables map[string]rows
	if err := decode(file, &tables); err != nil {
		return nil, fmt.Errorf("is not a JSON object of tables: %w", err)
	}
	out := &template{names: newNames()}
	for i := range tests {
		out.agent[tests[i].Agent] = true
	}
	root := mapping()
	parts := map[string]struct {
		part string
		make func(map[string]rows, *names) *yaml.Node
	}{"slack": {"messaging", slack}, "linear": {"tracker", linear}}
	p := parts[service]
	add(root, p.part, p.make(tables, out.names))
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		if len(tables[name]) > 0 && !slices.Contains(kept[service], name) {
			out.left = append(out.left, fmt.Sprintf("%d rows of %s", len(tables[name]), name))
		}
	}
	if service == "linear" {
		out.left = append(out.left, otherNumbers(tables)...)
	}
	comment := "# A seed template of Agent-Diff, imported by understudy task import.\n"
	if len(out.left) > 0 {
		comment += "# Not here: " + strings.Join(out.left, "; ") + ".\n"
	}
	var err error
	out.document, err = write(comment, root)
	return out, err
}

// otherNumbers returns the issues whose identifiers change, because issues are
// numbered consecutively here.
func otherNumbers(tables map[string]rows) (out []string) {
	issues := map[string][]string{}
	for _, i := range tables["issues"] {
		issues[text(i, "teamId")] = append(issues[text(i, "teamId")], text(i, "identifier"))
	}
	for _, i := range tables["issues"] {
		if n, _ := number(i["number"]).(int64); int(n) > len(issues[text(i, "teamId")]) {
			out = append(out, "the identifier "+text(i, "identifier")+", whose number is not the next")
		}
	}
	return out
}
