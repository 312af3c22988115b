package graph

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
	"understudy/internal/tracker"
	"understudy/internal/tracker/graph/engine"
)

// both runs a test on each database.
func both(t *testing.T, limits float64, test func(d *desk)) {
	t.Helper()
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) { test(newDesk(t, w, ratelimit.Setting(limits))) })
}

func TestRelationsLoadInBatches(t *testing.T) {
	const query = `{ issues(first: %d) { nodes { title url team { name } state { name type } assignee { name organization { name } } creator { email }
		labels { nodes { name } } comments(first: 3) { nodes { body user { name } } } children { nodes { id } } project { name } } } }`
	both(t, 0, func(d *desk) {
		d.fill(120)
		statements := map[string]int{}
		for _, size := range []string{"2", "50", "100"} {
			prepared, rejection := shared().Prepare(engine.Request{Query: strings.Replace(query, "%d", size, 1)})
			if rejection != nil {
				d.Fatal(rejection)
			}
			d.t = tracker.New(d.world, d.t.Deps) // nothing is remembered
			err := d.t.Read(d.Context(), d.p, func(v *tracker.View) error {
				result := prepared.Execute(d.Context(), &session{t: d.t, p: d.p, view: v}, nil)
				if len(result.Errors) > 0 {
					d.Fatal(result.Errors[0])
				}
				statements[size] = v.Statements()
				return nil
			})
			if err != nil {
				d.Fatal(err)
			}
		}
		if statements["2"] != statements["50"] || statements["50"] != statements["100"] || statements["50"] > 25 {
			d.Errorf("statements by page size: %v", statements)
		}
	})
}

// TestEveryReasonHasAForm walks over all that the service may refuse with.
func TestEveryReasonHasAForm(t *testing.T) {
	for _, f := range []*fault.Error{tracker.NotFound, tracker.BadArgument, tracker.BadInput, tracker.Taken, tracker.NameTaken, tracker.Forbidden,
		tracker.NoOrganization, auth.Missing, auth.Invalid, auth.Revoked, auth.Expired, httpkit.BadJSON, httpkit.TooLarge, httpkit.Aborted,
		store.Unavailable, TooComplex, RateLimited, badMethod, badType, badBody} {
		form, why := formOf(f)
		if why == nil {
			t.Errorf("%s is answered as an internal error", f.Reason)
		}
		if _, extensions := describe(form, why); extensions["type"] == "" || extensions["userPresentableMessage"] == "" {
			t.Errorf("%s: %v", f.Reason, extensions)
		}
	}
}

// sent is the wire form of one reply.
type sent struct {
	status int
	Errors []struct {
		Message    string
		Extensions map[string]any
	}
}

func (d *desk) refuse(query string) sent {
	d.Helper()
	body, _ := json.Marshal(map[string]any{"query": query})
	w := d.post(body)
	var s sent
	if err := json.Unmarshal(w.Body.Bytes(), &s); err != nil || len(s.Errors) == 0 {
		d.Fatalf("%s: %d %s", query, w.Code, w.Body)
	}
	s.status = w.Code
	return s
}

func TestRefusals(t *testing.T) {
	both(t, 1, func(d *desk) {
		const nobody = "5c1f1b3a-9d1c-4e6b-8f2a-1234567890ab"
		for _, x := range []struct {
			query, message, kind, code string
			status                     int
		}{
			{`{ issue(id: "` + nobody + `") { id } }`, "Entity not found: Issue", "invalid input", "INPUT_ERROR", 200},
			{`{ issues(first: 251) { nodes { id } } }`, "Argument Validation Error", "invalid input", "INVALID_INPUT", 400},
			{`{ nonsense }`, `Cannot query field "nonsense" on type "Query".`, "graphql error", "GRAPHQL_VALIDATION_FAILED", 400},
			{`{`, "Syntax Error: Expected Name, found <EOF>.", "graphql error", "GRAPHQL_PARSE_FAILED", 400},
			{`query ($id: String!) { issue(id: $id) { id } }`, "", "graphql error", "BAD_USER_INPUT", 400},
			{`mutation { teamCreate(input: {name: "a\u0000b"}) { success } }`, "", "graphql error", "GRAPHQL_VALIDATION_FAILED", 400},
			{`{ issues(first: 250) { nodes { comments(first: 250) { nodes { body } } } } }`, "Query too complex", "invalid input", "INPUT_ERROR", 400},
			{`mutation { issueCreate(input: {teamId: "` + d.team + `", title: "x", labelIds: ["` + nobody + `"]}) { success } }`,
				"Entity not found: IssueLabel: labelIds contained an entry that could not be found.", "invalid input", "INPUT_ERROR", 200},
			{`mutation { teamCreate(input: {name: "x", key: "ENG"}) { success } }`, "The team key ENG is already in use.", "user error", "USER_ERROR", 200},
		} {
			s := d.refuse(x.query)
			e := s.Errors[0]
			if s.status != x.status || e.Extensions["type"] != x.kind || e.Extensions["code"] != x.code || x.message != "" && e.Message != x.message {
				d.Errorf("%s: %d %+v", x.query, s.status, e)
			}
		}
	})
}

