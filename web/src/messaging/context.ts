import { createContext, useContext, useSyncExternalStore } from 'react';
import type { State, Store } from './store';

export interface Messaging {
  store: Store;
  state: State;
  team: string;
  hrefOf: (channel: string) => string;
  go: (channel: string, search?: { at?: string; thread?: string }) => void;
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
