import { TextInput } from '@mantine/core';
import { type FocusEvent, useEffect, useId, useRef, useState } from 'react';

export interface Option {
  value: string;
  label?: string; // what is shown, when it is not the value
  detail?: string;
}

interface Props {
  label: string;
  value: string;
  shown?: string; // the value as people read it
  choose: (value: string) => void;
  /** Returns the options that match a text: at once, or later. */
  find: (text: string) => Option[] | Promise<Option[]>;
  placeholder?: string;
  free?: boolean; // also a text that is no option may be chosen
}

/** A box with a list of options below it while it has the focus. Arrow keys move, Enter chooses, Esc closes. */
export function Combo({ label, value, shown, choose, find, placeholder, free }: Props) {
  const [text, setText] = useState<string>(); // what is typed; undefined while the box shows the value
  const [open, setOpen] = useState(false);
  const [options, setOptions] = useState<Option[]>([]);
  const [at, setAt] = useState(-1);
  const [problem, setProblem] = useState('');
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const typed = text ?? '';

  useEffect(() => {
    if (!open) {
      return;
    }
    let over = false;
    const take = (found: Option[]): void => {
      if (!over) {
        setOptions(found);
        setAt((was) => Math.min(was, found.length - 1));
        setProblem('');
      }
    };
    const found = find(typed);
    if (Array.isArray(found)) {
      take(found);
      return;
    }
    found.then(take, (e: Error) => !over && setProblem(e.message));
    return () => {
      over = true;
    };
  }, [open, typed, find]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the option that became the current one is scrolled to
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  const close = (): void => {
    setOpen(false);
    setText(undefined);
    setAt(-1);
  };
  const take = (chosen: string): void => {
    close();
    if (chosen !== value) {
      choose(chosen);
    }
  };
  const onBlur = (e: FocusEvent): void => {
    if (!list.current?.contains(e.relatedTarget)) {
      close();
    }
  };
  return (
    <div className="combo">
      <TextInput
        size="xs"
        label={label}
        role="combobox"
        autoComplete="off"
        aria-expanded={open}
        aria-controls={open ? `${id}-list` : undefined}
        aria-autocomplete="list"
        aria-activedescendant={open && at >= 0 ? `${id}-${at}` : undefined}
        placeholder={placeholder}
        value={text ?? shown ?? value}
        onClick={() => setOpen(true)}
        onBlur={onBlur}
        onChange={(e) => {
          setText(e.currentTarget.value);
          setOpen(true);
          setAt(-1);
        }}
        onKeyDown={(e) => {
          if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
            e.preventDefault();
            setOpen(true);
            const count = Math.max(options.length, 1);
            setAt((at + (e.key === 'ArrowDown' ? 1 : at < 0 ? 0 : -1) + count) % count);
          } else if (e.key === 'Enter' && open) {
            e.preventDefault();
            const exact = options.find((o) => (o.label ?? o.value).toLowerCase() === typed.toLowerCase());
            const begun = options.find((o) => typed !== '' && o.value.toLowerCase().startsWith(typed.toLowerCase()));
            const chosen = options[at] ?? exact ?? begun;
            if (chosen) {
              take(chosen.value);
            } else if (typed === '' && text !== undefined) {
              take('');
            } else if (free && typed !== '') {
              take(typed);
            } else if (options[0] && typed !== '') {
              take(options[0].value);
            }
          } else if (e.key === 'Escape' && open) {
            e.stopPropagation();
            close();
          }
        }}
      />
      {open && (
        <div ref={list} id={`${id}-list`} role="listbox" aria-label={label} className="combo-list">
          {options.map((o, n) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the box above holds the focus and handles the keys
            <div
              key={o.value}
              id={`${id}-${n}`}
              role="option"
              tabIndex={-1}
              aria-selected={n === at}
              className="choice"
              onMouseDown={(e) => e.preventDefault()}
              onClick={() => take(o.value)}
            >
              <span>{o.label ?? o.value}</span>
              {o.detail && <span className="dimmed"> {o.detail}</span>}
            </div>
          ))}
          {options.length === 0 && (
            <div className="dimmed pad-small" role="option" aria-selected={false} aria-disabled tabIndex={-1}>
              {problem || (free && typed !== '' ? `Enter takes “${typed.slice(0, 40)}”` : 'Nothing matches')}
            </div>
          )}
        </div>
      )}
    </div>
  );
}
