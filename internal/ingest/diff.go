package ingest

import (
	"encoding/json"

	"understudy/internal/platform/diff"
)

// StateEntities declares the entities of the state for diffs.
func StateEntities() []diff.Entity {
	return []diff.Entity{{Name: "project", Table: "ingest_project", Key: []string{"id"}, Columns: map[string]diff.Column{
		"id": diff.As("id", diff.Text), "name": diff.As("name", diff.Text), "created": diff.As("created_at", diff.Time)}}}
}

// EventsEntities declares the entities of the events' database for diffs, except
// the events: the event store declares those.
func EventsEntities() []diff.Entity {
	byID := func(r diff.Row) string { return r.Text("id") }
	project := diff.Out("one for each key")
	return []diff.Entity{
		{Name: "session", Table: "ingest_session", Key: []string{"project", "id"}, KeyOf: byID, KeyForm: "session_id", Columns: map[string]diff.Column{
			"project": project, "id": diff.As("session_id", diff.Text).Plain("its own id"), "user_id": diff.As("user_id", diff.Ref).Refers("ingest.user"), "traits": diff.As("traits", diff.JSON),
			"metadata": diff.As("metadata", diff.JSON), "attributes": diff.As("attributes", diff.JSON), "client_config": diff.As("client_config", diff.Ref),
			"started": diff.As("timestamp", diff.Int), "registered": diff.As("registered", diff.Bool), "last_event": diff.As("last_event_at", some).Derived(),
			"events": diff.As("event_count", diff.Int).Derived(), "errors": diff.As("errors", diff.Int).Derived(), "input_tokens": diff.As("input_tokens", diff.Int).Derived(),
			"output_tokens": diff.As("output_tokens", diff.Int).Derived(),
		}, Lookup: &diff.Lookup{Value: "id", By: []diff.Name{{Column: "id"}}, Several: true}},
		{Name: "price", Table: "ingest_price", Key: []string{"project", "model"}, KeyOf: func(r diff.Row) string { return r.Text("model") }, KeyForm: "model", Columns: map[string]diff.Column{
			"project": project, "model": diff.As("model", diff.Text), "input": diff.As("input_per_million", diff.Real),
			"output": diff.As("output_per_million", diff.Real), "currency": diff.As("currency", diff.Text),
		}},
		{Name: "score", Table: "ingest_score", Key: []string{"id"}, KeyOf: byID, KeyForm: "id", Columns: map[string]diff.Column{
			"no": diff.Out("its place in lists"), "project": project, "id": diff.As("id", diff.Text), "session": diff.As("session_id", diff.Text).Refers("ingest.session"),
			"event": diff.As("event_id", diff.Ref).Plain("events have no names"), "number": diff.Out("again the event"), "name": diff.As("name", diff.Text), "text": diff.As("value", diff.Text),
			"value": diff.Out("again the value"), "comment": diff.As("comment", diff.Ref), "at": diff.Out("of what is judged"), "created": diff.As("created_at", diff.Int),
		}},
		{Name: "user", Table: "ingest_user", Key: []string{"project", "id"}, KeyOf: byID, KeyForm: "user_id", Columns: map[string]diff.Column{
			"project": project, "id": diff.As("user_id", diff.Text).Plain("its own id"), "traits": diff.As("traits", diff.JSON),
			"first_seen": diff.As("first_seen", diff.Int).Derived(), "last_seen": diff.As("last_seen", diff.Int).Derived(),
		}, Lookup: &diff.Lookup{Value: "id", By: []diff.Name{{Column: "id"}}, Several: true}},
		{Name: "retention", Table: "ingest_retention", Key: []string{"project"}, Columns: map[string]diff.Column{
			"project": diff.Used("one for each project"), "days": diff.As("days", diff.Int)}},
	}
}

// some is a number; 0 is null.
var some = diff.Shown("integer", func(raw any) any {
	if raw == int64(0) {
		return nil
	}
	return raw
})

// Fields returns the fields of an event by their names on the wire; missing ones
// are null.
func (e *Event) Fields() map[string]any {
	text := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	number := func(n int64) any {
		if n < 0 {
			return nil
		}
		return n
	}
	metadata := json.RawMessage(e.Metadata)
	if len(metadata) == 0 {
		metadata = json.RawMessage(`{}`)
	}
	out := map[string]any{
		"event_id": e.ID, "session_id": e.Session, "parent_id": text(e.Parent), "primitive_name": text(e.Name), "primitive_type": text(e.Type),
		"args": text(e.Args), "result": text(e.Result), "success": e.Success, "latency": number(e.Latency), "timestamp": e.Time,
		"received_at": e.Received, "metadata": metadata, "customer_id": text(e.Customer), "user_id": text(e.User),
		"input_tokens": number(e.InputTokens), "output_tokens": number(e.OutputTokens), "model": text(e.Model),
	}
	if e.Checkpoints != "" {
		out["checkpoints"] = json.RawMessage(e.Checkpoints)
	}
	return out
}

// EventFields declares the fields of an event.
func EventFields() []diff.Field {
	out := []diff.Field{diff.F("event_id", "text").Is("its own id"), diff.F("parent_id", "text").Is("events have no names"),
		diff.F("session_id", "text").To("ingest.session"), diff.F("user_id", "text").To("ingest.user"),
		diff.F("customer_id", "text").Is("whom the client names"), diff.F("success", "boolean"), diff.F("metadata", "any"), diff.F("checkpoints", "any")}
	for _, name := range []string{"primitive_name", "primitive_type", "args", "result", "model"} {
		out = append(out, diff.F(name, "text"))
	}
	for _, name := range []string{"latency", "timestamp", "received_at", "input_tokens", "output_tokens"} {
		out = append(out, diff.F(name, "integer"))
	}
	return out
}
