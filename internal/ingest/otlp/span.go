package otlp

import (
	"cmp"
	"context"
	"errors"
	"strings"

	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"understudy/internal/ingest"
)

// maxEvent bounds the size of an event, in bytes.
const maxEvent = 8 << 20

// The attributes for the fields of an event. The first attribute that is present
// counts.
var (
	sessionNames = []string{"session.id", "langfuse.session.id", "gen_ai.conversation.id",
		"traceloop.association.properties.session_id", "ai.telemetry.metadata.sessionId", "ai.settings.context.sessionId"}
	userNames = []string{"user.id", "langfuse.user.id", "enduser.id", "traceloop.association.properties.user_id",
		"ai.telemetry.metadata.userId", "ai.settings.context.userId"}
	toolNames  = []string{"gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name"}
	agentNames = []string{"gen_ai.agent.name", "agent.name"}
	modelNames = []string{"gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "ai.response.model", "ai.model.id",
		"langfuse.observation.model.name", "embedding.model_name"}
	inputNames = []string{"gen_ai.tool.call.arguments", "ai.toolCall.args", "langfuse.observation.input", "input.value",
		"traceloop.entity.input", "gen_ai.input.messages", "ai.prompt.messages", "ai.prompt"}
	outputNames = []string{"gen_ai.tool.call.result", "ai.toolCall.result", "langfuse.observation.output", "output.value",
		"traceloop.entity.output", "gen_ai.output.messages"}
	inputTokenNames = []string{"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "ai.usage.inputTokens", "ai.usage.promptTokens",
		"llm.token_count.prompt", "ai.usage.tokens"}
	outputTokenNames = []string{"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "ai.usage.outputTokens",
		"ai.usage.completionTokens", "llm.token_count.completion"}
)

// spans returns the valid spans of a request, and adds the others to bad. It returns
// the errors of reading the retention.
func (h *Handler) spans(ctx context.Context, project string, data *tracepb.TracesData, form form, bad *rejected) ([]ingest.Span, error) {
	var out []ingest.Span
	now, ages := h.d.Ingest.Now(), ingest.NewAges(h.d.Ingest, project)
	for _, rs := range data.GetResourceSpans() {
		res := resourceOf(rs.GetResource())
		for _, ss := range rs.GetScopeSpans() {
			for _, sent := range ss.GetSpans() {
				r := reading{Span: sent, attributes: newAttributes(sent.GetAttributes()), resource: res, scope: ss.GetScope(), form: form}
				s, err := r.read()
				if err == nil {
					err = h.d.Ingest.CheckSpan(project, &s, now)
				}
				if err == nil {
					if err = ages.Check(ctx, &s.Event); err != nil && !errors.Is(err, ingest.ValidationFailed) {
						return nil, err
					}
				}
				if err != nil {
					bad.add(hexOf(sent.GetSpanId(), 8, form), err)
					continue
				}
				out = append(out, s)
			}
		}
	}
	return out, nil
}

// resource describes the program that sent spans.
type resource struct {
	session, service string
	shown            []member // members for the metadata of the program's events
}

// shownOfResource are the attributes of a resource that events show. Not everyone who
// reads events should see the others, such as the command line of a process.
var shownOfResource = []string{"service.name", "service.version", "service.namespace", "deployment.environment.name", "deployment.environment",
	"openinference.project.name", "telemetry.sdk.language"}

func resourceOf(r *resourcepb.Resource) *resource {
	a := newAttributes(r.GetAttributes())
	out := &resource{session: a.text("session.id"), service: a.text("service.name")}
	for _, name := range shownOfResource {
		if v := a.get(name); v != nil {
			out.shown = append(out.shown, member{name, appendValue(nil, v)})
		}
	}
	return out
}

// read returns the span as an ingest.Span. It returns ingest.ValidationFailed for more
// than maxEvent bytes.
func (r *reading) read() (ingest.Span, error) {
	s := ingest.Span{Trace: hexOf(r.GetTraceId(), 16, r.form), Span: hexOf(r.GetSpanId(), 8, r.form), Program: r.resource.service}
	if len(r.GetParentSpanId()) > 0 {
		s.Above = hexOf(r.GetParentSpanId(), 8, r.form)
	}
	s.Type = kindOf(r.attributes)
	s.Call = s.Type == ingest.TypeModel || s.Type == ingest.TypeEmbedding
	s.Naming = cmp.Or(r.first(sessionNames...), r.resource.session)
	s.User = r.first(userNames...)
	r.useAll(sessionNames)
	r.useAll(userNames)
	s.Model = r.first(modelNames...)
	s.Name = cmp.Or(r.name(s.Type, s.Model), r.GetName())
	s.InputTokens, s.OutputTokens = r.tokens()
	r.times(&s.Event)
	s.Args, s.Result = r.input(), r.output()
	failure, failed := r.failure()
	s.Success = !failed
	if failed && s.Result == "" {
		s.Result = failure
	}
	s.Traits = r.traits()
	s.Checkpoints = r.checkpoints(&s.Event)
	s.Metadata = r.metadata(&s, failure)
	if n := len(s.Args) + len(s.Result) + len(s.Metadata) + len(s.Checkpoints); n > maxEvent {
		return s, ingest.ValidationFailed.Detailf("is %d bytes; limit is %d", n, maxEvent)
	}
	return s, nil
}

// name returns the name of an operation of a kind. It returns "" if the event must
// have the name of the span.
func (r *reading) name(kind, model string) string {
	switch kind {
	case ingest.TypeTool:
		return r.first(toolNames...)
	case ingest.TypeAgent:
		return r.first(agentNames...)
	case ingest.TypeModel:
		return model
	}
	return ""
}

// times reads the start and the duration of the span. Without a start it uses the
// end. Without an end, or with one before the start, the duration is unknown.
func (r *reading) times(e *ingest.Event) {
	const milli = 1_000_000
	start, end := r.GetStartTimeUnixNano(), r.GetEndTimeUnixNano()
	e.Latency = ingest.Absent
	switch {
	case start == 0 && end == 0:
		return
	case start == 0:
		start, e.Untimed = end, true
	case end >= start:
		e.Latency = int64((end - start + milli/2) / milli)
	}
	e.Time = max(int64(start/milli), 1) // 0 would count as missing
}

// failure returns the error of a span, and whether the span failed. The error can be
// "" even if it failed.
func (r *reading) failure() (text string, failed bool) {
	status := r.GetStatus()
	failed = status.GetCode() == tracepb.Status_STATUS_CODE_ERROR || strings.EqualFold(r.text("langfuse.observation.level"), "ERROR")
	text = cmp.Or(status.GetMessage(), r.text("langfuse.observation.status_message"))
	for _, e := range r.GetEvents() {
		if e.GetName() != "exception" {
			continue
		}
		failed = true
		a := newAttributes(e.GetAttributes())
		kind, message := a.text("exception.type"), a.text("exception.message")
		if kind != "" && message != "" {
			kind += ": "
		}
		text = cmp.Or(text, kind+message)
	}
	kind := r.text("error.type")
	if kind != "" {
		failed = true
	}
	if !failed {
		return "", false
	}
	return cmp.Or(text, kind), true
}
