import { useCallback, useState } from 'react';

/** The longest text that is stored, in characters, because the browser's storage is small. */
const longest = 1_000_000;

/** Stores a text in this tab under a name; '' removes it. */
function keep(name: string, text: string): void {
  try {
    if (text === '' || text.length > longest) {
      sessionStorage.removeItem(name);
    } else {
      sessionStorage.setItem(name, text);
    }
  } catch {
    sessionStorage.removeItem(name); // the storage is full: the text exists only on this page
  }
}

/**
 * Holds a text that the person types. The tab stores it under a name until drop is called, so that it survives when the
 * page is closed or the session ends. Names begin with `us.draft.<env>.`; signing out removes those of the environment.
 * begun is the initial text.
 */
export function useKeptText(name: string, begun = ''): [text: string, set: (text: string) => void, drop: () => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(name) ?? begun);
  const set = useCallback(
    (value: string): void => {
      setText(value);
      keep(name, value === begun ? '' : value);
    },
    [name, begun],
  );
  const drop = useCallback((): void => keep(name, ''), [name]);
  return [text, set, drop];
}
