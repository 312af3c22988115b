import { uuid } from '../api/uuid';
import { Copy } from '../ui/Copy';
import { addressOf } from './api';
import { chosen, periodOf } from './filters';
import type { Filtered } from './useFilters';

/** Returns a command that sends a first event to an environment. */
export function curlOf(env: string, key = 'YOUR_INGESTION_KEY'): string {
  const body = {
    event_id: uuid(),
    session_id: uuid(),
    primitive_name: 'first_call',
    primitive_type: 'tool',
    args: '{"hello":"world"}',
    result: 'done',
    latency: 120,
    metadata: { 'checkpoint.sent': 20, 'checkpoint.answered': 90 },
  };
  return [
    `curl -s ${location.origin}${addressOf(env, 'capture-event')}`,
    `  -H 'x-api-key: ${key}'`,
    `  -H 'Content-Type: application/json'`,
    `  -d '${JSON.stringify(body)}'`,
  ].join(' \\\n');
}

/** Explains why there are no events, and how to send the first one. */
export function FirstEvent({ f }: { f: Filtered }) {
  if (chosen(f.search).length > 0 || periodOf(f.search) !== 'all') {
    return <p className="dimmed">Nothing matches these filters in this period.</p>;
  }
  return (
    <div className="first-event">
      <p>No agent has sent anything yet. This sends a first event; an ingestion key stands in credentials.json:</p>
      <Curl text={curlOf(f.env)} />
    </div>
  );
}

export function Curl({ text }: { text: string }) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions are reachable by keyboard */}
      <pre className="json" tabIndex={0}>
        {text}
      </pre>
      <Copy text={text}>Copy as curl</Copy>
    </>
  );
}
