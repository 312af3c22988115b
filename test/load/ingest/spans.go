package main

import (
	"encoding/binary"
	"fmt"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

const (
	requestSpans = 512 // as exporters send them
	traceSpans   = 8
)

// measureTraces measures OpenTelemetry, with bodies that are written before.
func measureTraces(b *subject, s settings, c *column) error {
	bodies := make([][]byte, s.spans/requestSpans)
	for i := range bodies {
		var err error
		if bodies[i], err = proto.Marshal(traceRequest(i * requestSpans)); err != nil {
			return err
		}
	}
	took := b.parallel(s.connections, len(bodies), func(i int) {
		b.post(b.about.Ingest.BaseURL+"/v1/traces", "application/x-protobuf", bodies[i])
	})
	if err := b.err(); err != nil || len(bodies) == 0 {
		return err
	}
	rate := float64(len(bodies)*requestSpans) / took.Seconds()
	c.line(fmt.Sprintf("spans a second by OTLP protobuf, requests of %d spans of %d bytes", requestSpans, len(bodies[0])/requestSpans), "at least 5,000", rate >= 5000, "%.0f", rate)
	return nil
}

// traceRequest returns a request with the spans from a number on: agents that
// call a model and tools.
func traceRequest(from int) *trace.TracesData {
	scope := &trace.ScopeSpans{Scope: &common.InstrumentationScope{Name: "bench"}}
	for n := from; n < from+requestSpans; n++ {
		scope.Spans = append(scope.Spans, span(n))
	}
	return &trace.TracesData{ResourceSpans: []*trace.ResourceSpans{{ScopeSpans: []*trace.ScopeSpans{scope}}}}
}

func span(n int) *trace.Span {
	id := func(n int, b []byte) []byte { return binary.BigEndian.AppendUint64(b, mixed(n)) }
	text := func(key, value string) *common.KeyValue {
		return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
	}
	number := func(key string, value int64) *common.KeyValue {
		return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: value}}}
	}
	root := n / traceSpans * traceSpans
	at := uint64(time.UnixMilli(first).Add(time.Duration(n) * time.Millisecond).UnixNano())
	s := &trace.Span{TraceId: id(root, id(root+1, nil)), SpanId: id(n, nil), StartTimeUnixNano: at, EndTimeUnixNano: at + uint64(5+n%300)*1e6}
	switch {
	case n == root:
		s.Name = "invoke_agent Helper"
		s.Attributes = []*common.KeyValue{text("gen_ai.operation.name", "invoke_agent"), text("gen_ai.agent.name", "Helper"),
			text("session.id", fmt.Sprintf("conversation-%d", root/traceSpans/4)), text("user.id", fmt.Sprintf("user-%05d", root%userCount)), number("gen_ai.usage.input_tokens", 42)}
		return s
	case n%2 == 1:
		s.Name = "chat model-1"
		s.Attributes = []*common.KeyValue{text("gen_ai.operation.name", "chat"), text("gen_ai.request.model", "model-1"), number("gen_ai.usage.input_tokens", 21),
			number("gen_ai.usage.output_tokens", 9), text("gen_ai.input.messages", `[{"role":"user","parts":[{"type":"text","content":"Which orders are open for acme?"}]}]`),
			text("gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"tool_call","name":"orders","arguments":{"customer":"acme"}}],"finish_reason":"tool_call"}]`)}
	default:
		s.Name = "execute_tool orders"
		s.Attributes = []*common.KeyValue{text("gen_ai.operation.name", "execute_tool"), text("gen_ai.tool.name", "orders"),
			text("gen_ai.tool.call.arguments", `{"customer":"acme","status":"open"}`), text("gen_ai.tool.call.result", `{"orders":[{"id":1001,"status":"open"}]}`)}
		s.Events = []*trace.Span_Event{{Name: "database", TimeUnixNano: at + 2e6}}
	}
	s.ParentSpanId = id(root, nil)
	return s
}
