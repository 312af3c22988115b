import { TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { nextOption, OptionList, useFound, useOnceCurrent } from './options';
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
  /** Returns the matches of a text, possibly asynchronously. */
  find: (query: string) => Choice[] | Promise<Choice[]>;
  /** Returns further matches from the server, which are listed last. It is called after a pause in typing. */
  later?: (query: string) => Promise<Choice[]>;
  empty: ReactNode;
}

const pause = 150; // milliseconds without a key

/** A combobox with its options below it. */
export function Finder({ label, placeholder, find, later, empty }: Props) {
  const [query, setQuery] = useState('');
  const [more, setMore] = useState<Choice[]>([]);
  const [asking, setAsking] = useState(false);
  const [at, setAt] = useState(0);
  const id = useId();
  const { list: found, current, problem } = useFound(query, find);
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
  const choose = (place = at): void => list[place]?.choose();
  const [chooseFirst] = useOnceCurrent(query, current, choose);
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
            setAt(nextOption(e.key, at, list.length));
          } else if (e.key === 'Enter') {
            e.preventDefault();
            at > 0 ? choose() : chooseFirst();
          }
        }}
      />
      <OptionList id={id} label={label} className="choices" items={list} at={at} choose={choose} />
      <ProblemText>{problem}</ProblemText>
      {found && list.length === 0 && !problem && !asking && <p className="dimmed">{empty}</p>}
    </>
  );
}
