package app_test

import (
	"fmt"
	"testing"

	"understudy/internal/app/apptest"
)

// The settings of teams take effect when the admin plane moves the clock of an
// environment: cycles end, issues are closed and archived by age, and snoozing ends.
func TestTheClockMovesTheSettingsOfTeams(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		w := p.At("2026-03-01T12:00:00Z") // a Sunday
		team := apptest.Get(w.GraphQL(`mutation($i:TeamCreateInput!){teamCreate(input:$i){team{id}}}`, map[string]any{"i": map[string]any{"name": "Core", "key": "COR", "cyclesEnabled": true,
			"cycleDuration": 1, "upcomingCycleCount": 2, "autoArchivePeriod": 1, "autoClosePeriod": 2}}), "teamCreate", "team", "id")
		state := func(kind string) any {
			return apptest.Get(w.GraphQL(`query($f:WorkflowStateFilter){workflowStates(filter:$f){nodes{id}}}`, map[string]any{"f": map[string]any{"type": map[string]any{"eq": kind},
				"team": map[string]any{"id": map[string]any{"eq": team}}}}), "workflowStates", "nodes", 0, "id")
		}
		issue := func(title string, more map[string]any) any {
			in := map[string]any{"teamId": team, "title": title}
			for name, v := range more {
				in[name] = v
			}
			return apptest.Get(w.GraphQL(`mutation($i:IssueCreateInput!){issueCreate(input:$i){issue{id}}}`, map[string]any{"i": in}), "issueCreate", "issue", "id")
		}
		show := func(id any, fields string) string {
			return fmt.Sprint(apptest.Get(w.GraphQL(`query($id:String!){issue(id:$id){`+fields+`}}`, map[string]any{"id": id}), "issue"))
		}
		cycles := func() string {
			return fmt.Sprint(apptest.Get(w.GraphQL(`query($id:String!){team(id:$id){activeCycle{number} cycles{nodes{number completedAt}}}}`, map[string]any{"id": team}), "team", "activeCycle", "number"))
		}
		is := func(what, got, want string) {
			t.Helper()
			if got != want {
				t.Errorf("%s: %s, want %s", what, got, want)
			}
		}

		is("at first", cycles(), "1")
		active := apptest.Get(w.GraphQL(`query($id:String!){team(id:$id){activeCycle{id}}}`, map[string]any{"id": team}), "team", "activeCycle", "id")
		carried := issue("Carried over", map[string]any{"cycleId": active})
		forgotten := issue("Forgotten", map[string]any{"stateId": state("unstarted")})
		finished := issue("Finished", map[string]any{"stateId": state("completed")})
		snoozed := issue("Snoozed", nil)
		w.GraphQL(`mutation($id:String!,$i:IssueUpdateInput!){issueUpdate(id:$id,input:$i){success}}`,
			map[string]any{"id": snoozed, "i": map[string]any{"snoozedUntilAt": "2026-03-03T00:00:00.000Z"}})

		w.Advance("24h") // Monday
		is("the next cycle", cycles(), "2")
		is("what was open", show(carried, "cycle{number}"), "map[cycle:map[number:2]]")
		is("before its time", show(snoozed, "snoozedUntilAt"), "map[snoozedUntilAt:2026-03-03T00:00:00.000Z]")
		w.Freeze("2026-03-03T00:00:00Z")
		is("awake", show(snoozed, "snoozedUntilAt updatedAt"), "map[snoozedUntilAt:<nil> updatedAt:2026-03-03T00:00:00.000Z]")

		w.Freeze("2026-04-01T12:00:00Z")
		is("archived after a month", show(finished, "archivedAt autoArchivedAt"), "map[archivedAt:2026-03-31T12:00:00.000Z autoArchivedAt:2026-03-31T12:00:00.000Z]")
		is("not closed after one", show(forgotten, "autoClosedAt"), "map[autoClosedAt:<nil>]")
		w.Freeze("2026-05-01T00:00:00Z")
		is("closed after two", show(forgotten, "autoClosedAt state{type}"), "map[autoClosedAt:2026-04-30T12:00:00.000Z state:map[type:canceled]]")
		is("held by its cycle", show(carried, "autoClosedAt"), "map[autoClosedAt:<nil>]")

		w.Freeze("2026-03-04T00:00:00Z") // the clock goes back: nothing is undone
		is("still closed", show(forgotten, "autoClosedAt"), "map[autoClosedAt:2026-04-30T12:00:00.000Z]")
		p.Call("POST", "/"+w.ID+"/clock", map[string]any{"freeze": "2031-01-01T00:00:00Z"}, 200)
		is("after years", show(forgotten, "title"), "map[title:Forgotten]")
	})
}
