import '@mantine/core/styles/Tabs.layer.css';
import { ActionIcon, Skeleton, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { formatNumber } from '../../app/locale';
import { Refused } from '../../ui/Page';
import { ask, type EventSummary, nameOf, statusOf, type TraceEvent, tokensOf } from '../api';
import { formatDuration, formatMoment } from '../format';
import { EffectsOf } from './EffectsOf';
import { Payload } from './Payload';
import { readable } from './payload';
import type { Row } from './tree';

/** Returns the query for an event with its full payloads. */
export const wholeEvent = (env: string, id: string, project?: string) => ({
  queryKey: ['traces', env, 'event', id, 'whole'],
  queryFn: ({ signal }: { signal: AbortSignal }) => {
    const q = project ? `?${new URLSearchParams({ project_id: project })}` : '';
    return ask<{ event: EventSummary }>(env, `events/${encodeURIComponent(id)}${q}`, signal).then((r) => r.event);
  },
  staleTime: Number.POSITIVE_INFINITY, // an event never changes
});

interface Props {
  env: string;
  project?: string;
  row: Row;
  size: number; // of the session, in events
  tab: string;
  setTab: (tab: string) => void;
  close: () => void;
}

/** One event of a trace. */
export function EventDetails({ env, project, row, size, tab, setTab, close }: Props) {
  const e = row.event;
  const [wrap, setWrap] = useState(true);
  const whole = useQuery(wholeEvent(env, e.event_id, project));
  const payload = { wrap, setWrap };
  const onKeyDown = (k: KeyboardEvent): void => {
    if (k.key === 'Escape') {
      k.stopPropagation();
      close();
    }
  };
  const part = (text: (w: EventSummary) => string) =>
    whole.data ? (
      <Payload key={tab} text={text(whole.data)} {...payload} />
    ) : whole.error ? (
      <Refused error={whole.error} again={() => void whole.refetch()} />
    ) : (
      <Skeleton h={80} className="late" />
    );
  return (
    <aside aria-label="Event details" className="pane details" data-region onKeyDown={onKeyDown}>
      <div className="heading">
        <h2 title={nameOf(e)}>{nameOf(e)}</h2>
        <ActionIcon variant="subtle" color="gray" size={32} aria-label="Close details" onClick={close}>
          <X size={16} />
        </ActionIcon>
      </div>
      <div className="pad scroller">
        <dl className="facts">
          <dt>Status</dt>
          <dd className={e.success ? '' : 'problem'}>{statusOf(e)}</dd>
          <dt>Start</dt>
          <dd>
            {formatMoment(e.start)} <span className="dimmed">at {formatDuration(row.offset)}</span>
          </dd>
          <dt>Duration</dt>
          <dd>{formatDuration(e.latency)}</dd>
          {e.model && (
            <>
              <dt>Model</dt>
              <dd>{e.model}</dd>
            </>
          )}
          {tokensOf(e) > 0 && (
            <>
              <dt>Tokens</dt>
              <dd>
                {formatNumber(e.input_tokens ?? 0)} in, {formatNumber(e.output_tokens ?? 0)} out
              </dd>
            </>
          )}
          {oddOf(e, row.outside).map((text) => (
            <Odd key={text} text={text} />
          ))}
        </dl>
        <Tabs value={tab} onChange={(value) => setTab(value ?? 'output')} keepMounted={false}>
          <Tabs.List aria-label="Parts of the event">
            <Tabs.Tab value="input">Input</Tabs.Tab>
            <Tabs.Tab value="output">Output</Tabs.Tab>
            <Tabs.Tab value="checkpoints">Checkpoints</Tabs.Tab>
            <Tabs.Tab value="metadata">Metadata</Tabs.Tab>
            <Tabs.Tab value="raw">Raw</Tabs.Tab>
            <Tabs.Tab value="effects">Effects</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="input">
            {e.args === null ? <p className="dimmed">No input was sent.</p> : part((w) => readable(w.args ?? ''))}
          </Tabs.Panel>
          <Tabs.Panel value="output">
            {e.result === null ? <p className="dimmed">No output was sent.</p> : part((w) => readable(w.result ?? ''))}
          </Tabs.Panel>
          <Tabs.Panel value="checkpoints">
            {e.checkpoints.length === 0 && <p className="dimmed">This event has no checkpoints.</p>}
            <table className="plain" aria-label="Checkpoints" hidden={e.checkpoints.length === 0}>
              <tbody>
                {(whole.data ?? e).checkpoints.map((c, i, all) => (
                  <tr key={`${c.name} ${c.offset_ms}`}>
                    <th scope="row">{c.name}</th>
                    <td className="number">{formatDuration(c.offset_ms)}</td>
                    <td className="number dimmed">+{formatDuration(c.offset_ms - (all[i - 1]?.offset_ms ?? 0))}</td>
                    <td>
                      {c.beyond_latency && 'after the end '}
                      {c.metadata !== undefined && <code>{JSON.stringify(c.metadata).slice(0, 400)}</code>}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Tabs.Panel>
          <Tabs.Panel value="metadata">{part((w) => readable(w.metadata))}</Tabs.Panel>
          <Tabs.Panel value="raw">{part((w) => JSON.stringify(w, null, 2))}</Tabs.Panel>
          <Tabs.Panel value="effects">
            <EffectsOf env={env} session={e.session_id} size={size} event={e.event_id} />
          </Tabs.Panel>
        </Tabs>
      </div>
    </aside>
  );
}

/** Returns the anomalies of an event's position. */
export function oddOf(e: TraceEvent, outside: boolean): string[] {
  return [
    e.parent_missing && 'its parent is missing',
    e.folded && 'it stands deeper than is shown',
    e.cycle && 'its parents lead back to itself',
    e.clock_skew ? 'it begins before its parent' : outside && 'it ends after its parent',
  ].filter((x): x is string => Boolean(x));
}

function Odd({ text }: { text: string }) {
  return (
    <>
      <dt>Note</dt>
      <dd>{text}</dd>
    </>
  );
}
