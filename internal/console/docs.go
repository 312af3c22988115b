package console

import (
	"net/http"
	"slices"
	"strings"

	"understudy/internal/platform/apidocs"
	"understudy/internal/platform/inject"
	"understudy/internal/platform/verdict"
)

// adminKey is the credential of the docs.
const adminKey = "admin_key"

// docsPrefix is the path of the admin plane's docs, which need no key.
const docsPrefix = "/admin/v1"

// serveDocs serves the description of the admin plane, and reports whether the
// path is one of its pages.
func (c *Console) serveDocs(w http.ResponseWriter, r *http.Request) bool {
	rest, below := strings.CutPrefix(r.URL.Path, docsPrefix)
	if !below || rest != "/openapi.json" && rest != "/docs" && !strings.HasPrefix(rest, "/docs/") {
		return false
	}
	within := r.Clone(r.Context())
	within.URL.Path, within.URL.RawPath = "/api"+rest, ""
	return c.docs().Serve(w, within)
}

// shape is what the docs add to a route.
type shape struct {
	summary  string
	body     any
	replies  map[int]any
	refusals []int
}

type (
	object          = apidocs.Schema
	environmentList struct {
		Environments []environmentReply `json:"environments"`
		NextCursor   string             `json:"next_cursor"`
	}
	requestList struct {
		Requests   []recorded `json:"requests"`
		NextCursor string     `json:"next_cursor"`
	}
	deliveryList struct {
		Deliveries []deliveryReply `json:"deliveries"`
		NextCursor string          `json:"next_cursor"`
	}
	eventList struct {
		Events     []eventReply `json:"events"`
		NextCursor string       `json:"next_cursor"`
	}
	snapshotList struct {
		Snapshots  []snapshotReply `json:"snapshots"`
		NextCursor string          `json:"next_cursor"`
	}
	snapshotRequest struct {
		Name string `json:"name"`
	}
	restoreRequest struct {
		Snapshot string `json:"snapshot" required:"true"`
	}
	keyReply struct {
		Key          string `json:"key"`
		ValidSeconds int    `json:"old_key_valid_seconds"`
	}
	refusalReply struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
			Field   string `json:"field,omitempty"`
			Near    string `json:"did_you_mean,omitempty"`
			Line    int    `json:"line,omitempty"`
			Column  int    `json:"column,omitempty"`
		} `json:"error"`
	}
)

// credentialsReply is the credentials object, by service.
var credentialsReply = object{"type": "object", "description": "Base URL, ids and secrets of each service, as in credentials.json."}

// anyObject is a reply whose members are documented elsewhere.
func anyObject(description string) object {
	return object{"type": "object", "description": description}
}

// of is the path of one environment.
const of = "/admin/v1/environments/{env}"

