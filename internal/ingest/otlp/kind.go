package otlp

import (
	"strings"

	"understudy/internal/ingest"
)

// conventions are the attributes in which instrumentations name the kind of a span's
// operation. If a span follows several conventions, the first one counts.
var conventions = []struct {
	attribute string
	kinds     map[string]string // by the attribute's value in lower case
}{
	{"gen_ai.operation.name", map[string]string{ // OpenTelemetry's own
		"invoke_agent": ingest.TypeAgent, "create_agent": ingest.TypeAgent, "invoke_workflow": ingest.TypeAgent,
		"chat": ingest.TypeModel, "text_completion": ingest.TypeModel, "generate_content": ingest.TypeModel,
		"execute_tool": ingest.TypeTool, "embeddings": ingest.TypeEmbedding, "agent_step": ingest.TypeStep,
	}},
	{"ai.operationId", map[string]string{ // the AI SDK up to 6
		"ai.generatetext": ingest.TypeAgent, "ai.streamtext": ingest.TypeAgent, "ai.generateobject": ingest.TypeAgent, "ai.streamobject": ingest.TypeAgent,
		"ai.generatetext.dogenerate": ingest.TypeModel, "ai.streamtext.dostream": ingest.TypeModel,
		"ai.generateobject.dogenerate": ingest.TypeModel, "ai.streamobject.dostream": ingest.TypeModel,
		"ai.toolcall": ingest.TypeTool, "ai.embed.doembed": ingest.TypeEmbedding, "ai.embedmany.doembed": ingest.TypeEmbedding,
	}},
	{"openinference.span.kind", map[string]string{
		"agent": ingest.TypeAgent, "chain": ingest.TypeAgent, "llm": ingest.TypeModel, "tool": ingest.TypeTool,
		"embedding": ingest.TypeEmbedding, "retriever": ingest.TypeRetrieval, "reranker": ingest.TypeRetrieval,
		"guardrail": ingest.TypeStep, "evaluator": ingest.TypeStep, "prompt": ingest.TypeStep,
	}},
	{"langfuse.observation.type", map[string]string{
		"agent": ingest.TypeAgent, "chain": ingest.TypeAgent, "span": ingest.TypeAgent, "generation": ingest.TypeModel, "tool": ingest.TypeTool,
		"embedding": ingest.TypeEmbedding, "retriever": ingest.TypeRetrieval,
		"guardrail": ingest.TypeStep, "evaluator": ingest.TypeStep, "event": ingest.TypeStep,
	}},
	{"traceloop.span.kind", map[string]string{
		"workflow": ingest.TypeAgent, "agent": ingest.TypeAgent, "task": ingest.TypeAgent, "session": ingest.TypeAgent,
		"tool": ingest.TypeTool, "unknown": ingest.TypeStep,
	}},
	{"llm.request.type", map[string]string{ // older Traceloop
		"chat": ingest.TypeModel, "completion": ingest.TypeModel, "embedding": ingest.TypeEmbedding, "rerank": ingest.TypeRetrieval,
	}},
	{"mcp.method.name", map[string]string{"tools/call": ingest.TypeTool}},
}

// vectorStores are the databases for which Traceloop's spans are retrievals.
var vectorStores = map[string]bool{"chroma": true, "lancedb": true, "marqo": true, "milvus": true, "pinecone": true, "qdrant": true, "weaviate": true}

// kindOf returns the type of primitive for a span.
func kindOf(a *attributes) string {
	for _, c := range conventions {
		if kind := c.kinds[strings.ToLower(a.text(c.attribute))]; kind != "" {
			return kind
		}
	}
	switch {
	case vectorStores[strings.ToLower(a.text("db.system"))]:
		return ingest.TypeRetrieval
	case a.text("gen_ai.tool.name") != "":
		return ingest.TypeTool
	case a.text("gen_ai.request.model") != "" && a.text("gen_ai.system")+a.text("gen_ai.provider.name") != "":
		return ingest.TypeModel
	}
	return ingest.TypeStep
}
