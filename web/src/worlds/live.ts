import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { adminPath } from '../api/base';
import { adminKey } from '../app/admin';
import { follow, type StreamState } from '../ui/sse';
import { useVisible } from '../ui/visible';
import { environmentKey, pathOf } from './api';

const together = 150; // milliseconds within which what comes is read at once

/**
 * Calls `act` when something of a topic came about in an environment, while `on`. It follows the stream of the admin
 * plane, which also reports when the clock was set, and when the environment was reset, restored or deleted.
 */
export function useLive(env: string, topic: string, on: boolean, act: () => void): StreamState {
  const [state, setState] = useState<StreamState>('connecting');
  const queries = useQueryClient();
  const visible = useVisible();
  const missed = useRef(false);
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (!on || !visible) {
      missed.current = on;
      return;
    }
    if (missed.current) {
      missed.current = false;
      latest.current();
    }
    const stop = new AbortController();
    let due: ReturnType<typeof setTimeout> | undefined;
    let broken = false;
    void follow(`${adminPath}${pathOf(env, `/stream?topics=${topic},clock,lifecycle`)}`, {
      token: adminKey(),
      signal: stop.signal,
      state: (now) => {
        setState(now);
        if (now === 'connected' && broken) {
          latest.current(); // for what came about during the break
        }
        broken = now === 'reconnecting';
      },
      refused: () => latest.current(), // the page says why
      take: ({ event }) => {
        if (event === 'clock') {
          void queries.invalidateQueries({ queryKey: environmentKey(env), exact: true });
        } else if (event === 'lifecycle') {
          void queries.invalidateQueries({ queryKey: environmentKey(env) });
        } else if (due === undefined) {
          due = setTimeout(() => {
            due = undefined;
            latest.current();
          }, together);
        }
      },
    });
    return () => {
      stop.abort();
      clearTimeout(due);
    };
  }, [env, topic, on, visible, queries]);
  return state;
}
