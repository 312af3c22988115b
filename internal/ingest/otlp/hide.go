package otlp

import (
	"net/http"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"understudy/internal/platform/record"
)

// hide hides the credentials in a request from its recording, as events hide them.
func hide(w http.ResponseWriter, data *tracepb.TracesData) {
	for _, rs := range data.GetResourceSpans() {
		hideIn(w, rs.GetResource().GetAttributes())
		for _, ss := range rs.GetScopeSpans() {
			hideIn(w, ss.GetScope().GetAttributes())
			for _, span := range ss.GetSpans() {
				hideIn(w, span.GetAttributes())
				for _, e := range span.GetEvents() {
					hideIn(w, e.GetAttributes())
				}
				for _, l := range span.GetLinks() {
					hideIn(w, l.GetAttributes())
				}
			}
		}
	}
}

func hideIn(w http.ResponseWriter, list []*commonpb.KeyValue) {
	for _, kv := range list {
		hideValue(w, kv.GetValue(), isSecret(kv))
	}
}

// hideValue hides the texts of a credential, or the credentials in another value.
func hideValue(w http.ResponseWriter, v *commonpb.AnyValue, secret bool) {
	switch v := v.GetValue().(type) {
	case *commonpb.AnyValue_StringValue:
		if secret {
			record.Hide(w, v.StringValue)
		}
	case *commonpb.AnyValue_BytesValue:
		if secret {
			record.Hide(w, string(v.BytesValue))
		}
	case *commonpb.AnyValue_ArrayValue:
		for _, item := range v.ArrayValue.GetValues() {
			hideValue(w, item, secret)
		}
	case *commonpb.AnyValue_KvlistValue:
		for _, kv := range v.KvlistValue.GetValues() {
			hideValue(w, kv.GetValue(), secret || isSecret(kv))
		}
	}
}
