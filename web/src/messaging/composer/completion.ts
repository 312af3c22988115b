import { useEffect, useState } from 'react';
import { call } from '../../app/identity';
import { useMessaging } from '../context';
import { searchEmoji, useEmoji } from '../emoji/emoji';
import { nameOf, type User } from '../types';

export interface Suggestion {
  insert: string;
  id?: string; // the person or channel that insert names
  title: string;
  detail: string;
}

/** Returns the word before the caret when it asks for a completion: @…, #…, :… or a /command. */
export function wordBefore(text: string, caret: number): string {
  const before = text.slice(0, caret);
  if (/^\/[^\s]*$/.test(before)) {
    return before;
  }
  const m = /(?:^|[\s(])([@#:][^\s@#:]*)$/.exec(before);
  const word = m?.[1] ?? '';
  return word.startsWith(':') && word.length < 3 ? '' : word;
}

const most = 8;

/** Returns what completes a word. */
export function useSuggestions(env: string, word: string): Suggestion[] {
  const { store } = useMessaging();
  const emoji = useEmoji();
  const [people, setPeople] = useState<User[]>([]);
  const kind = word[0] ?? '';
  const query = word.slice(1).toLowerCase();

  useEffect(() => {
    if (kind !== '@') {
      return;
    }
    const abort = new AbortController();
    const wait = setTimeout(() => {
      call<{ people: User[] }>(env, `/api/client/people?limit=${most}&q=${encodeURIComponent(query)}`, {
        signal: abort.signal,
      }).then(
        (r) => setPeople(r.people),
        () => undefined,
      );
    }, 80);
    return () => {
      clearTimeout(wait);
      abort.abort();
    };
  }, [env, kind, query]);

  switch (kind) {
    case '@':
      return people
        .slice(0, most)
        .map((u) => ({ insert: `@${u.name}`, id: u.id, title: `@${u.name}`, detail: nameOf(u) }));
    case '#':
      return [...store.snapshot().channels.values()]
        .filter((c) => (c.kind === 'public' || c.kind === 'private') && c.name.toLowerCase().startsWith(query))
        .slice(0, most)
        .map((c) => ({ insert: `#${c.name}`, id: c.id, title: `#${store.titleOf(c)}`, detail: c.topic }));
    case ':':
      return searchEmoji(emoji, query, most).map((e) => ({
        insert: `:${e.names[0]}:`,
        title: `${e.char} :${e.names[0]}:`,
        detail: '',
      }));
    case '/':
      return (store.snapshot().boot?.commands ?? [])
        .filter((c) => c.command.startsWith(word))
        .slice(0, most)
        .map((c) => ({ insert: c.command, title: `${c.command} ${c.usage_hint}`, detail: c.description }));
  }
  return [];
}
