import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { ask, type EventSummary, type Session, type TraceEvent } from '../api';
import { type Piece, useStream } from '../live/useStream';
import { Forest, flatten } from './tree';

interface TreePage {
  session: Session;
  tree: TraceEvent[];
  next_cursor?: string;
}

/** The most events that are loaded. The page says if some are missing. */
const mostEvents = 100_000;

/** The time since the last event within which a session counts as running, in milliseconds. */
const runningFor = 10 * 60_000;

const drawEvery = 250;

interface Loaded {
  session: Session;
  forest: Forest;
  cut: boolean;
}

async function load(env: string, session: string, filters: string, signal: AbortSignal): Promise<Loaded> {
  const forest = new Forest();
  let cursor = '';
  for (;;) {
    const q = new URLSearchParams(filters);
    q.set('view', 'summary');
    if (cursor) {
      q.set('cursor', cursor);
    }
    const page = await ask<TreePage>(env, `sessions/${encodeURIComponent(session)}?${q}`, signal);
    forest.add(page.tree);
    cursor = page.next_cursor ?? '';
    if (!cursor || forest.size >= mostEvents) {
      return { session: page.session, forest, cut: cursor !== '' };
    }
  }
}

/**
 * Reads the events of a session without inputs and outputs, and follows them while the session runs. `now` is the time
 * of the environment.
 */
export function useTrace(env: string, session: string, filters: string, now: number) {
  const queries = useQueryClient();
  const place = useMemo(() => ['traces', env, 'session', session, filters], [env, session, filters]);
  const found = useQuery({
    queryKey: place,
    queryFn: ({ signal }) => load(env, session, filters, signal),
    structuralSharing: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  const [version, setVersion] = useState(0);
  const data = found.data;
  const fresh = useRef<EventSummary[]>([]);
  const take = useCallback((piece: Piece) => {
    if (piece.event) {
      fresh.current.push(piece.event);
    } else {
      fresh.current = [];
      dropped.current = true;
    }
  }, []);
  const dropped = useRef(false);
  const last = data?.session.last_event_at ?? data?.session.timestamp ?? 0;
  const running = data !== undefined && Math.abs(now - last) < runningFor;
  const project = new URLSearchParams(filters).get('project_id');
  const own = new URLSearchParams({ session_id: session, ...(project ? { project_id: project } : {}) }).toString();
  const stream = useStream(env, own, running, take);

  useEffect(() => {
    const draw = setInterval(() => {
      if (dropped.current) {
        dropped.current = false; // too many events at once: everything is loaded again
        void queries.invalidateQueries({ queryKey: place });
        return;
      }
      const events = fresh.current;
      if (!data || events.length === 0) {
        return;
      }
      fresh.current = [];
      let grown = false;
      for (const e of events) {
        if (data.forest.grow(e)) {
          grown = true;
          data.session.event_count++;
          data.session.errors += e.success ? 0 : 1;
        }
      }
      if (grown) {
        setVersion((n) => n + 1);
      }
    }, drawEvery);
    return () => clearInterval(draw);
  }, [data, place, queries]);

  // Events that were stored between loading the tree and the start of the stream are read once.
  const connected = running && stream.state === 'connected';
  useEffect(() => {
    if (!connected || !data) {
      return;
    }
    ask<{ sessions: Session[] }>(env, `sessions?${own}&limit=1`).then(
      (r) => {
        if ((r.sessions[0]?.event_count ?? 0) > data.forest.size && !data.cut) {
          void queries.invalidateQueries({ queryKey: place });
        }
      },
      () => undefined, // if the server is down, the stream ends too, and this is repeated after it reconnects
    );
  }, [connected, data, env, place, queries, own]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the version counts what was added to the events
  const rows = useMemo(() => flatten(data?.forest.roots ?? []), [data, version]);
  return {
    session: data?.session,
    rows,
    cut: data?.cut ?? false,
    error: found.error,
    pending: found.isPending,
    refetch: found.refetch,
    running,
  };
}
