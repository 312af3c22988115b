import { TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { ProblemText } from './ProblemText';

export interface Choice {
  key: string;
  title: string;
  detail?: string;
  strong?: boolean;
  choose: () => void;
}

interface Props {
  label: string;
  placeholder: string;
  /** Returns what matches a text: at once, or later. */
  find: (query: string) => Choice[] | Promise<Choice[]>;
  /** Returns what has to be asked for and comes behind the rest, once the text is no longer being typed. */
  later?: (query: string) => Promise<Choice[]>;
  empty: ReactNode;
}

const pause = 150; // milliseconds without a key

/** A combobox whose options stand below it. */
export function Finder({ label, placeholder, find, later, empty }: Props) {
  const [query, setQuery] = useState('');
  const [found, setFound] = useState<Choice[]>();
  const [more, setMore] = useState<Choice[]>([]);
  const [asking, setAsking] = useState(false);
  const [problem, setProblem] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  useEffect(() => {
    let over = false;
    const result = find(query);
    if (Array.isArray(result)) {
      setFound(result);
      return;
    }
    const take = (list: Choice[]): void => {
      if (!over) {
        setFound(list);
        setProblem('');
      }
    };
    result.then(take, (e: Error) => {
      if (!over) {
        setProblem(e.message);
      }
    });
    return () => {
      over = true;
    };
  }, [query, find]);
  useEffect(() => {
    setMore([]);
    if (!later || query === '') {
      setAsking(false);
      return;
    }
    let over = false;
    setAsking(true);
    const timer = setTimeout(
      () =>
        later(query)
          .then((list) => !over && setMore(list))
          .catch(() => undefined)
          .finally(() => !over && setAsking(false)),
      pause,
    );
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [query, later]);
  const held = new Set(found?.map((c) => c.key));
  const list = [...(found ?? []), ...more.filter((c) => !held.has(c.key))];
  return (
    <>
      <TextInput
        data-autofocus
        role="combobox"
        aria-label={label}
        aria-expanded={list.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={list[at] ? `${id}-${at}` : undefined}
        placeholder={placeholder}
        value={query}
        onChange={(e) => {
          setQuery(e.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(e) => {
          if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
            e.preventDefault();
            setAt((at + (e.key === 'ArrowDown' ? 1 : -1) + list.length) % Math.max(list.length, 1));
          } else if (e.key === 'Enter') {
            e.preventDefault();
            list[at]?.choose();
          }
        }}
      />
      <div role="listbox" aria-label={label} id={`${id}-list`} className="choices">
        {list.map((c, n) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox above holds the focus and handles the keys
          <div
            key={c.key}
            id={`${id}-${n}`}
            role="option"
            tabIndex={-1}
            aria-selected={n === at}
            className="choice"
            onClick={c.choose}
          >
            <span className={c.strong ? 'unread' : ''}>{c.title}</span>
            {c.detail && <span className="dimmed"> {c.detail}</span>}
          </div>
        ))}
      </div>
      <ProblemText>{problem}</ProblemText>
      {found && list.length === 0 && !problem && !asking && <p className="dimmed">{empty}</p>}
    </>
  );
}
