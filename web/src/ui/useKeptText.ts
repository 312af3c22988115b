import { useCallback, useState } from 'react';

/** The longest text that is kept, in characters: the browser's store is small. */
const longest = 1_000_000;

/** Keeps a text in this tab under a name; '' is not kept. */
function keep(name: string, text: string): void {
  try {
    if (text === '' || text.length > longest) {
      sessionStorage.removeItem(name);
    } else {
      sessionStorage.setItem(name, text);
    }
  } catch {
    sessionStorage.removeItem(name); // the store is full: the text stays on this page
  }
}

/**
 * Holds a text that somebody writes. Until drop is called the tab keeps it under a name, so that it is there again when
 * the page was left: closed by mistake, or because a session ended. Names begin with `us.draft.<env>.`: signing out
 * removes those of its environment. begun is the text that one begins with.
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
