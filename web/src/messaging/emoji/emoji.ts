import { useSyncExternalStore } from 'react';
import table from './table.json?url';

export interface Emoji {
  names: string[];
  char: string;
  group: string;
  words: string[];
  tones?: boolean;
}

let list: Emoji[] = [];
let byName = new Map<string, Emoji>();
let asked = false;
const listeners = new Set<() => void>();

/** Loads the emoji table once. Until it is loaded, emoji are shown as short codes. */
function load(): void {
  if (asked) {
    return;
  }
  asked = true;
  const read = async (): Promise<void> => {
    list = (await (await fetch(table)).json()) as Emoji[];
    byName = new Map(list.flatMap((e) => e.names.map((n) => [n, e] as const)));
    for (const f of listeners) {
      f();
    }
  };
  read().catch(() => {
    asked = false; // the next component that shows emoji tries again
  });
}

function subscribe(f: () => void): () => void {
  load();
  listeners.add(f);
  return () => listeners.delete(f);
}

let drawn: boolean | undefined;

/** Reports whether the browser has an emoji font. Without one, short codes are shown. */
function hasEmojiFont(): boolean {
  if (drawn === undefined) {
    const pixels = (text: string): string => {
      const canvas = document.createElement('canvas');
      canvas.width = 24;
      canvas.height = 24;
      const g = canvas.getContext('2d', { willReadFrequently: true });
      g?.fillText(text, 0, 18);
      return String(g?.getImageData(0, 0, 24, 24).data);
    };
    drawn = pixels('\u{1f389}') !== pixels('\u{10fffd}');
  }
  return drawn;
}

const tone = ['\u{1f3fb}', '\u{1f3fc}', '\u{1f3fd}', '\u{1f3fe}', '\u{1f3ff}'];

/** Returns the character of a short code such as `tada` or `wave::skin-tone-3`, or undefined. */
export function charOf(name: string): string | undefined {
  if (!hasEmojiFont()) {
    return undefined;
  }
  const [base, skin] = name.split('::');
  const e = byName.get(base ?? '');
  const n = Number(skin?.replace('skin-tone-', ''));
  return e && skin && n >= 2 ? e.char + (tone[n - 2] ?? '') : e?.char;
}

export function useEmoji(): Emoji[] {
  return useSyncExternalStore(subscribe, () => list);
}

/** Returns the emoji whose name or word begins with a query, best first. */
export function searchEmoji(all: Emoji[], query: string, most: number): Emoji[] {
  const q = query.toLowerCase();
  const first = all.filter((e) => e.names.some((n) => n.startsWith(q)));
  const rest = all.filter(
    (e) => !first.includes(e) && (e.names.some((n) => n.includes(q)) || e.words.some((w) => w.startsWith(q))),
  );
  return [...first, ...rest].slice(0, most);
}
