package rest

import (
	"sync"

	"understudy/internal/ingest"
	"understudy/internal/platform/apidocs"
)

// The names of the credentials in the API document.
const (
	writeKey = "ingestion_key"
	orgID    = "organization_id"
	adminKey = "admin_key"
)

// The groups of the routes that neither capture nor read events.
const (
	settingGroup = "Prices and scores"
	keepingGroup = "Keeping"
	keyGroup     = "Keys"
)

var projectID = apidocs.Parameter{Name: "project_id", Description: "with the admin key: the project that is meant"}

// The bodies that are decoded without structs, as the API document describes them.
type (
	sessionBody struct {
		SessionID    string         `json:"session_id" required:"true" format:"uuid"`
		UserData     map[string]any `json:"user_data" required:"true" description:"user_id, and traits"`
		Metadata     map[string]any `json:"metadata"`
		Timestamp    int64          `json:"timestamp" description:"epoch milliseconds; server time when left out"`
		ClientConfig string         `json:"client_config"`
	}
	eventBody struct {
		EventID       string         `json:"event_id" required:"true" format:"uuid"`
		SessionID     string         `json:"session_id" required:"true" format:"uuid"`
		ParentID      string         `json:"parent_id" format:"uuid" description:"event_id of the triggering turn or tool"`
		PrimitiveName string         `json:"primitive_name"`
		PrimitiveType string         `json:"primitive_type"`
		Args          string         `json:"args"`
		Result        string         `json:"result"`
		Success       bool           `json:"success" default:"true"`
		Latency       int64          `json:"latency" description:"milliseconds"`
		Timestamp     int64          `json:"timestamp" description:"epoch milliseconds; server time when left out"`
		Metadata      map[string]any `json:"metadata" description:"checkpoint.<name>: milliseconds since the start"`
		CustomerID    string         `json:"customer_id"`
		UserID        string         `json:"user_id"`
		InputTokens   int64          `json:"input_tokens"`
		OutputTokens  int64          `json:"output_tokens"`
		Model         string         `json:"model"`
	}
	batchBody struct {
		Events []eventBody `json:"events" required:"true" maxItems:"500"`
	}
	rowResult struct {
		Index   int    `json:"index" required:"true"`
		EventID string `json:"event_id" required:"true"`
		Status  string `json:"status" required:"true" enum:"accepted,rejected"`
		Reason  string `json:"reason" required:"true"`
	}
	batchResult struct {
		Accepted int         `json:"accepted" required:"true"`
		Rejected int         `json:"rejected" required:"true"`
		Results  []rowResult `json:"results" required:"true"`
	}
)

// docs returns the API document, which is the same for all environments.
var docs = sync.OnceValue(func() *apidocs.Docs {
	api := apidocs.API{Title: "Event ingestion", Version: "v1", Refusal: errorBody{},
		Description: "Records conversations of agents and the events inside them, and answers questions about them.",
		Credentials: []apidocs.Credential{
			{Name: writeKey, Header: "x-api-key", Description: "An ingestion key (sk_…); also taken as a bearer token, and for traces as the password of Basic."},
			{Name: orgID, Header: "X-Org-Id", Description: "The same key, as the published clients send it; fields are then read leniently."},
			{Name: adminKey, Description: "The key of the admin plane."}}}
	for _, r := range routes() {
		op := r.doc
		op.Pattern, op.Summary = r.method+" "+r.path, r.summary
		api.Operations = append(api.Operations, op)
	}
	return apidocs.New(api)
})

func capture(body any, status int, answer any) apidocs.Operation {
	return apidocs.Operation{Group: "Capture", Credentials: []string{writeKey, orgID}, Body: body,
		Replies: map[int]any{status: answer}, Refusals: []int{400, 401, 403, 413, 415, 503}}
}

// tracesBody is a traces request of OTLP; its schema is OpenTelemetry's.
type tracesBody struct {
	ResourceSpans []map[string]any `json:"resourceSpans" description:"as application/json or application/x-protobuf, also compressed with gzip"`
}

type tracesReply struct {
	PartialSuccess *struct {
		RejectedSpans string `json:"rejectedSpans"`
		ErrorMessage  string `json:"errorMessage"`
	} `json:"partialSuccess,omitempty" description:"when some spans were rejected; the others are stored"`
}

func traces() apidocs.Operation {
	return apidocs.Operation{Group: "Capture", Credentials: []string{writeKey}, Body: tracesBody{},
		Replies: map[int]any{200: tracesReply{}}, Refusals: []int{400, 401, 403, 413, 415, 503}}
}

// refusals returns the statuses of the errors of a route that needs a certain key, with
// those of its body unless it has none.
func refusals(body any) []int {
	all := []int{400, 401, 403, 404}
	if body != nil {
		all = append(all, 413, 415)
	}
	return all
}

func settingRoute(body any, status int, answer any, parameters ...apidocs.Parameter) apidocs.Operation {
	return apidocs.Operation{Group: settingGroup, Credentials: []string{writeKey, adminKey}, Body: body, Parameters: append(parameters, projectID),
		Replies: map[int]any{status: answer}, Refusals: refusals(body)}
}

func keyRoute(body any, status int, answer any, parameters ...apidocs.Parameter) apidocs.Operation {
	return apidocs.Operation{Group: keyGroup, Credentials: []string{adminKey}, Body: body, Parameters: parameters,
		Replies: map[int]any{status: answer}, Refusals: refusals(body)}
}

func reading(answer any, more ...apidocs.Parameter) apidocs.Operation {
	return apidocs.Operation{Group: "Reading", Credentials: []string{writeKey, adminKey}, Replies: map[int]any{200: answer},
		Parameters: append(append([]apidocs.Parameter{}, filters...), more...), Refusals: refusals(nil)}
}

type shownSession struct {
	Session map[string]any   `json:"session"`
	Tree    []map[string]any `json:"tree" description:"events, each with its children"`
}

type shownUser struct {
	UserID    string         `json:"user_id"`
	Traits    ingest.Members `json:"traits"`
	FirstSeen int64          `json:"first_seen"`
	LastSeen  int64          `json:"last_seen"`
	*shownUserSums
}

// shownUserSums are the sums of a user. They are shown only on request.
type shownUserSums struct {
	Sessions     int64 `json:"sessions"`
	Events       int64 `json:"events"`
	Errors       int64 `json:"errors"`
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
}

type shownValue struct {
	Value string `json:"value"`
	Count int64  `json:"count" description:"users"`
}

type shownTrait struct {
	Name   string       `json:"name"`
	Values []shownValue `json:"values"`
}

type traitList struct {
	Traits     []shownTrait `json:"traits" required:"true"`
	NextCursor string       `json:"next_cursor,omitempty" description:"when the traits are too many for one reply"`
}

type levelReply struct {
	Children   []map[string]any `json:"children" description:"events, each with child_count"`
	NextCursor string           `json:"next_cursor"`
}
