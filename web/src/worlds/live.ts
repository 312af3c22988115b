import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { adminPath } from '../api/base';
import { adminKey } from '../app/admin';
import { follow, type StreamState } from '../ui/sse';
import { useVisible } from '../ui/visible';
import { environmentKey, pathOf } from './api';

const together = 150; // milliseconds within which notifications share one read

/**
 * Calls `act`, which reloads data, when something of a topic has changed in an environment, while `on` is true. It also
 * calls it when the stream begins, because something may have changed after the page was loaded. Changes during a reload
 * cause another one afterwards. The stream of the admin plane also reports when the clock was set, and when the
 * environment was reset, restored or deleted.
 */
export function useLive(env: string, topic: string, on: boolean, act: () => Promise<unknown>): StreamState {
  const [state, setState] = useState<StreamState>('connecting');
  const queries = useQueryClient();
  const visible = useVisible();
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (!on || !visible) {
      return;
    }
    const stop = new AbortController();
    let due: ReturnType<typeof setTimeout> | undefined;
    let reading = false;
    let again = false;
    const read = async (): Promise<void> => {
      if (reading) {
        again = true;
        return;
      }
      reading = true;
      do {
        again = false;
        await latest.current().catch(() => undefined);
      } while (again && !stop.signal.aborted);
      reading = false;
    };
    void follow(`${adminPath}${pathOf(env, `/stream?topics=${topic},clock,lifecycle`)}`, {
      token: adminKey(),
      signal: stop.signal,
      state: (now) => {
        setState(now);
        if (now === 'connected') {
          void read();
        }
      },
      refused: () => void read(), // the page says why
      take: ({ event }) => {
        if (event === 'clock') {
          void queries.invalidateQueries({ queryKey: environmentKey(env), exact: true });
        } else if (event === 'lifecycle') {
          void queries.invalidateQueries({ queryKey: environmentKey(env) });
        } else if (due === undefined) {
          due = setTimeout(() => {
            due = undefined;
            void read();
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
