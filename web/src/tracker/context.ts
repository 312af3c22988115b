import { createContext, useContext, useEffect } from 'react';
import type { Overview } from './api';
import type { LiveEvent } from './events';

/** What listeners hear: an event, or that the connection is there again after a break. */
export type Heard = LiveEvent | 'again';

interface Tracker {
  env: string;
  overview: Overview;
  listen: (f: (e: Heard) => void) => () => void;
  create: (preset?: { stateId?: string; parentId?: string; team?: string }) => void;
}

export const TrackerContext = createContext<Tracker | undefined>(undefined);

export function useTracker(): Tracker {
  const t = useContext(TrackerContext);
  if (!t) {
    throw new Error('outside of the tracker');
  }
  return t;
}

/** Hears what happens in the tracker while a component is shown. */
export function useLive(f: (e: Heard) => void): void {
  const { listen } = useTracker();
  useEffect(() => listen(f), [listen, f]);
}
