import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react';
import { formatNumber } from '../../app/locale';
import { prefs } from '../../app/prefs';
import { Page } from '../../ui/Page';
import { ProblemText } from '../../ui/ProblemText';
import { type EventSummary, nameOf, statusOf } from '../api';
import { connect } from '../connection';
import { FilterBar } from '../FilterBar';
import { formatDuration, formatMoment } from '../format';
import { useFilters } from '../useFilters';
import { grow, most, oneIn } from './tail';
import { type Piece, useStream } from './useStream';

const second = 1_000;
const drawEvery = 100;

/** Events as they are stored, the newest first. */
export function Live() {
  const f = useFilters();
  const [list, setList] = useState<EventSummary[]>([]);
  const [paused, setPaused] = useState(false);
  const [waiting, setWaiting] = useState(0);
  const [rate, setRate] = useState({ shown: 0, dropped: 0 });
  const fresh = useRef<EventSummary[]>([]);
  const counted = useRef({ shown: 0, dropped: 0 });

  const take = useCallback((piece: Piece) => {
    if (piece.event) {
      fresh.current.push(piece.event);
      counted.current.shown++;
      if (fresh.current.length > most) {
        fresh.current.shift();
      }
    }
    counted.current.dropped += piece.dropped ?? 0;
  }, []);
  const q = new URLSearchParams(f.q);
  q.delete('from');
  q.delete('to'); // new events have no upper bound in time
  const stream = useStream(f.env, q.toString(), true, take);
  useEffect(() => connect(stream.refused ? 'connected' : stream.state), [stream.state, stream.refused]);
  useEffect(() => () => connect('connected'), []);

  useEffect(() => {
    const draw = setInterval(() => {
      if (paused) {
        setWaiting(fresh.current.length);
      } else if (fresh.current.length > 0) {
        const events = fresh.current;
        fresh.current = [];
        setList((old) => grow(old, events));
      }
    }, drawEvery);
    const count = setInterval(() => {
      const { shown, dropped } = counted.current;
      counted.current = { shown: 0, dropped: 0 };
      setRate((old) => (old.shown === shown && old.dropped === dropped ? old : { shown, dropped }));
    }, second);
    return () => {
      clearInterval(draw);
      clearInterval(count);
    };
  }, [paused]);
  const filters = q.toString();
  // biome-ignore lint/correctness/useExhaustiveDependencies: other filters begin anew
  useEffect(() => setList([]), [filters]);

  const one = oneIn(rate.shown, rate.dropped);
  return (
    <Page title="Live" env={f.env}>
      <FilterBar />
      <div className="filters">
        <Button size="compact-sm" variant="default" onClick={() => setPaused(!paused)}>
          {paused ? 'Resume' : 'Pause'}
        </Button>
        <span role="status" className="dimmed">
          {paused
            ? `Paused. ${formatNumber(waiting)} new.`
            : one > 1
              ? `Showing 1 in ${formatNumber(one)}`
              : list.length === 0
                ? 'Waiting for events.'
                : ''}
        </span>
      </div>
      <ProblemText>{stream.refused}</ProblemText>
      <Feed env={f.env} list={list} />
      {list.length >= most && (
        <p className="dimmed">The latest {formatNumber(most)} are shown; Events has all of them.</p>
      )}
    </Page>
  );
}

function Feed({ env, list }: { env: string; list: EventSummary[] }) {
  const [current, setCurrent] = useState('');
  const box = useRef<HTMLDivElement>(null);
  const at = Math.max(
    list.findIndex((e) => e.event_id === current),
    0,
  );
  const onKeyDown = (e: KeyboardEvent): void => {
    const letter = prefs().letters ? e.key : '';
    const step = e.key === 'ArrowDown' || letter === 'j' ? 1 : e.key === 'ArrowUp' || letter === 'k' ? -1 : 0;
    if (step === 0 || e.ctrlKey || e.metaKey || e.altKey) {
      return;
    }
    e.preventDefault();
    const to = Math.min(Math.max(at + step, 0), list.length - 1);
    box.current?.querySelectorAll<HTMLElement>('article')[to]?.focus();
  };
  return (
    <div
      role="feed"
      aria-label="Live events"
      aria-busy={list.length === 0}
      className="live"
      ref={box}
      onKeyDown={onKeyDown}
    >
      {list.map((e, i) => (
        <article
          key={e.event_id}
          tabIndex={i === at ? 0 : -1}
          aria-posinset={i + 1}
          aria-setsize={-1}
          aria-label={`${nameOf(e).slice(0, 120)}, ${formatDuration(e.latency)}, ${statusOf(e)}`}
          className={e.success ? 'live-event' : 'live-event failed'}
          onFocus={() => setCurrent(e.event_id)}
        >
          <time dateTime={new Date(e.start).toISOString()}>{formatMoment(e.start).slice(11)}</time>
          <Link
            to="/e/$env/traces/sessions/$session"
            params={{ env, session: e.session_id }}
            search={((old: object) => ({ ...old, event: e.event_id })) as never}
            tabIndex={i === at ? 0 : -1}
            className="live-name"
          >
            {nameOf(e)}
          </Link>
          <span className="dimmed">{e.primitive_type ?? 'turn'}</span>
          <span className="live-text dimmed">{(e.success ? e.args : (e.result ?? e.args)) ?? ''}</span>
          <span className="dimmed live-user">{e.user_id ?? ''}</span>
          <span className="number">{formatDuration(e.latency)}</span>
          <span className={e.success ? 'dimmed' : 'problem'}>{statusOf(e)}</span>
        </article>
      ))}
    </div>
  );
}
