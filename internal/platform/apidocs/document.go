package apidocs

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/swaggest/jsonschema-go"
)

// The parts of OpenAPI 3.1 that this package uses.
type document struct {
	OpenAPI    string                          `json:"openapi"`
	Info       info                            `json:"info"`
	Servers    []server                        `json:"servers"`
	Tags       []tag                           `json:"tags,omitempty"`
	Paths      map[string]map[string]operation `json:"paths"`
	Webhooks   map[string]map[string]operation `json:"webhooks,omitempty"`
	Components components                      `json:"components"`
}

type info struct {
	Title       string `json:"title"`
	Version     string `json:"version"`
	Description string `json:"description,omitempty"`
}

type server struct {
	URL string `json:"url"`
}

type tag struct {
	Name string `json:"name"`
}

type components struct {
	Schemas         map[string]any            `json:"schemas,omitempty"`
	SecuritySchemes map[string]securityScheme `json:"securitySchemes,omitempty"`
}

type securityScheme struct {
	Type        string `json:"type"`
	Scheme      string `json:"scheme,omitempty"`
	In          string `json:"in,omitempty"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
}

type operation struct {
	OperationID string                `json:"operationId"`
	Tags        []string              `json:"tags,omitempty"`
	Summary     string                `json:"summary,omitempty"`
	Description string                `json:"description,omitempty"`
	Security    []map[string][]string `json:"security"`
	Parameters  []parameter           `json:"parameters,omitempty"`
	RequestBody *requestBody          `json:"requestBody,omitempty"`
	Responses   map[string]response   `json:"responses"`
}

type parameter struct {
	Name        string `json:"name"`
	In          string `json:"in"`
	Required    bool   `json:"required,omitempty"`
	Description string `json:"description,omitempty"`
	Schema      Schema `json:"schema"`
}

type requestBody struct {
	Required bool                 `json:"required,omitempty"`
	Content  map[string]mediaType `json:"content"`
}

type response struct {
	Description string               `json:"description"`
	Content     map[string]mediaType `json:"content,omitempty"`
}

type mediaType struct {
	Schema any `json:"schema,omitempty"`
}

const jsonType = "application/json"

var pathParameter = regexp.MustCompile(`\{(\w+)(\.\.\.|\$)?\}`)

func newDocument(api API) *document {
	if api.Version == "" {
		api.Version = "1"
	}
	d := &document{OpenAPI: "3.1.0", Info: info{api.Title, api.Version, api.Description}, Paths: map[string]map[string]operation{},
		Components: components{Schemas: map[string]any{}, SecuritySchemes: map[string]securityScheme{}}}
	for _, c := range api.Credentials {
		s := securityScheme{Type: "http", Scheme: "bearer", Description: c.Description}
		if c.Header != "" {
			s = securityScheme{Type: "apiKey", In: "header", Name: c.Header, Description: c.Description}
		}
		d.Components.SecuritySchemes[c.Name] = s
	}
	if api.Refusal != nil {
		d.Components.Schemas["Refusal"] = schemaOf(api.Refusal)
	}
	for _, op := range api.Operations {
		d.add(op)
	}
	for _, e := range api.Events {
		d.addEvent(e)
	}
	return d
}

func (d *document) addEvent(e Event) {
	if d.Webhooks == nil {
		d.Webhooks = map[string]map[string]operation{}
	}
	if _, twice := d.Webhooks[e.Name]; twice {
		panic("apidocs: described twice: " + e.Name)
	}
	d.tagged(e.Group)
	d.Webhooks[e.Name] = map[string]operation{"post": {OperationID: "event_" + e.Name, Tags: []string{e.Group}, Summary: e.Summary,
		Description: e.Description, Security: []map[string][]string{}, Responses: map[string]response{"default": {Description: "No answer is expected."}},
		RequestBody: &requestBody{Required: true, Content: content(e.Payload)}}}
}

// tagged adds a group to the list of groups, in order of appearance.
func (d *document) tagged(group string) {
	if t := (tag{group}); !slices.Contains(d.Tags, t) {
		d.Tags = append(d.Tags, t)
	}
}

func (d *document) add(op Operation) {
	method, path, ok := strings.Cut(op.Pattern, " ")
	if !ok {
		panic(fmt.Sprintf("apidocs: the pattern %q has no method", op.Pattern))
	}
	out := operation{OperationID: op.ID, Summary: op.Summary, Description: op.Description, Security: []map[string][]string{},
		Responses: map[string]response{}}
	if out.OperationID == "" {
		out.OperationID = operationID(method, path)
	}
	if op.Group != "" {
		out.Tags = []string{op.Group}
		d.tagged(op.Group)
	}
	for _, c := range op.Credentials {
		if _, ok := d.Components.SecuritySchemes[c]; !ok {
			panic(fmt.Sprintf("apidocs: %s wants the credential %q, which the API does not have", op.Pattern, c))
		}
		out.Security = append(out.Security, map[string][]string{c: {}})
	}
	for _, m := range pathParameter.FindAllStringSubmatch(path, -1) {
		out.Parameters = append(out.Parameters, parameter{Name: m[1], In: "path", Required: true, Schema: Schema{"type": "string"}})
	}
	for _, p := range op.Parameters {
		q := parameter{Name: p.Name, In: p.In, Required: p.Required, Description: p.Description, Schema: Schema{"type": "string"}}
		if q.In == "" {
			q.In = "query"
		}
		if p.Type != "" {
			q.Schema["type"] = p.Type
		}
		out.Parameters = append(out.Parameters, q)
	}
	if op.Body != nil {
		out.RequestBody = body(op)
	}
	for status, reply := range op.Replies {
		out.Responses[strconv.Itoa(status)] = response{http.StatusText(status), content(reply)}
	}
	for _, status := range op.Refusals {
		out.Responses[strconv.Itoa(status)] = response{http.StatusText(status),
			map[string]mediaType{jsonType: {Schema{"$ref": "#/components/schemas/Refusal"}}}}
	}
	path = pathParameter.ReplaceAllString(path, "{$1}")
	if d.Paths[path] == nil {
		d.Paths[path] = map[string]operation{}
	}
	method = strings.ToLower(method)
	if _, twice := d.Paths[path][method]; twice {
		panic("apidocs: described twice: " + op.Pattern)
	}
	d.Paths[path][method] = out
}

func body(op Operation) *requestBody {
	types := op.BodyTypes
	if len(types) == 0 {
		types = []string{jsonType}
	}
	schema := schemaOf(op.Body)
	out := &requestBody{Content: map[string]mediaType{}}
	for _, t := range types {
		out.Content[t] = mediaType{schema}
	}
	required, _ := schema["required"].([]any)
	out.Required = len(required) > 0
	return out
}

func content(reply any) map[string]mediaType {
	switch r := reply.(type) {
	case nil:
		return nil
	case Text:
		return map[string]mediaType{string(r): {Schema{"type": "string"}}}
	}
	return map[string]mediaType{jsonType: {schemaOf(reply)}}
}

// schemaOf returns the schema of a sample's type, inline.
func schemaOf(sample any) Schema {
	switch s := sample.(type) {
	case Schema:
		return roundTrip(s)
	case OneOf:
		shapes := make([]Schema, len(s))
		for i, shape := range s {
			if shapes[i], _ = shape.(Schema); shapes[i] == nil {
				shapes[i] = reflected(shape, jsonschema.InterceptProp(required))
			}
		}
		return roundTrip(Schema{"oneOf": shapes})
	}
	return reflected(sample)
}

// reflected returns the schema of a sample's type.
func reflected(sample any, options ...func(*jsonschema.ReflectContext)) Schema {
	r := jsonschema.Reflector{}
	s, err := r.Reflect(sample, append(options, jsonschema.InlineRefs, jsonschema.InterceptNullability(neverNull))...)
	if err != nil {
		panic(fmt.Sprintf("apidocs: no schema for %T: %v", sample, err))
	}
	return roundTrip(s)
}

// neverNull removes null from schemas: empty lists are [], and empty optional
// members are omitted.
func neverNull(p jsonschema.InterceptNullabilityParams) {
	if p.NullAdded && (p.OmitEmpty || p.Type.Kind() == reflect.Slice) {
		p.Schema.RemoveType(jsonschema.Null)
	}
}

// required makes a member required unless its tag has omitempty.
func required(p jsonschema.InterceptPropParams) error {
	_, options, _ := strings.Cut(p.Field.Tag.Get("json"), ",")
	if p.Processed && options != "omitempty" && !slices.Contains(p.ParentSchema.Required, p.Name) {
		p.ParentSchema.Required = append(p.ParentSchema.Required, p.Name)
	}
	return nil
}

// roundTrip returns a schema as plain JSON values.
func roundTrip(v any) Schema {
	var out Schema
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil {
		panic(fmt.Sprintf("apidocs: %v", err))
	}
	return out
}

// operationID returns "postWorkspacesJoin" for "POST /api/workspaces/{id}/join".
func operationID(method, path string) string {
	var b strings.Builder
	b.WriteString(strings.ToLower(method))
	for _, part := range strings.FieldsFunc(strings.TrimPrefix(path, "/api"), func(r rune) bool { return strings.ContainsRune("/.-_", r) }) {
		if m := pathParameter.FindStringSubmatch(part); m != nil {
			part = "By" + strings.ToUpper(m[1][:1]) + m[1][1:]
		}
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
