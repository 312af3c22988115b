package graph

import (
	"fmt"
	"testing"
)

// TestPriorityOrder checks the upstream's order: no priority is the lowest, unless it
// is declared the highest.
func TestPriorityOrder(t *testing.T) {
	both(t, 0, func(d *desk) {
		for _, p := range []int{0, 3, 1, 4, 2} {
			d.ask(`mutation ($i: IssueCreateInput!) { issueCreate(input: $i) { success } }`, map[string]any{"i": map[string]any{"teamId": d.team, "title": "x", "priority": p}})
			d.ask(`mutation ($i: ProjectCreateInput!) { projectCreate(input: $i) { success } }`, map[string]any{"i": map[string]any{"teamIds": []string{d.team}, "name": fmt.Sprint("P", p), "priority": p}})
		}
		for sort, want := range map[string]string{
			"{order: Ascending}": "[0 4 3 2 1]", "{order: Descending}": "[1 2 3 4 0]", "{order: Descending, nulls: last}": "[1 2 3 4 0]",
			"{order: Ascending, noPriorityFirst: true}": "[4 3 2 1 0]", "{order: Descending, noPriorityFirst: true}": "[0 1 2 3 4]",
		} {
			for _, list := range []string{"issues", "projects"} {
				nodes := d.ask(fmt.Sprintf(`{ %s(sort: [{priority: %s}]) { nodes { priority } } }`, list, sort), nil)[list].(map[string]any)["nodes"].([]any)
				var got []any
				for _, n := range nodes {
					got = append(got, n.(map[string]any)["priority"])
				}
				if fmt.Sprint(got) != want {
					d.Errorf("%s by %s: %v", list, sort, got)
				}
			}
		}
	})
}

// TestStateOrder checks the upstream's order of states: started work first.
func TestStateOrder(t *testing.T) {
	both(t, 0, func(d *desk) {
		states := d.ask(`query ($id: String!) { team(id: $id) { states { nodes { id } } } }`, map[string]any{"id": d.team})
		for _, s := range states["team"].(map[string]any)["states"].(map[string]any)["nodes"].([]any) {
			d.ask(`mutation ($i: IssueCreateInput!) { issueCreate(input: $i) { success } }`, map[string]any{"i": map[string]any{"teamId": d.team, "title": "x", "stateId": s.(map[string]any)["id"]}})
		}
		nodes := d.ask(`{ issues(sort: [{workflowState: {order: Ascending}}]) { nodes { state { name } } } }`, nil)["issues"].(map[string]any)["nodes"].([]any)
		var got []any
		for _, n := range nodes {
			got = append(got, n.(map[string]any)["state"].(map[string]any)["name"])
		}
		if fmt.Sprint(got) != "[In Progress In Review Todo Backlog Done Canceled]" {
			d.Error(got)
		}
	})
}
