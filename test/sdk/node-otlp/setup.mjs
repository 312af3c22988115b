// What both suites begin with: a server of their own, and the complaints of OpenTelemetry.
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { serve } from '../process.mjs';

/** Starts a server: {server, base, key, complaints}, the last a list that grows. */
export async function setUp() {
  const server = await serve();
  const complaints = [];
  const note = (...words) => complaints.push(words.join(' '));
  diag.setLogger({ error: note, warn: note, info() {}, debug() {}, verbose() {} }, DiagLogLevel.WARN);
  return { server, base: server.credentials.ingest.base_url, key: server.credentials.ingest.api_key, complaints };
}
