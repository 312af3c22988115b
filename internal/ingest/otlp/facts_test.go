package otlp_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"understudy/internal/ingest"
)

// attr returns attributes by name and value, in this order: texts, whole numbers,
// fractions, truth values, lists of texts.
func attr(list ...any) (out []*commonpb.KeyValue) {
	for i := 0; i < len(list); i += 2 {
		out = append(out, &commonpb.KeyValue{Key: list[i].(string), Value: valueOf(list[i+1])})
	}
	return out
}

func valueOf(v any) *commonpb.AnyValue {
	switch v := v.(type) {
	case int:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: int64(v)}}
	case float64:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: v}}
	case bool:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: v}}
	case []byte:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_BytesValue{BytesValue: v}}
	case []string:
		values := &commonpb.ArrayValue{}
		for _, s := range v {
			values.Values = append(values.Values, text(s))
		}
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: values}}
	}
	return text(v.(string))
}

// stored sends one span as a trace in one encoding, and returns its event and session.
func stored(t *testing.T, w *wire, kind string, s *tracepb.Span, resource []*commonpb.KeyValue) (ingest.Event, ingest.Session) {
	t.Helper()
	tracesSent++
	s.TraceId = binary.BigEndian.AppendUint64(bytes.Repeat([]byte{7}, 8), tracesSent)
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{Resource: &resourcepb.Resource{Attributes: resource},
		ScopeSpans: []*tracepb.ScopeSpans{{Spans: []*tracepb.Span{s}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if kind == jsonType {
		body = inJSON(t, body)
	}
	if rec := w.send(kind, body); rec.Code != http.StatusOK || strings.Contains(rec.Body.String(), "rejected") {
		t.Fatalf("%d %q", rec.Code, rec.Body)
	}
	project := w.in.DefaultProject()
	e, err := w.in.Event(ctx, project, ingest.SpanEvent(project, hex.EncodeToString(s.GetTraceId()), hex.EncodeToString(s.GetSpanId())))
	if err != nil {
		t.Fatal(err)
	}
	sessions, _, err := w.in.Sessions(ctx, project, ingest.Filter{Sessions: []string{e.Session}}, ingest.SessionPosition{}, 10)
	if err != nil || len(sessions) != 1 {
		t.Fatalf("%d sessions, %v", len(sessions), err)
	}
	return e.Event, sessions[0]
}

var tracesSent uint64

// shown returns the properties of an event and its session that the tests compare.
func shown(e ingest.Event, s ingest.Session) map[string]string {
	out := map[string]string{"type": e.Type, "name": e.Name, "model": e.Model, "user": e.User, "args": e.Args, "result": e.Result, "success": fmt.Sprint(e.Success),
		"tokens": fmt.Sprintf("%d / %d", e.InputTokens, e.OutputTokens), "latency": fmt.Sprint(e.Latency), "checkpoints": e.Checkpoints, "client": s.Client}
	if out["session"] = s.ID; strings.HasPrefix(s.ID, strings.Repeat("07", 8)) {
		out["session"] = "the trace"
	}
	for name, value := range s.Traits {
		out["trait."+name] = string(value)
	}
	var metadata map[string]json.RawMessage
	_ = json.Unmarshal([]byte(e.Metadata), &metadata)
	for name, value := range metadata {
		out["metadata."+name] = string(value)
	}
	return out
}

type fact struct {
	given []*commonpb.KeyValue
	want  map[string]string
}

// fields are the attributes for each field of an event. The first one that is present
// counts.
var fields = map[string]struct {
	sources []string
	also    []any // further attributes without which the field is not read
}{
	"session": {[]string{"session.id", "langfuse.session.id", "gen_ai.conversation.id", "traceloop.association.properties.session_id",
		"ai.telemetry.metadata.sessionId"}, nil},
	"user": {[]string{"user.id", "langfuse.user.id", "enduser.id", "traceloop.association.properties.user_id", "ai.telemetry.metadata.userId"}, nil},
	"model": {[]string{"gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "ai.response.model", "ai.model.id",
		"langfuse.observation.model.name", "embedding.model_name"}, nil},
	"args": {[]string{"gen_ai.tool.call.arguments", "ai.toolCall.args", "langfuse.observation.input", "input.value", "traceloop.entity.input",
		"gen_ai.input.messages", "ai.prompt.messages", "ai.prompt"}, nil},
	"result": {[]string{"gen_ai.tool.call.result", "ai.toolCall.result", "langfuse.observation.output", "output.value", "traceloop.entity.output",
		"gen_ai.output.messages", "ai.response.text"}, nil},
	"name": {[]string{"gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name"}, []any{"openinference.span.kind", "TOOL"}},
}

// kinds are the types of primitive by the values of the attribute of each convention.
var kinds = map[string]map[string]string{
	"gen_ai.operation.name": {"invoke_agent": "agent", "create_agent": "agent", "invoke_workflow": "agent", "chat": "model", "text_completion": "model",
		"generate_content": "model", "execute_tool": "tool", "embeddings": "embedding", "agent_step": "step", "something_new": "step"},
	"ai.operationId": {"ai.generateText": "agent", "ai.streamText": "agent", "ai.generateObject": "agent", "ai.streamObject": "agent",
		"ai.generateText.doGenerate": "model", "ai.streamText.doStream": "model", "ai.generateObject.doGenerate": "model", "ai.streamObject.doStream": "model",
		"ai.toolCall": "tool", "ai.embed.doEmbed": "embedding", "ai.embedMany.doEmbed": "embedding"},
	"openinference.span.kind": {"AGENT": "agent", "CHAIN": "agent", "LLM": "model", "TOOL": "tool", "EMBEDDING": "embedding", "RETRIEVER": "retrieval",
		"RERANKER": "retrieval", "GUARDRAIL": "step", "EVALUATOR": "step", "PROMPT": "step"},
	"langfuse.observation.type": {"agent": "agent", "chain": "agent", "span": "agent", "generation": "model", "tool": "tool", "embedding": "embedding",
		"retriever": "retrieval", "guardrail": "step", "evaluator": "step", "event": "step"},
	"traceloop.span.kind": {"workflow": "agent", "agent": "agent", "task": "agent", "session": "agent", "tool": "tool", "unknown": "step"},
}

// usage is how each convention reports tokens.
var usage = [][2]string{{"gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"}, {"gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens"},
	{"ai.usage.promptTokens", "ai.usage.completionTokens"}, {"ai.usage.inputTokens", "ai.usage.outputTokens"}, {"llm.token_count.prompt", "llm.token_count.completion"}}

func facts() map[string]fact {
	out := map[string]fact{}
	for field, f := range fields {
		for i, source := range f.sources {
			given := attr(f.also...)
			for _, later := range f.sources[i:] { // the span also has the later sources
				given = append(given, attr(later, "of "+later)...)
			}
			out[field+" of "+source] = fact{given, map[string]string{field: "of " + source}}
		}
	}
	for attribute, values := range kinds {
		for value, kind := range values {
			out[attribute+" "+value] = fact{attr(attribute, value), map[string]string{"type": kind}}
		}
	}
	for i, pair := range usage {
		given := attr("openinference.span.kind", "LLM", pair[0], 21, pair[1], 9)
		if i+1 < len(usage) {
			given = append(given, attr(usage[i+1][0], 99, usage[i+1][1], 99)...)
		}
		if i == 2 {
			given = given[:3] // the AI SDK 5 sends no pair of version 6
		}
		out["tokens of "+pair[0]] = fact{given, map[string]string{"tokens": "21 / 9"}}
	}
	for name, one := range map[string]fact{
		"no session":                 {attr("x", "y"), map[string]string{"session": "the trace", "type": "step", "name": "s", "success": "true", "latency": "5"}},
		"agent's name":               {attr("gen_ai.operation.name", "invoke_agent", "gen_ai.agent.name", "Helper"), map[string]string{"name": "Helper", "metadata.span_name": `"s"`}},
		"agent's older name":         {attr("openinference.span.kind", "AGENT", "agent.name", "Helper"), map[string]string{"name": "Helper"}},
		"model call's name":          {attr("gen_ai.operation.name", "chat", "gen_ai.request.model", "m-1"), map[string]string{"name": "m-1", "model": "m-1"}},
		"unknown keeps its name":     {attr("gen_ai.tool.description", "x"), map[string]string{"type": "step", "name": "s"}},
		"vector store":               {attr("db.system", "pinecone"), map[string]string{"type": "retrieval"}},
		"Traceloop's model call":     {attr("llm.request.type", "chat"), map[string]string{"type": "model"}},
		"MCP":                        {attr("mcp.method.name", "tools/call", "mcp.session.id", "x", "gen_ai.tool.name", "weather"), map[string]string{"type": "tool", "name": "weather", "metadata.mcp.session.id": `"x"`}},
		"Langfuse's usage":           {attr("langfuse.observation.type", "generation", "langfuse.observation.usage_details", `{"input":21,"output":9,"total":30}`), map[string]string{"tokens": "21 / 9"}},
		"calls of tools":             {attr("ai.response.toolCalls", `[{"toolName":"w"}]`), map[string]string{"result": `[{"toolName":"w"}]`}},
		"text with calls of tools":   {attr("ai.response.text", "so", "ai.response.toolCalls", `[{"toolName":"w"}]`), map[string]string{"result": `{"text":"so","toolCalls":[{"toolName":"w"}]}`}},
		"flat messages":              {attr("llm.input_messages.0.message.role", "user", "llm.input_messages.0.message.content", "hi"), map[string]string{"args": `[{"role":"user","content":"hi"}]`}},
		"flat answer":                {attr("llm.output_messages.0.message.role", "assistant", "llm.output_messages.0.message.tool_calls.0.tool_call.function.name", "w"), map[string]string{"result": `[{"role":"assistant","tool_calls":[{"function":{"name":"w"}}]}]`}},
		"older flat prompt":          {attr("gen_ai.prompt.0.role", "user", "gen_ai.prompt.0.content", "hi", "gen_ai.completion.0.content", "ho"), map[string]string{"args": `[{"role":"user","content":"hi"}]`, "result": `[{"content":"ho"}]`}},
		"Langfuse's error":           {attr("langfuse.observation.level", "ERROR", "langfuse.observation.status_message", "timed out"), map[string]string{"success": "false", "result": "timed out", "metadata.error": `"timed out"`}},
		"error by type":              {attr("error.type", "Timeout"), map[string]string{"success": "false", "result": "Timeout"}},
		"first chunk by its time":    {attr("ai.response.msToFirstChunk", 3.4), map[string]string{"checkpoints": `[{"name":"first_token","timestamp":3}]`}},
		"first token of Langfuse":    {attr("langfuse.observation.completion_start_time", `"2026-11-22T03:13:00.155Z"`), map[string]string{"checkpoints": `[{"name":"first_token","timestamp":2}]`}},
		"traits of Langfuse":         {attr("langfuse.trace.metadata.plan", "pro", "langfuse.trace.tags", []string{"a", "b"}), map[string]string{"trait.plan": `"pro"`, "trait.tags": `["a","b"]`}},
		"traits of OpenInference":    {attr("metadata", `{"plan":"pro","seats":3}`, "tag.tags", []string{"a"}), map[string]string{"trait.plan": `"pro"`, "trait.seats": `3`, "trait.tags": `["a"]`}},
		"traits of the AI SDK":       {attr("ai.telemetry.metadata.plan", "pro"), map[string]string{"trait.plan": `"pro"`}},
		"traits of Traceloop":        {attr("traceloop.association.properties.plan", "pro"), map[string]string{"trait.plan": `"pro"`}},
		"all others go to metadata":  {attr("gen_ai.request.temperature", 0.2, "stop", []string{"a", "b"}, "ok", true, "n", 7, "raw", []byte{1, 2}), map[string]string{"metadata.gen_ai.request.temperature": "0.2", "metadata.stop": `["a","b"]`, "metadata.ok": "true", "metadata.n": "7", "metadata.raw": `"AQI="`}},
		"ids stay in metadata":       {attr("x", "y"), map[string]string{"metadata.span_id": `"` + strings.Repeat("01", 8) + `"`}},
		"cached and reasoning stay":  {attr("gen_ai.usage.cache_read.input_tokens", 4, "ai.usage.reasoningTokens", 2), map[string]string{"metadata.gen_ai.usage.cache_read.input_tokens": "4", "metadata.ai.usage.reasoningTokens": "2", "tokens": "-1 / -1"}},
		"prompt of Langfuse, scores": {attr("langfuse.observation.prompt.name", "p", "langfuse.observation.metadata.k", "v"), map[string]string{"metadata.langfuse.observation.prompt.name": `"p"`, "metadata.langfuse.observation.metadata.k": `"v"`}},
	} {
		out[name] = one
	}
	return out
}

// Each attribute of an instrumentation sets the corresponding field of the event, in
// both encodings.
func TestAttributesBecomeFields(t *testing.T) {
	w := open(t)
	for name, row := range facts() {
		for _, kind := range []string{protobuf, jsonType} {
			s := span(1)
			s.Attributes = row.given
			got := shown(stored(t, w, kind, s, nil))
			for field, want := range row.want {
				if got[field] != want {
					t.Errorf("%s, %s: %s is %q, want %q", name, kind, field, got[field], want)
				}
			}
		}
	}
}

// Events show the program, version and environment of the resource. They have its
// session if the span has none. No other attribute of the resource is shown.
func TestResourcesNameTheProgram(t *testing.T) {
	e, s := stored(t, open(t), protobuf, span(1), attr("service.name", "demo", "service.version", "1.2", "deployment.environment.name", "prod", "deployment.environment", "old",
		"openinference.project.name", "proj", "session.id", "conv", "process.command_line", "secret --token x", "host.name", "box"))
	got := shown(e, s)
	for field, want := range map[string]string{"client": "demo", "session": "conv", "metadata.service.version": `"1.2"`, "metadata.deployment.environment.name": `"prod"`,
		"metadata.deployment.environment": `"old"`, "metadata.openinference.project.name": `"proj"`, "metadata.process.command_line": "", "metadata.host.name": ""} {
		if got[field] != want {
			t.Errorf("%s is %q, want %q", field, got[field], want)
		}
	}
}

// The events of a span become checkpoints, except exceptions and messages. A span
// fails through its status or an exception.
func TestEventsAndStatusOfSpans(t *testing.T) {
	w := open(t)
	for name, row := range map[string]struct {
		change func(s *tracepb.Span)
		want   map[string]string
	}{
		"checkpoints": {func(s *tracepb.Span) {
			s.Events = []*tracepb.Span_Event{{Name: "cache_lookup", TimeUnixNano: at + 2_500_000, Attributes: attr("hit", false)}, {Name: "gen_ai.choice", TimeUnixNano: at},
				{Name: "ai.stream.firstChunk", TimeUnixNano: at + 3_000_000}}
			s.Attributes = attr("ai.response.msToFirstChunk", 4)
		}, map[string]string{"checkpoints": `[{"name":"cache_lookup","timestamp":2.5,"metadata":{"hit":false}},{"name":"first_token","timestamp":3}]`, "success": "true"}},
		"messages": {func(s *tracepb.Span) {
			s.Events = []*tracepb.Span_Event{{Name: "gen_ai.user.message", Attributes: attr("content", "hi")}, {Name: "gen_ai.choice", Attributes: attr("message", "ho")}}
		}, map[string]string{"args": `[{"role":"user","content":"hi"}]`, "result": `[{"role":"assistant","message":"ho"}]`, "checkpoints": ""}},
		"exception": {func(s *tracepb.Span) {
			s.Events = []*tracepb.Span_Event{{Name: "exception", Attributes: attr("exception.type", "TypeError", "exception.message", "no", "exception.stacktrace", "at x")}}
		}, map[string]string{"success": "false", "result": "TypeError: no", "metadata.exception.stacktrace": `"at x"`, "checkpoints": ""}},
		"status": {func(s *tracepb.Span) {
			s.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: "broken"}
		}, map[string]string{"success": "false", "result": "broken"}},
		"status ok": {func(s *tracepb.Span) { s.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_OK} }, map[string]string{"success": "true"}},
		"rounded":   {func(s *tracepb.Span) { s.EndTimeUnixNano = at + 2_500_000 }, map[string]string{"latency": "3"}},
		"client":    {func(s *tracepb.Span) { s.Kind = tracepb.Span_SPAN_KIND_CLIENT }, map[string]string{"metadata.span_kind": `"client"`}},
	} {
		for _, kind := range []string{protobuf, jsonType} {
			s := span(1)
			row.change(s)
			got := shown(stored(t, w, kind, s, nil))
			for field, want := range row.want {
				if got[field] != want {
					t.Errorf("%s, %s: %s is %q, want %q", name, kind, field, got[field], want)
				}
			}
		}
	}
}

// The JSON of exporters in other languages is read: numbers as texts and as numbers,
// names of enumerations, ids in upper case, unknown members, empty values.
func TestFormsOfJSON(t *testing.T) {
	w := open(t)
	body := `{"resourceSpans":[{"resource":{"attributes":[],"droppedAttributesCount":0},"schemaUrl":"u","scopeSpans":[{"scope":{},"spans":[
		{"traceId":"4A8C5EA7D5C764D9B7D84C51C6AB0549","spanId":"EADE1A44F399E08E","parentSpanId":"","name":"n","kind":"SPAN_KIND_INTERNAL","flags":257,"traceState":"",
		"startTimeUnixNano":"1795317410058000000","endTimeUnixNano":1795317410061111951,"status":{"code":"STATUS_CODE_ERROR","message":"no"},"newField":{"a":[{}]},
		"attributes":[{"key":"i","value":{"intValue":"7"}},{"key":"j","value":{"intValue":8}},{"key":"d","value":{"doubleValue":1.5}},{"key":"b","value":{"boolValue":true}},
		{"key":"l","value":{"arrayValue":{"values":[{"stringValue":"x"},{"intValue":1}]}}},{"key":"m","value":{"kvlistValue":{"values":[{"key":"k","value":{"stringValue":"v"}}]}}},
		{"key":"raw","value":{"bytesValue":"AQI="}},{"key":"none","value":{}}]},
		{"traceId":"4a8c5ea7d5c764d9b7d84c51c6ab0549","spanId":"eade1a44f399e08f","parentSpanId":"EADE1A44F399E08E","name":"below","startTimeUnixNano":"1795317410059000000","endTimeUnixNano":"1795317410060000000","status":{"code":2}}]}]}]}`
	if rec := w.send(jsonType, []byte(body)); rec.Code != 200 || rec.Body.String() != "{}" {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	got := w.tree(t)
	for _, part := range []string{"session 4a8c5ea7d5c764d9b7d84c51c6ab0549", "events 2 errors 2", `"i":7`, `"j":8`, `"d":1.5`, `"b":true`, `"l":["x",1]`, `"m":{"k":"v"}`, `"raw":"AQI="`,
		"for 3 user", "\n    "} {
		if !strings.Contains(got, part) {
			t.Errorf("no %s in\n%s", part, got)
		}
	}
	if strings.Contains(got, `"none"`) || strings.Contains(got, "parent missing") {
		t.Error(got)
	}
}

// The same request with and without gzip results in the same rows.
func TestCompressionChangesNothing(t *testing.T) {
	body, err := os.ReadFile("testdata/otel-proto.body.pb")
	if err != nil {
		t.Fatal(err)
	}
	plain, packed := open(t), open(t)
	if a, b := plain.send(protobuf, body), packed.send(protobuf, zipped(body), "Content-Encoding", "gzip"); a.Code != 200 || b.Code != 200 {
		t.Fatal(a.Code, b.Code)
	}
	if a, b := plain.tree(t), packed.tree(t); a != b || !strings.Contains(a, "session") {
		t.Errorf("plain:\n%s\ncompressed:\n%s", a, b)
	}
	if rec := packed.send(protobuf, body); rec.Code != 200 || packed.tree(t) != plain.tree(t) { // sent again without gzip
		t.Error(rec.Code, packed.tree(t))
	}
}

// An error is a google.rpc.Status. It has the encoding of the request, and so has the
// reply that counts rejected spans.
func TestRepliesInTheFormOfTheRequest(t *testing.T) {
	w := open(t)
	rec := w.send(protobuf, []byte("\xff\xff"))
	code, message := fieldsOf(t, rec.Body.Bytes())
	if rec.Code != 400 || code != 3 || message == "" {
		t.Errorf("%d: code %d, %q", rec.Code, code, message)
	}
	rec = w.send(jsonType, []byte("{"))
	var status struct {
		Code    int
		Message string
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &status); err != nil || rec.Code != 400 || status.Code != 3 || status.Message == "" {
		t.Errorf("%d %s: %v", rec.Code, rec.Body, err)
	}
	bad := span(1)
	bad.TraceId = nil
	rec = w.send(protobuf, request(bad, span(2)))
	number, _, n := protowire.ConsumeTag(rec.Body.Bytes())
	partial, _ := protowire.ConsumeBytes(rec.Body.Bytes()[n:])
	count, message := fieldsOf(t, partial)
	if rec.Code != 200 || number != 1 || count != 1 || !strings.Contains(message, "trace_id") {
		t.Errorf("%d %q: %d, %q", rec.Code, rec.Body, count, message)
	}
	rec = w.send(jsonType, inJSON(t, request(bad, span(2))))
	var reply struct {
		PartialSuccess struct {
			RejectedSpans string
			ErrorMessage  string
		}
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &reply); err != nil || rec.Code != 200 || reply.PartialSuccess.RejectedSpans != "1" || !strings.Contains(reply.PartialSuccess.ErrorMessage, "trace_id") {
		t.Errorf("%d %s: %v", rec.Code, rec.Body, err)
	}
}

// fieldsOf returns field 1, a number, and field 2, a text, of a message.
func fieldsOf(t *testing.T, b []byte) (number uint64, message string) {
	t.Helper()
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatalf("%q is no message", b)
		}
		b = b[n:]
		switch {
		case field == 1 && kind == protowire.VarintType:
			number, n = protowire.ConsumeVarint(b)
		case field == 2 && kind == protowire.BytesType:
			message, n = protowire.ConsumeString(b)
		default:
			n = protowire.ConsumeFieldValue(field, kind, b)
		}
		if n < 0 {
			t.Fatalf("%q is no message", b)
		}
		b = b[n:]
	}
	return number, message
}
