import { type ReactNode, useEffect, useRef, useState } from 'react';

type Find<T> = (text: string) => T[] | Promise<T[]>;

/**
 * Returns the results of `find` for a text: the newest list, whether it belongs to the current text, and the error of
 * the current text. Results for earlier texts are dropped.
 */
export function useFound<T>(text: string, find: Find<T>, on = true) {
  const [found, setFound] = useState<{ text: string; find: Find<T>; list: T[]; problem: string }>();
  useEffect(() => {
    if (!on) {
      return;
    }
    let over = false;
    const take = (list: T[], problem = ''): void => {
      if (!over) {
        setFound({ text, find, list, problem });
      }
    };
    const result = find(text);
    if (Array.isArray(result)) {
      take(result);
      return;
    }
    result.then(
      (list) => take(list),
      (e: Error) => take([], e.message),
    );
    return () => {
      over = true;
    };
  }, [on, text, find]);
  return {
    list: found?.list,
    current: found?.text === text && found.find === find,
    problem: found?.problem ?? '',
  };
}

/**
 * Returns a function that calls `act` once the list belongs to the current text: immediately, or when the list arrives,
 * unless the text has changed by then; and a function that reports whether it waits. Enter right after the last letter
 * thus selects from the results of the whole text.
 */
export function useOnceCurrent(
  text: string | undefined,
  current: boolean,
  act: () => void,
): [ask: () => void, waits: () => boolean] {
  const asked = useRef<string>(undefined);
  useEffect(() => {
    if (asked.current !== undefined && asked.current !== text) {
      asked.current = undefined;
    } else if (asked.current !== undefined && current) {
      asked.current = undefined;
      act();
    }
  });
  const ask = (): void => {
    if (current) {
      act();
    } else {
      asked.current = text;
    }
  };
  return [ask, () => asked.current !== undefined];
}

/** Returns the index that an arrow key moves to in a list, wrapping around; -1 means none. */
export const nextOption = (key: string, at: number, count: number): number => {
  const n = Math.max(count, 1);
  return (at + (key === 'ArrowDown' ? 1 : at < 0 ? 0 : -1) + n) % n;
};

interface Item {
  key: string;
  title: string;
  detail?: string;
  strong?: boolean;
}

interface Props {
  id: string; // options have it, `-` and their place
  label: string;
  className: string;
  items: Item[];
  at: number;
  choose: (place: number) => void;
  children?: ReactNode; // what stands behind the options
}

/** The options of a combobox, which holds the focus and handles the keys. */
export function OptionList({ id, label, className, items, at, choose, children }: Props) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the option that became the current one is scrolled to
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  return (
    <div ref={list} id={`${id}-list`} role="listbox" aria-label={label} className={className}>
      {items.map((o, n) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox handles the keys
        <div
          key={o.key}
          id={`${id}-${n}`}
          role="option"
          tabIndex={-1}
          aria-selected={n === at}
          className="choice"
          onMouseDown={(e) => e.preventDefault()}
          onClick={() => choose(n)}
        >
          <span className={o.strong ? 'unread' : ''}>{o.title}</span>
          {o.detail && <span className="dimmed"> {o.detail}</span>}
        </div>
      ))}
      {children}
    </div>
  );
}
