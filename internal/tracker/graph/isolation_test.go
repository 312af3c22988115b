package graph

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"understudy/internal/platform/auth"
	"understudy/internal/tracker"
)

// postAs is post with another credential.
func (d *desk) postAs(key string, body []byte) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/graphql", bytes.NewReader(body))
	r.Header.Set("Authorization", key)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	d.h.ServeHTTP(w, r)
	return w
}

// made runs a mutation and returns the id of what it made.
func (d *desk) made(mutation, field string) string {
	d.Helper()
	data := d.ask("mutation { made: "+mutation+" { it: "+field+" { id } } }", nil)
	return data["made"].(map[string]any)["it"].(map[string]any)["id"].(string)
}

// possessions makes one of everything in the desk's organization and returns the ids by kind.
func (d *desk) possessions() map[string]string {
	d.Helper()
	own := map[string]string{"team": d.team, "user": d.p.Subject, "organization": d.p.Tenant}
	own["issueLabel"] = d.made(fmt.Sprintf(`issueLabelCreate(input: {name: "Secret", teamId: "%s"})`, d.team), "issueLabel")
	own["project"] = d.made(fmt.Sprintf(`projectCreate(input: {name: "Secret", teamIds: ["%s"]})`, d.team), "project")
	own["cycle"] = d.made(fmt.Sprintf(`cycleCreate(input: {teamId: "%s", startsAt: "2026-02-20T00:00:00Z", endsAt: "2026-03-20T00:00:00Z"})`, d.team), "cycle")
	own["issue"] = d.made(fmt.Sprintf(`issueCreate(input: {title: "Secret", teamId: "%s", labelIds: ["%s"], projectId: "%s", cycleId: "%s"})`,
		d.team, own["issueLabel"], own["project"], own["cycle"]), "issue")
	own["comment"] = d.made(fmt.Sprintf(`commentCreate(input: {issueId: "%s", body: "Secret"})`, own["issue"]), "comment")
	own["webhook"] = d.made(`webhookCreate(input: {url: "http://127.0.0.1:9/", resourceTypes: ["Issue"]})`, "webhook")
	states := d.ask(fmt.Sprintf(`{ workflowStates(filter: {team: {id: {eq: "%s"}}, type: {eq: "canceled"}}) { nodes { id } } }`, d.team), nil)
	own["workflowState"] = states["workflowStates"].(map[string]any)["nodes"].([]any)[0].(map[string]any)["id"].(string)
	statuses := d.ask(`{ projectStatuses { nodes { id } } }`, nil)
	own["projectStatus"] = statuses["projectStatuses"].(map[string]any)["nodes"].([]any)[0].(map[string]any)["id"].(string)
	return own
}

// trespasses are the arguments with which another organization reaches for what
// is in own, by root field; lists are asked for everything in any case.
func trespasses(own map[string]string) map[string]string {
	args := map[string]string{
		"searchIssues":         `term: "Secret", includeComments: true, includeArchived: true`,
		"issueVcsBranchSearch": `branchName: "ann/eng-1-secret"`,
		"commentCreate":        `input: {issueId: "{issue}", body: "x"}`,
		"commentUpdate":        `id: "{comment}", input: {body: "x"}`,
		"cycleCreate":          `input: {teamId: "{team}", startsAt: "2027-01-01T00:00:00Z", endsAt: "2027-01-08T00:00:00Z"}`,
		"cycleUpdate":          `id: "{cycle}", input: {name: "x"}`,
		"issueAddLabel":        `id: "{issue}", labelId: "{issueLabel}"`,
		"issueRemoveLabel":     `id: "{issue}", labelId: "{issueLabel}"`,
		"issueBatchCreate":     `input: {issues: [{teamId: "{team}", title: "x"}]}`,
		"issueBatchUpdate":     `ids: ["{issue}"], input: {title: "x"}`,
		"issueCreate":          `input: {teamId: "{team}", title: "x"}`,
		"issueDelete":          `id: "{issue}", permanentlyDelete: true`,
		"issueUpdate":          `id: "{issue}", input: {title: "x"}`,
		"issueLabelCreate":     `input: {name: "x", teamId: "{team}"}`,
		"issueLabelUpdate":     `id: "{issueLabel}", input: {name: "x"}`,
		"organizationUpdate":   `input: {name: "Renamed"}`,
		"projectCreate":        `input: {name: "x", teamIds: ["{team}"]}`,
		"projectUpdate":        `id: "{project}", input: {name: "x"}`,
		"teamCreate":           `input: {name: "x", parentId: "{team}"}`,
		"teamUpdate":           `id: "{team}", input: {name: "x"}`,
		"userUpdate":           `id: "{user}", input: {name: "x"}`,
		"webhookCreate":        `input: {url: "http://127.0.0.1:9/", resourceTypes: ["Issue"], teamId: "{team}"}`,
		"webhookUpdate":        `id: "{webhook}", input: {label: "x"}`,
		"workflowStateCreate":  `input: {teamId: "{team}", name: "x", type: "started", color: "#000000"}`,
		"workflowStateUpdate":  `id: "{workflowState}", input: {name: "x"}`,
		"agentSession":         `id: "{issue}"`,
		"attachment":           `id: "{issue}"`,
		"attachmentIssue":      `id: "{issue}"`,
		"attachmentsForURL":    `url: "http://x/"`,
		"document":             `id: "{project}"`,
		"initiative":           `id: "{project}"`,
		"initiativeToProject":  `id: "{project}"`,
		"issueRelation":        `id: "{issue}"`,
		"projectMilestone":     `id: "{project}"`,
		"teamMembership":       `id: "{team}"`,
	}
	for field, a := range args {
		for kind, id := range own {
			a = strings.ReplaceAll(a, "{"+kind+"}", id)
		}
		args[field] = a
	}
	return args
}

