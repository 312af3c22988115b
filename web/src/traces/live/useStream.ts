import { useEffect, useRef, useState } from 'react';
import { follow, type StreamState } from '../../ui/sse';
import { useVisible } from '../../ui/visible';
import { addressOf, type EventSummary, traceKey } from '../api';

export interface Piece {
  event?: EventSummary;
  dropped?: number;
}

/** Streams the events of an environment as they are stored, while the page is visible. */
export function useStream(env: string, query: string, on: boolean, take: (piece: Piece) => void) {
  const [state, setState] = useState<StreamState>('connecting');
  const [refused, setRefused] = useState('');
  const taken = useRef(take);
  taken.current = take;
  const visible = useVisible();
  useEffect(() => {
    if (!on || !visible) {
      return;
    }
    const stop = new AbortController();
    setRefused('');
    void follow(addressOf(env, query ? `live?${query}` : 'live'), {
      token: traceKey(env),
      signal: stop.signal,
      state: setState,
      refused: async (reply) => {
        const value = (await reply.json().catch(() => ({}))) as { error?: string };
        setRefused(value.error ?? 'The live events cannot be read.');
      },
      take: (message) => {
        const value = JSON.parse(message.data) as EventSummary & { dropped?: number };
        taken.current(value.dropped === undefined ? { event: value } : { dropped: value.dropped });
      },
    });
    return () => stop.abort();
  }, [env, query, on, visible]);
  return { state, refused };
}
