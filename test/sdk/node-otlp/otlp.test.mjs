// The official exporters of OpenTelemetry and Langfuse's client, unmodified.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { trace, context } from '@opentelemetry/api';
import { BatchSpanProcessor, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { OTLPTraceExporter as Protobuf } from '@opentelemetry/exporter-trace-otlp-proto';
import { OTLPTraceExporter as JSONExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { LangfuseSpanProcessor } from '@langfuse/otel';
import { versionOf, witnessed } from '../witness.mjs';
import { setUp } from './setup.mjs';

const require = createRequire(import.meta.url);

let server, base, key, complaints;

before(async () => {
  ({ server, base, key, complaints } = await setUp());
});

after(async () => {
  await server?.stop();
});

const PROTO = '@opentelemetry/exporter-trace-otlp-proto';
const HTTP = '@opentelemetry/exporter-trace-otlp-http';
const LANGFUSE = '@langfuse/otel';

// The ways of sending a trace, each with the program that sends.
const processors = {
  protobuf: { program: PROTO, to: (url) => new BatchSpanProcessor(new Protobuf({ url: `${url}/v1/traces`, headers: { 'x-api-key': key } })) },
  'protobuf-gzip': { program: PROTO, to: (url) => new BatchSpanProcessor(new Protobuf({ url: `${url}/v1/traces`, headers: { 'x-api-key': key }, compression: 'gzip' })) },
  json: { program: HTTP, to: (url) => new BatchSpanProcessor(new JSONExporter({ url: `${url}/v1/traces`, headers: { authorization: `Bearer ${key}` } })) },
  'one-by-one': { program: PROTO, to: (url) => new SimpleSpanProcessor(new Protobuf({ url: `${url}/v1/traces`, headers: { 'x-api-key': key } })) },
  langfuse: { program: LANGFUSE, to: (url) => new LangfuseSpanProcessor({ publicKey: 'any', secretKey: key, baseUrl: url, shouldExportSpan: () => true }) },
};

for (const [name, { program, to }] of Object.entries(processors)) {
  test(`an agent, its tool and its model call arrive through ${name}`, () => witnessed(server, { service: 'ingest', kind: 'third party', name: program, version: versionOf(require, program) }, async (w) => {
    const provider = new NodeTracerProvider({ spanProcessors: [to(w.base_url)] });
    const tracer = provider.getTracer('demo');
    const agent = tracer.startSpan('invoke_agent Helper', { attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'Helper',
      'session.id': `conv-${name}`, 'user.id': 'u-9', 'gen_ai.usage.input_tokens': 21, 'gen_ai.usage.output_tokens': 9 } });
    const below = trace.setSpan(context.active(), agent);
    tracer.startSpan('chat m', { attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm', 'gen_ai.usage.input_tokens': 21,
      'gen_ai.usage.output_tokens': 9 } }, below).end();
    const tool = tracer.startSpan('execute_tool weather', { attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'weather',
      'gen_ai.tool.call.arguments': '{"city":"Paris"}' } }, below);
    tool.addEvent('cache_lookup', { hit: false });
    tool.recordException(new Error('upstream timed out'));
    tool.end();
    agent.end();
    await provider.forceFlush();
    await provider.shutdown();
    const reply = await fetch(`${base}/api/v1/sessions/conv-${name}`, { headers: { 'x-api-key': key } });
    assert.equal(reply.status, 200);
    const { session, tree } = await reply.json();
    assert.equal(session.user_id, 'u-9');
    assert.deepEqual([session.input_tokens, session.output_tokens, session.event_count, session.errors], [21, 9, 3, 1]);
    assert.deepEqual(tree.map((e) => [e.primitive_name, e.primitive_type]), [['Helper', 'agent']]);
    const children = Object.fromEntries(tree[0].children.map((e) => [e.primitive_name, e]));
    assert.equal(children.m.primitive_type, 'model');
    assert.equal(children.weather.success, false);
    assert.equal(children.weather.args, '{"city":"Paris"}');
    assert.match(children.weather.metadata.error, /upstream timed out/);
    assert.deepEqual(children.weather.checkpoints.map((c) => c.name), ['cache_lookup']);
  }));
}

for (const [name, Exporter] of Object.entries({ protobuf: Protobuf, json: JSONExporter })) {
  test(`no span of ${name} is lost while the service answers 503 with Retry-After`, async () => {
    const faults = `${server.credentials.admin.base_url}/environments/default/faults`;
    const admin = { authorization: `Bearer ${server.credentials.admin.key}`, 'content-type': 'application/json' };
    const rule = { id: `overload-${name}`, on: 'request', match: { service: 'ingest', path: '*/v1/traces' }, when: { times: 2 }, do: { error: { status: 503, retry_after: 1 } } };
    const made = await fetch(faults, { method: 'POST', headers: admin, body: JSON.stringify(rule) });
    assert.equal(made.status, 201, await made.text());
    const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new Exporter({ url: `${base}/v1/traces`, headers: { 'x-api-key': key } }))] });
    const tracer = provider.getTracer('demo');
    for (let n = 0; n < 40; n++) tracer.startSpan(`step ${n}`, { attributes: { 'session.id': `conv-overload-${name}` } }).end();
    await provider.forceFlush();
    await provider.shutdown();
    const reply = await fetch(`${base}/api/v1/sessions/conv-overload-${name}`, { headers: { 'x-api-key': key } });
    assert.equal(reply.status, 200);
    assert.equal((await reply.json()).session.event_count, 40);
    const shown = await (await fetch(`${faults}/overload-${name}`, { headers: admin })).json();
    assert.equal(shown.fired, 2);
  });
}

test('no exporter complained', () => assert.deepEqual(complaints, []));