// shapes holds the shapes of the routes, by pattern, except those of services'
// acts. A test fails for a route without one.
var shapes = map[string]shape{
	"POST /admin/v1/environments": {"Create an environment and answer with its credentials.", createRequest{}, map[int]any{201: credentialsReply}, []int{400, 409, 422}},
	"GET /admin/v1/environments":  {"List environments.", nil, map[int]any{200: environmentList{}}, []int{400}},
	"GET " + of:                   {"Show an environment.", nil, map[int]any{200: environmentReply{}}, []int{404}},
	"DELETE " + of:                {"Delete an environment.", nil, map[int]any{204: nil}, []int{404, 409}},
	"PATCH " + of:                 {"Change name, rate limits or time to live.", updateRequest{}, map[int]any{200: environmentReply{}}, []int{400, 404}},
	"POST " + of + "/reset":       {"Put an environment back to its state at creation.", nil, map[int]any{200: credentialsReply}, []int{404, 409}},
	"POST " + of + "/restore":     {"Put an environment back to a snapshot.", restoreRequest{}, map[int]any{200: credentialsReply}, []int{400, 404, 409}},
	"POST " + of + "/fork": {"Make an environment that begins as a copy of this one.", forkRequest{},
		map[int]any{201: apidocs.OneOf{credentialsReply, forksReply{}}}, []int{400, 404, 409, 422}},
	"POST " + of + "/snapshots":              {"Keep an environment as it is now.", snapshotRequest{}, map[int]any{201: snapshotReply{}}, []int{400, 404}},
	"GET " + of + "/snapshots":               {"List the snapshots of an environment.", nil, map[int]any{200: snapshotList{}}, []int{400, 404}},
	"DELETE " + of + "/snapshots/{snapshot}": {"Delete a snapshot.", nil, map[int]any{204: nil}, []int{404}},
	"POST " + of + "/clock":                  {"Freeze, advance or run the clock.", clockRequest{}, map[int]any{200: environmentReply{}}, []int{400, 404}},
	"POST " + of + "/seed":                   {"Fill an environment from a seed document.", anyObject("A seed document, as JSON or YAML."), map[int]any{200: anyObject("What was made, by the document's names.")}, []int{400, 404, 422}},
	"GET " + of + "/credentials":             {"Show the credentials of all services, as JSON, as variables of a process or as the configuration of an MCP client.", nil, map[int]any{200: credentialsReply}, []int{400, 404}},
	"POST " + of + "/credentials/rotate":     {"Renew the credentials of all services.", nil, map[int]any{200: credentialsReply}, []int{404}},
	"GET " + of + "/requests":                {"List recorded requests, newest first or, with order=asc, oldest first. operation may hold *.", nil, map[int]any{200: requestList{}}, []int{400, 404}},
	"GET " + of + "/faults":                  {"List the fault rules, in order of creation.", nil, map[int]any{200: faultList{}}, []int{400, 404}},
	"POST " + of + "/faults":                 {"Add a fault rule, or several under faults.", addFaultsRequest{}, map[int]any{201: inject.Shown{}}, []int{400, 404, 409, 422}},
	"DELETE " + of + "/faults":               {"Remove all fault rules.", nil, map[int]any{204: nil}, []int{404}},
	"GET " + of + "/faults/{id}":             {"Show a fault rule, with how often it matched and fired.", nil, map[int]any{200: inject.Shown{}}, []int{404}},
	"PATCH " + of + "/faults/{id}":           {"Switch a fault rule on or off.", changeFaultRequest{}, map[int]any{200: inject.Shown{}}, []int{400, 404}},
	"DELETE " + of + "/faults/{id}":          {"Remove a fault rule.", nil, map[int]any{204: nil}, []int{404}},
	"GET " + of + "/requests/{seq}":          {"Show a recorded request.", nil, map[int]any{200: requestReply{}}, []int{404}},
	"GET " + of + "/diff":                    {"Compare an environment with its creation or a snapshot.", nil, map[int]any{200: apidocs.OneOf{anyObject("What was inserted, updated and deleted, by entity, and which requests did it."), summaryReply{}}}, []int{400, 404}},
	"GET " + of + "/events":                  {"List the events of services, newest first, each with the request that caused it and its deliveries.", nil, map[int]any{200: eventList{}}, []int{400, 404}},
	"GET " + of + "/deliveries":              {"List deliveries, newest first.", nil, map[int]any{200: deliveryList{}}, []int{400, 404}},
	"GET " + of + "/deliveries/{id}":         {"Show a delivery with its body and attempts.", nil, map[int]any{200: deliveryReply{}}, []int{404}},
	"POST " + of + "/deliveries/{id}/replay": {"Deliver again.", nil, map[int]any{202: deliveryReply{}}, []int{404, 409}},
	"POST " + of + "/deliveries/replay":      {"Deliver again what matches, the newest first.", replayRequest{}, map[int]any{202: replayReply{}}, []int{400, 404}},
	"POST " + of + "/settle":                 {"Wait until no request and no delivery is under way for a while.", settleRequest{}, map[int]any{200: settleReply{}}, []int{400, 404, 409}},
	"GET " + of + "/people":                  {"List the people as whom one can act, service by service.", nil, map[int]any{200: peopleReply{}}, []int{400, 404}},
	"POST " + of + "/people/{service}/{user}/session": {"Begin a session to act as someone, named by id, handle or e-mail address. It is in no diff and no copy, and makes no account.",
		actRequest{}, map[int]any{201: actReply{}}, []int{400, 404, 422}},
	"POST " + of + "/verdict": {"Compare an environment with what somebody expects of it.", anyObject("Expectations, as JSON or YAML: see the page on verdicts."),
		map[int]any{200: verdict.Verdict{}}, []int{400, 404, 422}},
	"POST " + of + "/verdicts": {"Store what came of a run in this environment. It outlives the environment.", runReport{}, map[int]any{201: verdictReply{}}, []int{400, 404, 413, 422}},
	"GET " + of + "/verdicts":  {"List the verdicts of runs in this environment and in its forks, newest first.", nil, map[int]any{200: verdictList{}}, []int{400, 404}},
	"GET /admin/v1/verdicts": {"List the verdicts of runs, newest first, also of environments that are gone. The last 2,000 are stored, at most 64 MiB.", nil,
		map[int]any{200: verdictList{}}, []int{400}},
	"GET /admin/v1/verdicts/{id}":    {"Show the verdict of a run.", nil, map[int]any{200: verdictWhole{}}, []int{404}},
	"DELETE /admin/v1/verdicts/{id}": {"Delete the verdict of a run.", nil, map[int]any{204: nil}, []int{404}},
	"GET " + of + "/trace/{session}": {"Show what an agent reported of a session beside the requests that it made and what they did; - shows all requests by trace id.", nil,
		map[int]any{200: traceReply{}}, []int{404, 422}},
	"GET /admin/v1/seed-schema.json": {"Show the JSON schema of seed documents.", nil, map[int]any{200: anyObject("A JSON schema, draft 2020-12.")}, nil},
	"GET " + of + "/stream": {"Follow what comes about, as server-sent events. Last-Event-ID goes on from there; a comment comes every 15 seconds.", nil,
		map[int]any{200: nil}, []int{400, 404}},
	"GET /admin/v1/entities":    {"List what verdicts and fault rules can name: entities, their fields, what follows from what, and operations.", nil, map[int]any{200: anyObject("entities and operations.")}, nil},
	"POST /admin/v1/key/rotate": {"Renew the admin key.", nil, map[int]any{200: keyReply{}}, nil},
	"GET /admin/v1/audit":       {"List what was done to credentials and environments, newest first.", nil, map[int]any{200: anyObject("entries and next_cursor.")}, []int{400}},
}

