import { createContext, useContext, useSyncExternalStore } from 'react';
import type { State } from './state';
import type { Store } from './store';

export interface Messaging {
  store: Store;
  team: string;
  env: string;
  hrefOf: (channel: string) => string;
  go: (channel: string, search?: { at?: string; thread?: string }) => void;
  /** Opens a page of the area, such as `channels`. */
  goPage: (page: string) => void;
  /** Opens a dialog that can be asked for from several places. */
  open: (dialog: 'create' | 'message' | 'status') => void;
  /** Opens the side pane of a person; '' closes it. */
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

/** Returns a part of the state. The component is rendered again only when that part changes. */
export function useShown<T>(pick: (s: State) => T): T {
  const { store } = useMessaging();
  return useSyncExternalStore(store.subscribe, () => pick(store.snapshot()));
}
