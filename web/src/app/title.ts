import { useEffect } from 'react';

let screen = 'Understudy';
let unread = 0;

function write(): void {
  document.title = unread > 0 ? `(${unread}) ${screen}` : screen;
}

/** Names the document after the screen: `<screen> – <environment> – Understudy`. */
export function useTitle(name: string, env?: string): void {
  useEffect(() => {
    screen = [name, env, 'Understudy'].filter(Boolean).join(' – ');
    write();
  }, [name, env]);
}

/** Shows the number of unread messages before the title. */
export function useUnread(count: number): void {
  useEffect(() => {
    unread = count;
    write();
    return () => {
      unread = 0;
      write();
    };
  }, [count]);
}
