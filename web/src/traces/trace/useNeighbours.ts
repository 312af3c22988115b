import { useToasts } from '../../app/Toasts';
import { ask, type Session } from '../api';

interface SessionPage {
  sessions: Session[];
  next_cursor: string;
}

const mostPages = 20;

/** Returns functions that open the previous and the next session of the list. */
export function useNeighbours(env: string, filters: string, of: Session | undefined, go: (id: string) => void) {
  const toasts = useToasts();
  return (which: 'newer' | 'older'): void => {
    if (!of) {
      return;
    }
    const find = which === 'older' ? older(env, filters, of) : newer(env, filters, of);
    find.then(
      (s) => (s ? go(s.session_id) : toasts.done(`There is no ${which} session that matches.`)),
      (e) => toasts.failed(e),
    );
  };
}

/** Reads the sessions that began up to a moment, and returns the first after `of`. */
async function older(env: string, filters: string, of: Session): Promise<Session | undefined> {
  const q = new URLSearchParams(filters);
  q.set('to', String(of.timestamp + 1));
  q.set('limit', '100');
  const { sessions } = await ask<SessionPage>(env, `sessions?${q}`);
  return sessions[sessions.findIndex((s) => s.session_id === of.session_id) + 1];
}

/** Reads the sessions that began since a moment, newest first, and returns the last before `of`. */
async function newer(env: string, filters: string, of: Session): Promise<Session | undefined> {
  const q = new URLSearchParams(filters);
  q.set('from', String(of.timestamp));
  q.set('limit', '1000');
  let before: Session | undefined;
  for (let page = 0; page < mostPages; page++) {
    const { sessions, next_cursor } = await ask<SessionPage>(env, `sessions?${q}`);
    for (const s of sessions) {
      if (s.session_id === of.session_id) {
        return before;
      }
      before = s;
    }
    if (!next_cursor) {
      return before;
    }
    q.set('cursor', next_cursor);
  }
  return before;
}
