package apidocs

// API describes a service's API. It is built from the service's route tables.
type API struct {
	Title       string
	Description string // Markdown
	Version     string // of the upstream dialect, or of this program
	Credentials []Credential
	Operations  []Operation
	// Events are the events for connected clients; the document lists them under
	// webhooks, where OpenAPI describes what an API sends.
	Events []Event
	// Refusal is a sample of the type of every error reply, or a Schema.
	Refusal any
}

// Credential is a way to authenticate a caller.
type Credential struct {
	Name        string
	Description string
	Header      string // a header with the bare key; "" for Authorization: Bearer
}

// Operation is one method on one path.
type Operation struct {
	Pattern     string // a pattern of the mux: "POST /api/workspaces/{id}/join"
	ID          string // derived from the pattern when empty
	Group       string // operations are shown by group, in order of appearance
	Summary     string
	Description string // Markdown
	// Credentials names the credentials, each of which suffices; empty for a public
	// operation.
	Credentials []string
	// Parameters are those in query and header; those in the path are in the
	// pattern.
	Parameters []Parameter
	// Body is a sample of the type of the request body, a Schema, or nil for none.
	Body any
	// BodyTypes are the media types of the body; JSON when empty.
	BodyTypes []string
	// Replies holds, for each status, a sample of the type of its JSON body, a
	// Schema, a OneOf, a Text, or nil for an empty reply.
	Replies map[int]any
	// Refusals are the statuses with the API's Refusal as the body.
	Refusals []int
}

// Event is a message that the service sends to connected clients.
type Event struct {
	Name        string
	Group       string
	Summary     string
	Description string // Markdown
	Payload     any    // a sample of the type of its payload, or a Schema
}

// Parameter is an argument outside the body.
type Parameter struct {
	Name        string
	In          string // "query" when empty
	Type        string // "string" when empty
	Description string
	Required    bool
}

// Schema is a hand-written JSON Schema.
//
// The schema of a sample follows from its Go type: names from `json` tags, and
// the tags `required:"true"`, `description`, `enum`, `format`, `minLength` and
// the others of github.com/swaggest/jsonschema-go.
type Schema map[string]any

// OneOf is a reply with one of several shapes, each a sample of a type or a
// Schema. A member of these samples is required unless its tag has omitempty.
type OneOf []any

// Text is the media type of a reply that is not JSON.
type Text string
