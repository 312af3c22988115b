package graph

import (
	"fmt"
	"strings"
	"testing"

	"understudy/internal/platform/opt"
	"understudy/internal/tracker"
)

// TestWording compares the texts that programs recognize an error by with those of
// the upstream.
func TestWording(t *testing.T) {
	both(t, 1, func(d *desk) {
		other, err := d.t.CreateTeam(d.Context(), d.p, tracker.CreateTeam{Name: opt.Some("Design"), Key: opt.Some("DES")})
		if err != nil {
			d.Fatal(err)
		}
		label := func(in tracker.WriteLabel) string {
			c, err := d.t.CreateLabel(d.Context(), d.p, in)
			if err != nil {
				d.Fatal(err)
			}
			return c.EntityID
		}
		label(tracker.WriteLabel{Name: opt.Some("Bug")})
		label(tracker.WriteLabel{Name: opt.Some("Slow"), Team: opt.Some(d.team)})
		foreign := label(tracker.WriteLabel{Name: opt.Some("Logo"), Team: opt.Some(other.EntityID)})
		group := label(tracker.WriteLabel{Name: opt.Some("Kind"), IsGroup: opt.Some(true)})
		one := label(tracker.WriteLabel{Name: opt.Some("Chore"), Parent: opt.Some(group)})
		two := label(tracker.WriteLabel{Name: opt.Some("Task"), Parent: opt.Some(group)})
		states := d.ask(`query ($id: String!) { team(id: $id) { states(first: 1) { nodes { id } } } }`, map[string]any{"id": other.EntityID})
		state := states["team"].(map[string]any)["states"].(map[string]any)["nodes"].([]any)[0].(map[string]any)["id"].(string)
		project := d.ask(`mutation ($t: [String!]!) { projectCreate(input: {name: "Brand", teamIds: $t}) { project { id } } }`, map[string]any{"t": []string{other.EntityID}})
		brand := project["projectCreate"].(map[string]any)["project"].(map[string]any)["id"].(string)
		issue := func(input string) string {
			return fmt.Sprintf(`mutation { issueCreate(input: {teamId: %q, title: "x", %s}) { success } }`, d.team, input)
		}
		const discrepancy = "Discrepancy between issue team and state, cycle or project."
		for _, x := range []struct{ query, message, presentable, code string }{
			{`mutation { issueLabelCreate(input: {name: "bug"}) { success } }`,
				"duplicate label name", `Label "Bug" already exists in the workspace.`, "INPUT_ERROR"},
			{fmt.Sprintf(`mutation { issueLabelCreate(input: {name: "slow", teamId: %q}) { success } }`, d.team),
				"duplicate label name", `Label "Slow" already exists in team Engineering.`, "INPUT_ERROR"},
			{`mutation { issueLabelCreate(input: {name: "Slow"}) { success } }`,
				"duplicate label name", `Label "Slow" already exists in team Engineering.`, "INPUT_ERROR"},
			{issue(fmt.Sprintf(`labelIds: [%q]`, group)),
				"labelIds contain parent labels", "The label 'Kind' is a group and cannot be assigned to issues directly.", "INPUT_ERROR"},
			{issue(fmt.Sprintf(`labelIds: [%q, %q]`, one, two)), "labelIds not exclusive child labels",
				"The label 'Task' is in the same group as 'Chore'. Only one label in a group can be applied to an issue.", "INPUT_ERROR"},
			{issue(fmt.Sprintf(`labelIds: [%q]`, foreign)),
				"labelIds for incorrect team", "The label 'Logo' is not associated with the same team as the issue.", "INPUT_ERROR"},
			{issue(fmt.Sprintf(`stateId: %q`, state)), discrepancy, discrepancy, "INPUT_ERROR"},
			{issue(fmt.Sprintf(`projectId: %q`, brand)), discrepancy, discrepancy, "INPUT_ERROR"},
			{issue(`labelIds: ["bug"]`), "Argument Validation Error", "each value in labelIds must be a UUID.", "INVALID_INPUT"},
			{fmt.Sprintf(`mutation { projectCreate(input: {name: %q, teamIds: [%q]}) { success } }`, strings.Repeat("x", 81), d.team),
				"Argument Validation Error", "name must be shorter than or equal to 80 characters", "INVALID_INPUT"},
			{issue(`stateId: "done"`), "Argument Validation Error", "stateId must be a UUID.", "INVALID_INPUT"},
		} {
			e := d.refuse(x.query).Errors[0]
			if e.Message != x.message || e.Extensions["userPresentableMessage"] != x.presentable || e.Extensions["code"] != x.code || e.Extensions["type"] != "invalid input" {
				d.Errorf("%s: %q %v", x.query, e.Message, e.Extensions)
			}
		}
	})
}

// TestConstraints checks the names of the rules that a value breaks.
func TestConstraints(t *testing.T) {
	both(t, 1, func(d *desk) {
		for query, want := range map[string]string{
			`{ issues(first: 251) { nodes { id } } }`: "max", `{ issues(last: 0) { nodes { id } } }`: "min",
			`mutation { teamCreate(input: {name: ""}) { success } }`: "isNotEmpty", `{ teams(filter: {id: {eq: "x"}}) { nodes { id } } }`: "isUuid",
			`mutation { teamCreate(input: {name: "x", key: "a-b"}) { success } }`: "isValid",
		} {
			e := d.refuse(query).Errors[0]
			found := e.Extensions["validationErrors"].([]any)[0].(map[string]any)["constraints"].(map[string]any)
			if found[want] != e.Extensions["userPresentableMessage"] {
				d.Errorf("%s: %v", query, found)
			}
		}
	})
}
