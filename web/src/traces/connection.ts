// The state of the current page's stream, which the frame shows.
let state = 'connected';
const listeners = new Set<() => void>();

export const connection = (): string => state;

export function connect(next: string): void {
  if (next === state) {
    return;
  }
  state = next;
  for (const f of listeners) {
    f();
  }
}

export const subscribeConnection = (f: () => void): (() => void) => {
  listeners.add(f);
  return () => listeners.delete(f);
};
