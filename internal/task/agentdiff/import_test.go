package agentdiff_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/yamldoc"
	"understudy/internal/task"
	"understudy/internal/task/agentdiff"
)

const office = `{
 "teams": [{"team_id": "T1", "team_name": "Office"}],
 "users": [{"user_id": "U_ROB", "username": "Rob", "real_name": "Rob Ott", "email": "rob@x.example"},
           {"user_id": "U0000000AA", "username": "ann", "real_name": "Ann", "email": "ann@x.example"}],
 "channels": [{"channel_id": "C0000000GE", "channel_name": "general"}, {"channel_id": "C_OPS", "channel_name": "ops", "topic_text": "Ask <@U_ROB>"},
              {"channel_id": "D1", "channel_name": "dm", "is_dm": true}],
 "channel_members": [{"channel_id": "C_OPS", "user_id": "U_ROB"}, {"channel_id": "D1", "user_id": "U_ROB"}, {"channel_id": "D1", "user_id": "U0000000AA"}],
 "messages": [{"message_id": "1700000000.000100", "channel_id": "C_OPS", "user_id": "U_ROB", "message_text": "Hello <@U_ROB>"},
              {"message_id": "1700000001.000100", "channel_id": "C_OPS", "user_id": "U0000000AA", "message_text": "Hi", "parent_id": "1700000000.000100"}],
 "message_reactions": [{"message_id": "1700000000.000100", "user_id": "U0000000AA", "reaction_type": "eyes"}],
 "huddles": [{"id": 1}]
}`

const plant = `{
 "users": [{"id": "u-kim", "email": "kim@x.example", "name": "Kim", "displayName": "kim", "active": false}],
 "teams": [{"id": "t-ops", "name": "Operations", "key": "OPS"}],
 "team_memberships": [{"userId": "u-kim", "teamId": "t-ops"}],
 "workflow_states": [{"id": "4379b3d7-1143-4aa4-a3a6-da0c436e73b6", "teamId": "t-ops", "name": "On Hold", "type": "started", "position": 2.5}],
 "issue_labels": [{"id": "l-hot", "name": "Hot"}],
 "issue_label_issue_association": [{"issue_id": "i-two", "issue_label_id": "l-hot"}],
 "issues": [{"id": "i-two", "identifier": "OPS-2", "number": 2.0, "title": "Child", "teamId": "t-ops", "stateId": "4379b3d7-1143-4aa4-a3a6-da0c436e73b6", "parentId": "i-one", "creatorId": "u-kim"},
            {"id": "i-one", "identifier": "OPS-1", "number": 1.0, "title": "Parent", "priority": 2.0, "teamId": "t-ops", "stateId": "4379b3d7-1143-4aa4-a3a6-da0c436e73b6", "assigneeId": "u-kim", "creatorId": "u-kim",
             "createdAt": "2025-01-01T00:00:00", "startedAt": "2025-01-02T00:00:00"}],
 "comments": [{"id": "c-one", "issueId": "i-one", "userId": "u-kim", "body": "Seen"}]
}`

