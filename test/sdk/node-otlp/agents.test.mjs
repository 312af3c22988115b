// Instrumented agents, unmodified: Vercel's AI SDK, OpenInference on OpenAI's
// client, and Langfuse's own spans. The models are answered on this machine.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai';
import { LangfuseSpanProcessor } from '@langfuse/otel';
import { propagateAttributes, setLangfuseTracerProvider, startActiveObservation, startObservation } from '@langfuse/tracing';
import OpenAI from 'openai';
import { versionOf, witnessed } from '../witness.mjs';
import { setUp } from './setup.mjs';

const require = createRequire(import.meta.url);
const program = (name, installed = name) => ({ service: 'ingest', kind: 'third party', name, version: versionOf(require, installed) });

let server, base, key, complaints;

before(async () => {
  ({ server, base, key, complaints } = await setUp());
  new NodeTracerProvider().register({ contextManager: new AsyncLocalStorageContextManager() }); // spans find their parents
});

after(async () => {
  await server?.stop();
});

const exporting = (url) => new NodeTracerProvider({
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${url}/v1/traces`, headers: { 'x-api-key': key } }))],
});

async function session(id) {
  const reply = await fetch(`${base}/api/v1/sessions/${id}`, { headers: { 'x-api-key': key } });
  assert.equal(reply.status, 200, await reply.clone().text());
  return reply.json();
}

/** All events of a tree, by kind. */
function byKind(tree, out = {}) {
  for (const e of tree) {
    (out[e.primitive_type] ??= []).push(e);
    byKind(e.children, out);
  }
  return out;
}

// The story of each AI SDK: the model asks for a tool, then answers.
const sdks = [
  { installed: 'ai5', mock: 'MockLanguageModelV2', usage: { inputTokens: 21, outputTokens: 9, totalTokens: 30 }, finish: (reason) => reason },
  { installed: 'ai6', mock: 'MockLanguageModelV3', usage: { inputTokens: { total: 21, noCache: 21 }, outputTokens: { total: 9, text: 9 } }, finish: (reason) => ({ unified: reason, raw: reason }) },
];

for (const { installed, mock, usage, finish } of sdks) {
  test(`a call of ${installed} with a tool becomes an agent, its model calls and its tool`, () => witnessed(server, program('ai', installed), async (w) => {
    const ai = await import(installed);
    const mocks = await import(`${installed}/test`);
    const provider = exporting(w.base_url);
    let calls = 0;
    const model = new mocks[mock]({ modelId: 'm-1', doGenerate: async () => (calls++ === 0
      ? { content: [{ type: 'tool-call', toolCallId: 't1', toolName: 'weather', input: '{"city":"Paris"}' }], finishReason: finish('tool-calls'), usage, warnings: [] }
      : { content: [{ type: 'text', text: 'It rains in Paris.' }], finishReason: finish('stop'), usage, warnings: [] }) });
    const { text } = await ai.generateText({
      model, prompt: 'Weather in Paris?', stopWhen: ai.stepCountIs(3),
      tools: { weather: ai.tool({ description: 'weather', inputSchema: ai.jsonSchema({ type: 'object', properties: { city: { type: 'string' } } }), execute: async () => ({ sky: 'rain' }) }) },
      experimental_telemetry: { isEnabled: true, functionId: 'Helper', metadata: { sessionId: `conv-${installed}`, userId: 'u-9' }, tracer: provider.getTracer('ai') },
    });
    assert.equal(text, 'It rains in Paris.');
    await provider.forceFlush();
    await provider.shutdown();
    const { session: s, tree } = await session(`conv-${installed}`);
    assert.equal(s.user_id, 'u-9');
    assert.deepEqual([s.input_tokens, s.output_tokens], [42, 18]); // of the model calls, not once more of the whole
    const kinds = byKind(tree);
    assert.equal(tree.length, 1);
    assert.equal(kinds.agent.length, 1);
    assert.deepEqual(kinds.model.map((e) => e.model), ['m-1', 'm-1']);
    assert.deepEqual(kinds.tool.map((e) => [e.primitive_name, e.args]), [['weather', '{"city":"Paris"}']]);
    assert.match(kinds.tool[0].result, /rain/);
  }));
}

test('a call of OpenAI under OpenInference becomes a call of a model', () => witnessed(server, program('@arizeai/openinference-instrumentation-openai'), async (w) => {
  const answers = createServer((req, res) => {
    req.resume().on('end', () => {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ id: 'c1', object: 'chat.completion', created: 1, model: 'm-2', usage: { prompt_tokens: 21, completion_tokens: 9, total_tokens: 30 },
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'It rains.' } }] }));
    });
  });
  await new Promise((resolve) => { answers.listen(0, '127.0.0.1', resolve); });
  const provider = exporting(w.base_url);
  const instrumentation = new OpenAIInstrumentation({ tracerProvider: provider });
  instrumentation.manuallyInstrument(OpenAI);
  const client = new OpenAI({ apiKey: 'none', baseURL: `http://127.0.0.1:${answers.address().port}/v1` });
  await provider.getTracer('app').startActiveSpan('ask', { attributes: { 'session.id': 'conv-openinference', 'user.id': 'u-9', 'openinference.span.kind': 'AGENT' } }, async (span) => {
    await client.chat.completions.create({ model: 'm-2', messages: [{ role: 'user', content: 'Weather in Paris?' }] });
    span.end();
  });
  await provider.forceFlush();
  await provider.shutdown();
  instrumentation.disable();
  answers.close();
  const { session: s, tree } = await session('conv-openinference');
  assert.deepEqual([s.user_id, s.input_tokens, s.output_tokens], ['u-9', 21, 9]);
  const [[model]] = [byKind(tree).model];
  assert.equal(model.model, 'm-2');
  assert.match(model.args, /Weather in Paris/);
  assert.match(model.result, /It rains/);
  assert.equal(tree[0].primitive_type, 'agent');
  assert.equal(tree[0].children[0].event_id, model.event_id);
}));

test("Langfuse's observations become an agent, a call of a model and a failed tool", () => witnessed(server, program('@langfuse/tracing'), async (w) => {
  const provider = new NodeTracerProvider({ spanProcessors: [new LangfuseSpanProcessor({ publicKey: 'any', secretKey: key, baseUrl: w.base_url })] });
  setLangfuseTracerProvider(provider);
  await propagateAttributes({ sessionId: 'conv-langfuse-tracing', userId: 'u-9', tags: ['trial'] }, () => startActiveObservation('Helper', async (agent) => {
    agent.update({ input: 'Weather in Paris?' });
    startObservation('chat', { model: 'm-3', usageDetails: { input: 21, output: 9 }, output: 'It rains.' }, { asType: 'generation' }).end();
    startObservation('weather', { input: { city: 'Paris' }, level: 'ERROR', statusMessage: 'upstream timed out' }, { asType: 'tool' }).end();
  }, { asType: 'agent' }));
  await provider.forceFlush();
  await provider.shutdown();
  const { session: s, tree } = await session('conv-langfuse-tracing');
  assert.deepEqual([s.user_id, s.input_tokens, s.output_tokens, s.errors], ['u-9', 21, 9, 1]);
  const kinds = byKind(tree);
  assert.deepEqual(kinds.agent.map((e) => e.primitive_name), ['Helper']);
  assert.deepEqual(kinds.model.map((e) => e.model), ['m-3']);
  assert.equal(kinds.tool[0].success, false);
  assert.match(JSON.stringify(kinds.tool[0].metadata), /upstream timed out/);
}));

test('no program complained', () => assert.deepEqual(complaints, []));
