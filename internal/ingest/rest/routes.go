package rest

import (
	"net/http"

	"understudy/internal/platform/apidocs"
)

// readingRoutes returns the routes for reading. Each route accepts exactly the
// parameters that it documents.
func readingRoutes() []route {
	view := apidocs.Parameter{Name: "view", Description: "full (default), or summary: long texts as previews of 200 characters, with their length in bytes"}
	find := func(what string) apidocs.Parameter {
		return apidocs.Parameter{Name: "find", Description: what + ", whatever their case"}
	}
	get := func(path string, read readFunc, summary string, answer any, more ...apidocs.Parameter) route {
		return route{method: http.MethodGet, path: "/api/v1" + path, read: read, summary: summary, doc: reading(answer, more...)}
	}
	return []route{
		get("/sessions", (*Handler).listSessions, "List sessions, newest first", map[string]any{},
			append(pages, view, find("those whose id begins with this text or whose user contains it"))...),
		get("/sessions/{id...}", (*Handler).showSession, "One session with its tree of events", shownSession{}, append(pages, view)...),
		get("/sessions/{id}/tree", (*Handler).showLevel, "One level of a session's tree: the children of an event, or the roots", levelReply{},
			append(pages, apidocs.Parameter{Name: "parent", Description: "event_id; the roots when left out"})...),
		get("/events", (*Handler).listEvents, "List events, newest first", map[string]any{}, append(pages, view)...),
		get("/live", (*Handler).live, "Summaries of events as they are stored, as server-sent events; Last-Event-ID goes on after one", apidocs.Text("text/event-stream")),
		get("/events/{id...}", (*Handler).showEvent, "One event", map[string]any{}, view),
		get("/tools", (*Handler).listTools, "Each tool's calls: count, error rate, latency, tokens and cost", toolList{}, pages...),
		get("/agents", (*Handler).listAgents, "Each agent's turns", agentList{}, pages...),
		get("/models", (*Handler).listModels, "Each model's events", modelList{}, pages...),
		get("/customers", (*Handler).listCustomers, "Each customer's events", customerList{}, pages...),
		get("/timeseries", (*Handler).timeSeries, "Sums by periods of time", seriesReply{},
			apidocs.Parameter{Name: "interval", Description: "hour (default), minute, 5m, day or week; weeks begin on Monday"},
			apidocs.Parameter{Name: "tz", Description: "IANA name of the time zone whose days and weeks are meant; UTC when left out"},
			apidocs.Parameter{Name: "fill", Description: "zero: also periods without an event"},
			apidocs.Parameter{Name: "group_by", Description: "tool, agent, model, user_id, customer_id, success or trait.<name>"},
			apidocs.Parameter{Name: "top", Type: "integer", Description: "groups that stand alone, at most 50; 20 when left out"},
			apidocs.Parameter{Name: "distinct", Description: "user_id: also count the different users"}),
		get("/overview", (*Handler).overview, "What a period adds up to, and the period before it", overviewReply{}),
		get("/tools/{tool}/timeline", (*Handler).spread, "How the time of a tool's calls is spent", spreadReply{}),
		get("/errors", (*Handler).listErrors, "Failures by fingerprint, the most frequent first", errorList{}, pages...),
		get("/facets", (*Handler).facets, "By what events can be narrowed, with their numbers; name and q are about facets here", facetList{},
			apidocs.Parameter{Name: "limit", Type: "integer", Description: "values of each facet; 50 when left out, at most 1000"}),
		get("/export", (*Handler).export, "All events, newest first, streamed", apidocs.Text("application/x-ndjson"),
			apidocs.Parameter{Name: "format", Description: "ndjson (default) or csv"}),
		get("/traits", (*Handler).listTraits, "The traits of users and their values", traitList{}, apidocs.Parameter{Name: "cursor"}),
		get("/users", (*Handler).listUsers, "List users, the latest seen first", map[string]any{},
			append(pages, find("those whose id contains this text"),
				apidocs.Parameter{Name: "sums", Description: "true: also what each did by the filters: sessions, events, errors, input_tokens, output_tokens"})...),
	}
}
