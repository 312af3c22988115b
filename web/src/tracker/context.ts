import { createContext, useContext, useEffect } from 'react';
import type { Overview } from './api';
import type { LiveEvent } from './events';

/** A notification for listeners: an event, or 'again' after the connection was re-established. */
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

/** Subscribes to live events of the tracker while a component is mounted. */
export function useLive(f: (e: Heard) => void): void {
  const { listen } = useTracker();
  useEffect(() => listen(f), [listen, f]);
}