// read imports a test with assertions.
func read(t *testing.T, service, assertions string) *agentdiff.Import {
	t.Helper()
	agent := map[string]string{"slack": "U_ROB", "linear": "u-kim"}[service]
	suite := fmt.Sprintf("\ufeff"+`{"id": "own", "service": %q, "ignore_fields": {"global": ["created_at", "createdAt", "updatedAt"]}, "tests": [
		{"id": "one", "name": "One", "prompt": "Do it for U_ROB", "seed_template": "place", "impersonate_user_id": %q, "metadata": {"horizon": 2.0}, "assertions": [%s]}]}`,
		service, agent, assertions)
	out, err := agentdiff.Read([]byte(suite), func(s, name string) ([]byte, error) {
		if s != service || name != "place" {
			return nil, errors.New("no such template")
		}
		return []byte(map[string]string{"slack": office, "linear": plant}[s]), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// file returns a file as JSON; a task is one that the reader of tasks accepts.
func file(t *testing.T, in *agentdiff.Import, name string) string {
	t.Helper()
	for _, f := range in.Files {
		if f.Name != name {
			continue
		}
		n, err := yamldoc.Parse(f.Text)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, f.Text)
		}
		if n.Member("task") != nil {
			if _, err := task.Read(name, n); err != nil {
				t.Fatalf("%v\n%s", err, f.Text)
			}
			if x := n.Member("expect"); x != nil && len(x.Items) > 0 && x.Items[0].Kind != seeddoc.Map {
				t.Fatal(string(f.Text))
			}
		}
		return string(n.JSON())
	}
	t.Fatalf("there is no %s: %v", name, in.Problems)
	return ""
}

// Assertions become expectations with the same meaning.
func TestAssertions(t *testing.T) {
	for _, row := range []struct{ service, assertion, want string }{
		{"slack", `{"diff_type": "added", "entity": "messages", "where": {"channel_id": "C_OPS", "message_text": {"i_contains": "Hi <@U_ROB>"}}, "expected_count": 1}`,
			`{"inserted":"messaging.message","where":{"channel":"COPS00000","text":{"contains":"Hi <@UROB00000>","ignoring":["case"]}},"shared":true}`},
		{"slack", `{"diff_type": "added", "entity": "messages", "where": {"channel_id": {"eq": "C0000000GE"}, "parent_id": "1700000000.000100", "message_text": "$5"}, "expected_count": {"min": 2, "max": 3}}`,
			`{"inserted":"messaging.message","where":{"channel":"$made.messaging.channels.general.id","text":"$$5","thread_ts":"1700000000.000100"},"shared":true,"count":{"at_least":2,"at_most":3}}`},
		{"slack", `{"diff_type": "added", "entity": "messages", "where": {"blocks": {"i_contains": "U_ROB\",\"type\":\"user"}}, "expected_count": 1}`,
			`{"inserted":"messaging.message","where":{"blocks":{"json":{"contains":"UROB00000\",\"type\":\"user","ignoring":["case"]}}},"shared":true}`},
		{"slack", `{"diff_type": "removed", "entity": "message_reactions", "where": {"reaction_type": "thumbsup", "user_id": {"in": ["U_ROB", "U0000000AA"]}}}`,
			`{"deleted":"messaging.reaction","where":{"name":"+1","user":{"any_of":["UROB00000","U0000000AA"]}},"shared":true,"count":{"at_least":1}}`},
		{"slack", `{"diff_type": "changed", "entity": "channels", "where": {"channel_id": "C_OPS"}, "expected_changes": {"topic_text": {"from": {"exists": true}, "to": {"regex": "(?i)open"}}}, "expected_count": 1}`,
			`{"updated":"messaging.channel","where":{"id":"COPS00000"},"change":{"topic.value":{"from":{"present":true},"to":{"matches":"(?i)open"}}},"only":true,"shared":true}`},
		{"slack", `{"diff_type": "changed", "entity": "messages", "where": {"message_id": "1700000000.000100"}, "expected_changes": {"message_text": "Bye"}, "ignore": ["blocks"], "expected_count": 1}`,
			`{"updated":"messaging.message","where":{"ts":"1700000000.000100"},"change":{"blocks":null,"text":{"to":"Bye"}},"only":true,"shared":true}`},
		{"linear", `{"diff_type": "changed", "entity": "issues", "where": {"id": "i-one"}, "expected_changes": {"priority": {"to": 1.0}, "priorityLabel": {"to": "Urgent"}, "teamId": {"to": {"ne": "t-ops"}}}, "expected_count": 1, "ignore": ["updatedAt"]}`,
			`{"updated":"tracker.issue","where":{"id":"ID(i-one)"},"change":{"priority":{"to":1},"stateId":null,"teamId":{"to":{"not":"ID(t-ops)"}}},"only":true,"shared":true}`},
		{"linear", `{"diff_type": "changed", "entity": "comments", "where": {"id": "c-one"}, "expected_changes": {"archivedAt": {"from": {"exists": false}, "to": {"exists": true}}}}`,
			`{"deleted":"tracker.comment","where":{"id":"ID(c-one)"},"shared":true,"count":{"at_least":1}}`},
		{"linear", `{"diff_type": "removed", "entity": "issue_label_issue_association", "where": {"issue_id": "i-two", "issue_label_id": {"eq": "l-hot"}}}`,
			`{"state":"tracker.issue","where":{"id":"ID(i-two)","labelIds":{"includes":"ID(l-hot)"}},"count":0}`},
		{"linear", `{"diff_type": "added", "entity": "issue_label_issue_association", "where": {"issue_id": {"eq": "i-one"}}, "expected_count": 1}`,
			`{"state":"tracker.issue","where":{"id":"ID(i-one)","labelIds":{"length":1}}}`},
		{"linear", `{"diff_type": "removed", "entity": "issue_label_issue_association", "where": {"issue_id": "i-two", "issue_label_id": "l-hot"}},
			{"diff_type": "added", "entity": "issue_label_issue_association", "where": {"issue_id": "i-two"}}`,
			`{"state":"tracker.issue","where":{"id":"ID(i-two)","labelIds":{"includes":"ID(l-hot)"}},"count":0},{"state":"tracker.issue","where":{"id":"ID(i-two)","labelIds":{"length":{"at_least":1}}}}`},
		{"linear", `{"diff_type": "added", "entity": "issues", "where": {"stateId": "4379b3d7-1143-4aa4-a3a6-da0c436e73b6", "labelIds": {"has_any": ["l-hot"]}, "dueDate": {"gte": "2025-01-01", "lt": "2026-01-01"}, "parentId": null}, "expected_count": 0}`,
			`{"inserted":"tracker.issue","where":{"dueDate":{"at_least":"2025-01-01","below":"2026-01-01"},"labelIds":{"includes":{"any_of":["ID(l-hot)"]}},"parentId":{"present":false},"stateId":"4379b3d7-1143-4aa4-a3a6-da0c436e73b6"},"shared":true,"count":0}`},
	} {
		in := read(t, row.service, row.assertion)
		got := file(t, in, "own.one.yaml")
		seeded := file(t, in, "place.yaml")
		for _, id := range []string{"i-one", "i-two", "t-ops", "c-one", "l-hot"} {
			row.want = strings.ReplaceAll(row.want, "ID("+id+")", idAfter(seeded, id))
		}
		if !strings.Contains(got, `"expect":[`+row.want+`]`) {
			t.Errorf("%s\nbecomes %s\nwant    %s", row.assertion, got, row.want)
		}
		if passes := strings.Contains(got, `"idle":"passes"`); passes != strings.HasSuffix(row.assertion, `"expected_count": 0}`) {
			t.Errorf("%s: idle passes is %v", row.assertion, passes)
		}
	}
}

// idAfter returns the id that a thing of the template has in a seed document.
func idAfter(document, id string) string {
	marks := map[string]string{"i-one": `"OPS-1":{"id":"`, "i-two": `"OPS-2":{"id":"`, "t-ops": `"OPS":{"id":"`, "c-one": `"comments":[{"id":"`, "l-hot": `"Hot":{"id":"`}
	_, after, _ := strings.Cut(document, marks[id])
	return after[:min(36, len(after))]
}

func TestUnchangedIsThreeExpectations(t *testing.T) {
	got := file(t, read(t, "slack", `{"diff_type": "unchanged", "entity": "channels"}`), "own.one.yaml")
	for _, act := range []string{"inserted", "updated", "deleted"} {
		if !strings.Contains(got, `{"`+act+`":"messaging.channel","shared":true,"count":0}`) {
			t.Errorf("%s is allowed: %s", act, got)
		}
	}
}

// The seed template becomes a document with its ids, and the agent one of its people.
func TestTemplates(t *testing.T) {
	in := read(t, "slack", `{"diff_type": "added", "entity": "messages", "where": {}}`)
	got := file(t, in, "own.one.yaml")
	for _, want := range []string{`"as":"messaging/rob"`, `"world":{"document":"place.yaml"}`, `"instruction":"Do it for UROB00000"`, `"none_of":["channel_join"`,
		`"metadata":{"horizon":2,"name":"One"}`} {
		if !strings.Contains(got, want) {
			t.Errorf("the task has not %s: %s", want, got)
		}
	}
	got = file(t, in, "place.yaml")
	for _, want := range []string{`"rob":{"id":"UROB00000","email":"rob@x.example","handle":"rob","name":"Rob Ott","admin":true}`, `"ann":{"id":"U0000000AA"`, `"ops":{"id":"COPS00000","creator":"rob","topic":"Ask <@UROB00000>"`, `"members":["rob"],"left":["ann"]}`,
		`"dm":{"kind":"direct","members":["rob","ann"]}`, `"parent":"1700000000.000100"`, `"reactions":{"eyes":["ann"]}`} {
		if !strings.Contains(got, want) {
			t.Errorf("the document has not %s: %s", want, got)
		}
	}
	if len(in.Notes) != 1 || !strings.Contains(in.Notes[0], "1 rows of huddles") {
		t.Error(in.Notes)
	}
	got = file(t, read(t, "linear", `{"diff_type": "added", "entity": "issues"}`), "place.yaml")
	parent, child := strings.Index(got, `"OPS-1":`), strings.Index(got, `"OPS-2":`)
	for _, want := range []string{`"On-Hold":{"id":"4379b3d7-1143-4aa4-a3a6-da0c436e73b6","name":"On Hold","type":"started","position":2.5}`,
		`"labels":["Hot"]`, `"started":"2025-01-02T00:00:00Z"`, `"assignee":"kim@x.example"`, `"inactive":true`} {
		if !strings.Contains(got, want) || parent < 0 || parent > child {
			t.Errorf("the document has not %s: %s", want, got)
		}
	}
}

// What cannot be said is refused by name, all of it at once.
func TestRefusals(t *testing.T) {
	for _, row := range []struct{ service, assertion, want string }{
		{"slack", `{"diff_type": "added", "entity": "huddles"}`, "one, assertions[0]: there is nothing like the entity huddles"},
		{"slack", `{"diff_type": "added", "entity": "messages", "where": {"mood": 1, "blocks": {"starts_with": "x"}}}`, "assertions[0].where.blocks: starts_with compares a list or an object with a text"},
		{"slack", `{"diff_type": "added", "entity": "messages", "where": {"mood": 1, "blocks": {"starts_with": "x"}}}`, "assertions[0].where.mood: there is nothing like"},
		{"slack", `{"diff_type": "added", "entity": "messages", "where": {"message_text": {"sounds_like": "x"}}}`, "no matcher for the operator sounds_like"},
		{"slack", `{"diff_type": "added", "entity": "messages", "where": {"message_text": {"regex": "(?=x)"}}}`, "not in RE2 syntax"},
		{"slack", `{"diff_type": "added", "entity": "messages", "where": {"message_text": {"contains": "x", "i_starts_with": "y"}}}`, "ignores the case"},
		{"slack", `{"diff_type": "added", "entity": "messages", "where": {"user_id": "U0NOBODY"}}`, "has nothing with the id U0NOBODY"},
		{"slack", `{"diff_type": "moved", "entity": "messages"}`, `diff_type is "moved"`},
		{"slack", `{"diff_type": "changed", "entity": "messages"}`, "no field may change"},
		{"slack", `{"diff_type": "changed", "entity": "messages", "expected_changes": {"message_text": {"to": "x"}}, "ignore": ["type"]}`, "type may change beside"},
		{"linear", `{"diff_type": "changed", "entity": "issues", "where": {"title": "a"}, "expected_changes": {"title": {"to": "b"}}}`, "only matches the new one"},
		{"linear", `{"diff_type": "added", "entity": "issue_label_issue_association", "where": {}}`, "labels are a field of issues here: the issue has to be named"},
		{"linear", `{"diff_type": "added", "entity": "issue_label_issue_association", "where": {"issue_id": "i-two"}}`, "unless all labels of the issue are removed"},
		{"linear", `{"diff_type": "added", "entity": "issues", "expected_count": "many"}`, "expected_count must be a number"},
	} {
		in := read(t, row.service, row.assertion)
		if in.Tasks != 0 || in.Refused != 1 || !strings.Contains(fmt.Sprint(in.Problems), row.want) {
			t.Errorf("%s: %v, want %s", row.assertion, in.Problems, row.want)
		}
	}
	for _, suite := range []string{``, `[]`, `{}`, `{"service": "box", "tests": [{}]}`, `{"service": "slack", "tests": []}`} {
		if _, err := agentdiff.Read([]byte(suite), nil); err == nil {
			t.Errorf("%s is a suite", suite)
		}
	}
}