// parameterTexts describe query parameters by name.
var parameterTexts = map[string]string{
	"format": "json (as in credentials.json), env (lines NAME=value) or mcp (an mcpServers object); json when left out.",
	"for":    "agent (without the admin key) or operator; agent when left out.",
	"limit":  "How many at most: 1 to 200, 50 when left out; a larger one counts as 200. Of a diff: 1 to 100000, 10000 when left out.", "cursor": "The next_cursor of the page before.",
	"service": "messaging, crm, tracker or ingest.", "status": "A status; of requests also a class, such as 4xx.", "since": "A time (RFC 3339): what came from then on.",
	"client": "The program that called, as it says in the header Understudy-Client; web is the web UI, !web is every other one.",
	"method": "An HTTP method.", "path": "The beginning of a path.", "principal": "A part of who called, as recordings name it.", "dry_run": "true: the document is checked and nothing is made.",
	"operation": "What was asked, such as messaging.chat.postMessage or crm.POST /crm/v3/objects/{objectType}; * stands for any text.",
	"actor":     "agent, person, admin or system.", "trace_id": "The id of a distributed trace, 32 hexadecimal digits.",
	"after_seq": "The number of a request: those that came after it.", "order": "desc, the newest first, or asc.",
	"cause": "false: without the requests that wrote each change.", "fields": "all: whole records, also of updates.",
	"type": "The type of an event, such as message or issueCreate: any text, since types are each service's own.",
	"from": "Id of a snapshot; creation when left out.", "to": "Id of a snapshot; now when left out.",
	"destination": "Id of the subscription or webhook.", "query": "The beginning of a word of a name, the handle or the address.",
	"tenant": "Workspace, organization or portal.", "admin": "true: admins alone.", "q": "The beginning of a word of the name or of the id; of requests a text in path, query or a body.",
	"counts": "Of environments, false: without counts and sizes, which is much faster for thousands. Of requests, true: how much each one did.", "parent": "Id of the environment that they are forks of.",
	"topics":  "What to follow, with commas between: requests, deliveries, events, clock, lifecycle; all when left out.",
	"summary": "true: how many changes there are by entity, in place of the changes.", "entity": "An entity, such as contact.", "key": "The key of one thing, as changes name it.",
	"sort": "id, name, created_at or expires_at; a - before it for the descending order.", "ids": "At most 200 ids with commas between them: these environments alone.",
	"after":       "Id of an item: only what came behind it.",
	"environment": "Id of the environment; of verdicts also that of what it was forked from.",
	"series":      "A text that all runs of one command share.", "task": "The name of a task.", "state": "passed, failed, timeout or error.", "action": "What was done, such as environment.reset.",
}

// describe builds the docs of the routes.
func (c *Console) describe() *apidocs.Docs {
	api := apidocs.API{Title: "Admin plane", Refusal: refusalReply{},
		Description: "Environments and what was recorded in them. Send `Understudy-Client: web` to a service to look without a trace: what reads is not recorded then.",
		Credentials: []apidocs.Credential{{Name: adminKey, Description: "The admin key, as in credentials.json."}}}
	for _, pattern := range patterns(c.shapes) {
		s := c.shapes[pattern]
		op := apidocs.Operation{Pattern: pattern, Group: group(pattern), Summary: s.summary, Credentials: []string{adminKey}, Body: s.body,
			Replies: s.replies, Refusals: append([]int{401, 429}, s.refusals...)}
		for _, name := range c.accepted[pattern] {
			op.Parameters = append(op.Parameters, apidocs.Parameter{Name: name, Description: parameterTexts[name]})
		}
		api.Operations = append(api.Operations, op)
	}
	return apidocs.New(api)
}

// patterns returns the patterns of the routes, in order of path.
func patterns(shapes map[string]shape) []string {
	var out []string
	for pattern := range shapes {
		out = append(out, pattern)
	}
	slices.SortFunc(out, func(a, b string) int {
		_, pa, _ := strings.Cut(a, " ")
		_, pb, _ := strings.Cut(b, " ")
		return strings.Compare(pa+" "+a, pb+" "+b)
	})
	return out
}

// group returns the section of the docs for a pattern.
func group(pattern string) string {
	_, path, _ := strings.Cut(pattern, "/admin/v1/")
	parts := strings.Split(path, "/")
	if parts[0] == "environments" && len(parts) > 2 {
		return parts[2]
	}
	return parts[0]
}
