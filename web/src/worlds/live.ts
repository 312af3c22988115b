import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { adminPath } from '../api/base';
import { adminKey } from '../app/admin';
import { environmentKey, pathOf } from './api';

const wait = 2000;

/** What is read of a stream, line by line. */
async function read(reply: Response, came: (topic: string, id: string) => void): Promise<void> {
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) {
      return;
    }
    rest += part.value;
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line): [string, string] => [line.split(':', 1)[0] ?? '', line.replace(/^[^:]*: ?/, '')]),
      );
      const topic = fields.get('event');
      if (topic) {
        came(topic, fields.get('id') ?? '');
      }
    }
  }
}

/**
 * Calls `act` when something of a topic came about in an environment, while `on`. It follows the stream of the admin
 * plane, and goes on from where it was when the connection breaks.
 */
export function useLive(env: string, topic: string, on: boolean, act: () => void): 'live' | 'broken' | 'off' {
  const [state, setState] = useState<'live' | 'broken' | 'off'>('off');
  const queries = useQueryClient();
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (!on) {
      setState('off');
      return;
    }
    const ended = new AbortController();
    let id = '';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = async (): Promise<void> => {
      try {
        const reply = await fetch(`${adminPath}${pathOf(env, `/stream?topics=${topic},clock`)}`, {
          headers: {
            Authorization: `Bearer ${adminKey()}`,
            'Understudy-Client': 'web',
            ...(id && { 'Last-Event-ID': id }),
          },
          signal: ended.signal,
          credentials: 'omit',
        });
        if (!reply.ok) {
          throw new Error(String(reply.status));
        }
        setState('live');
        let due = false;
        await read(reply, (what, at) => {
          id = at || id;
          if (what === 'clock') {
            void queries.invalidateQueries({ queryKey: environmentKey(env), exact: true });
          } else if (!due) {
            due = true; // what comes together is read together
            setTimeout(() => {
              due = false;
              latest.current();
            }, 150);
          }
        });
      } catch {
        // It is tried again below.
      }
      if (!ended.signal.aborted) {
        setState('broken');
        timer = setTimeout(() => void follow(), wait);
      }
    };
    void follow();
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [env, topic, on, queries]);
  return state;
}
