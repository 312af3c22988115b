import { createContext, useContext, useSyncExternalStore } from 'react';
import type { State, Store } from './store';

export interface Messaging {
  store: Store;
  state: State;
  team: string;
  env: string;
  hrefOf: (channel: string) => string;
  go: (channel: string, search?: { at?: string; thread?: string }) => void;
  /** Opens a page of the area, such as `channels`. */
  goPage: (page: string) => void;
  /** Opens the pane of a person; with '' closes it. */
  openProfile: (user: string) => void;
}

export const MessagingContext = createContext<Messaging | undefined>(undefined);

export function useMessaging(): Messaging {
  const m = useContext(MessagingContext);
  if (!m) {
    throw new Error('This component is used outside of messaging.');
  }
  return m;
}

export function useStore(store: Store): State {
  return useSyncExternalStore(store.subscribe, store.snapshot);
}