// harmless are fields that answer another organization about itself.
var harmless = map[string]bool{"organization": true, "viewer": true, "userSettings": true, "organizationUpdate": true, "issuePriorityValues": true, "rateLimitStatus": true,
	"archivedTeams": true, "issueVcsBranchSearch": true, "searchIssues": true}

// TestOrganizationsNeverSeeEachOther asks for everything of one organization
// as another, through every field of the roots.
func TestOrganizationsNeverSeeEachOther(t *testing.T) {
	both(t, 0, func(d *desk) {
		own := d.possessions()
		const otherKey = "trk_api_other"
		if err := d.t.Provision(context.Background(), tracker.Provision{Key: otherKey, Organization: tracker.CreateOrganization{
			Name: "Rival", URLKey: "rival", Account: auth.Account{Email: "bob@rival.test", Name: "Bob"}}}); err != nil {
			d.Fatal(err)
		}
		before := d.everything()
		schema := loadSchema(t)
		args := trespasses(own)
		for kind, root := range map[string]*ast.Definition{"query": schema.Query, "mutation": schema.Mutation} {
			for _, f := range root.Fields {
				if !strings.HasPrefix(f.Name, "__") {
					d.trespass(kind, f, schema, own, args, otherKey)
				}
			}
		}
		if after := d.everything(); after != before {
			d.Errorf("another organization changed\n%s\ninto\n%s", before, after)
		}
	})
}

func (d *desk) trespass(kind string, f *ast.FieldDefinition, schema *ast.Schema, own, args map[string]string, key string) {
	d.Helper()
	list := f.Arguments.ForName("includeArchived") != nil
	given := args[f.Name]
	switch id := own[kindOf(f.Name, own)]; {
	case given != "" || len(f.Arguments) == 0:
	case list:
		given = "first: 250, includeArchived: true"
	case f.Arguments.ForName("id") != nil && id != "":
		given = fmt.Sprintf("id: %q", id)
	default:
		d.Fatalf("%s: there are no arguments for this field", f.Name)
	}
	if given != "" {
		given = "(" + given + ")"
	}
	selected := "{ __typename }"
	def := schema.Types[f.Type.Name()]
	if def.Fields.ForName("nodes") != nil {
		selected = "{ nodes { id } }"
	} else if def.Fields.ForName("id") != nil {
		selected = "{ id }"
	}
	body, _ := json.Marshal(map[string]any{"query": kind + " { it: " + f.Name + given + " " + selected + " }"})
	w := d.postAs(key, body)
	var reply struct {
		Data   map[string]any
		Errors []struct {
			Message    string
			Extensions map[string]any
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil {
		d.Fatalf("%s: %s", f.Name, w.Body)
	}
	for _, e := range reply.Errors {
		if e.Extensions["type"] != "invalid input" {
			d.Errorf("%s: refused with %v: %s", f.Name, e.Extensions["type"], e.Message)
		}
	}
	data, _ := json.Marshal(reply.Data)
	for kind, id := range own {
		if bytes.Contains(data, []byte(id)) {
			d.Errorf("%s shows a %s of another organization: %s", f.Name, kind, data)
		}
	}
	if refused := len(reply.Errors) > 0; refused == (list || harmless[f.Name]) {
		d.Errorf("%s: %s", f.Name, w.Body)
	}
}

// kindOf is the longest kind that a field's name begins with.
func kindOf(field string, own map[string]string) (kind string) {
	for k := range own {
		if strings.HasPrefix(field, k) && len(k) > len(kind) {
			kind = k
		}
	}
	return kind
}

// everything is what the desk's organization holds, as JSON.
func (d *desk) everything() string {
	d.Helper()
	raw, err := json.Marshal(d.ask(`{ organization { name } users { nodes { name updatedAt } } teams { nodes { name updatedAt } } workflowStates(first: 100) { nodes { name updatedAt } }
		issues(includeArchived: true) { nodes { identifier title updatedAt archivedAt labels { nodes { id } } subscribers { nodes { id } } } } comments { nodes { body updatedAt } }
		projects(includeArchived: true) { nodes { name updatedAt } } cycles(includeArchived: true) { nodes { name updatedAt } } issueLabels(includeArchived: true) { nodes { name updatedAt } }
		webhooks { nodes { label updatedAt secret } } }`, nil))
	if err != nil {
		d.Fatal(err)
	}
	return string(raw)
}
