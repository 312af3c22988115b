import { useSyncExternalStore } from 'react';

/** The preferences of a person, stored in this browser. */
export interface Prefs {
  density: 'comfortable' | 'compact';
  time: '24' | '12';
  send: 'enter' | 'ctrl-enter';
  letters: boolean; // single letters are shortcuts in lists
  readWhileActing: boolean;
}

const place = 'us.prefs';
const standard: Prefs = { density: 'comfortable', time: '24', send: 'enter', letters: true, readWhileActing: false };
const listeners = new Set<() => void>();

function read(): Prefs {
  try {
    return { ...standard, ...(JSON.parse(localStorage.getItem(place) ?? '{}') as Partial<Prefs>) };
  } catch {
    return standard;
  }
}

let held = read();

export const prefs = (): Prefs => held;

/** Reports whether Enter with these modifier keys sends the message. */
export const sends = (e: { shiftKey: boolean; ctrlKey: boolean; metaKey: boolean }): boolean =>
  held.send === 'enter' ? !e.shiftKey : e.ctrlKey || e.metaKey;

export function setPrefs(change: Partial<Prefs>): void {
  held = { ...held, ...change };
  localStorage.setItem(place, JSON.stringify(held));
  apply();
  for (const f of listeners) {
    f();
  }
}

function apply(): void {
  document.documentElement.dataset.density = held.density;
}
apply();

export const usePrefs = (): Prefs =>
  useSyncExternalStore((f) => {
    listeners.add(f);
    return () => listeners.delete(f);
  }, prefs);