// A page size that execution would refuse must not lower the cost of other
// parts of a document: below a connection without nodes it is never executed.
func TestNegativePagesCostNoLess(t *testing.T) {
	both(t, 1, func(d *desk) {
		const large = `b: issues(first: 250) { nodes { comments(first: 250) { nodes { body } } } }`
		for _, credit := range []string{"a: issues(first: -2000000000) { nodes { id } }", "a: issues(last: -2000000000) { nodes { id } }",
			"a: cycles(first: 1) { nodes { issues(first: -2000000000) { nodes { title } } } }",
			`a: cycles(first: 1) { nodes { issues(before: "x", last: -2000000000) { nodes { title } } } }`} {
			if s := d.refuse("{ " + credit + " " + large + " }"); s.Errors[0].Message != "Query too complex" {
				d.Errorf("%s: %+v", credit, s.Errors[0])
			}
		}
		if s := d.refuse(`{ issues(first: 2000000000) { nodes { id } } }`); s.Errors[0].Message != "Argument Validation Error" {
			d.Errorf("%+v", s.Errors[0])
		}
	})
}

// Lists without pages multiply the cost of what they contain, too: teams below
// a team lead back to it, so that a few levels made a reply of gigabytes for
// ten points.
func TestListsMultiply(t *testing.T) {
	both(t, 1, func(d *desk) {
		deep := "id"
		for range 3 {
			deep = "parent { children { " + deep + " } }"
		}
		for _, query := range []string{`{ team(id: "ENG") { ` + deep + ` } }`, `{ archivedTeams { ` + deep + ` } }`,
			`mutation { issueBatchUpdate(ids: [], input: {}) { issues { comments(first: 250) { nodes { body } } } } }`} {
			if s := d.refuse(query); s.Errors[0].Message != "Query too complex" {
				d.Errorf("%s: %+v", query, s.Errors[0])
			}
		}
		d.ask(`{ teams(first: 50) { nodes { name children { id name } } } }`, nil)
		d.ask(`mutation { issueBatchUpdate(ids: [], input: {}) { issues { title labels { nodes { name } } } } }`, nil)
	})
}

func TestBudgetIsSpentByWhatIsLoaded(t *testing.T) {
	both(t, 1, func(d *desk) {
		body := `{"query":"{ issues(first: 250) { nodes { id title state { name } } } }"}`
		w := d.post([]byte(body))
		if got := w.Header().Get("X-Complexity"); w.Code != http.StatusOK || got != "1" {
			d.Errorf("an empty page cost %s points", got)
		}
		d.fill(10)
		w = d.post([]byte(body))
		if got := w.Header().Get("X-Complexity"); got != "23" { // ten issues and states, 30 properties
			d.Errorf("ten issues cost %s points", got)
		}
		if got := w.Header().Get("X-RateLimit-Complexity-Remaining"); got != "2999977" {
			d.Errorf("%s points are left of a budget that was full before", got)
		}
	})
}

func TestMutationsShowWhatTheyDid(t *testing.T) {
	both(t, 0, func(d *desk) {
		data := d.ask(`mutation ($in: IssueCreateInput!) { a: issueCreate(input: $in) { lastSyncId issue { identifier branchName team { issueCount } } }
			b: issueCreate(input: $in) { lastSyncId issue { identifier url team { issueCount } } } }`,
			map[string]any{"in": map[string]any{"teamId": d.team, "title": "Twice / done"}})
		got, _ := json.Marshal(data)
		want := `{"a":{"issue":{"branchName":"ann/eng-1-twice-done","identifier":"ENG-1","team":{"issueCount":1}},"lastSyncId":2},` +
			`"b":{"issue":{"identifier":"ENG-2","team":{"issueCount":2},"url":"http://tracker/acme/issue/ENG-2/twice-done"},"lastSyncId":3}}`
		if string(got) != want {
			d.Errorf("got  %s\nwant %s", got, want)
		}
	})
}
