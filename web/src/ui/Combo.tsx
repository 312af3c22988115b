import { TextInput } from '@mantine/core';
import { useId, useState } from 'react';
import { nextOption, OptionList, useFound, useOnceCurrent } from './options';

export interface Option {
  value: string;
  label?: string; // the text to show, if not the value
  detail?: string;
}

interface Props {
  label: string;
  value: string;
  shown?: string; // the formatted value
  choose: (value: string) => void;
  /** Returns the options that match a text, possibly asynchronously. */
  find: (text: string) => Option[] | Promise<Option[]>;
  placeholder?: string;
  free?: boolean; // accepts texts that are not options
}

/** A combobox that shows its options while it has the focus. Arrow keys move, Enter selects, Esc closes. */
export function Combo({ label, value, shown, choose, find, placeholder, free }: Props) {
  const [text, setText] = useState<string>(); // the typed text; undefined while the value is shown
  const [open, setOpen] = useState(false);
  const [moved, setMoved] = useState(-1);
  const id = useId();
  const typed = text ?? '';
  const { list: options = [], current, problem } = useFound(typed, find, open);
  const at = Math.min(moved, options.length - 1);

  const close = (): void => {
    setOpen(false);
    setText(undefined);
    setMoved(-1);
  };
  const take = (chosen: string): void => {
    close();
    if (chosen !== value) {
      choose(chosen);
    }
  };
  const takeMeant = (): void => {
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
  };
  const [takeOnceFound, waits] = useOnceCurrent(open ? typed : undefined, current, takeMeant);
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
        onBlur={(e) => {
          if (!e.currentTarget.closest('.combo')?.contains(e.relatedTarget) && !waits()) {
            close();
          }
        }}
        onChange={(e) => {
          setText(e.currentTarget.value);
          setOpen(true);
          setMoved(-1);
        }}
        onKeyDown={(e) => {
          if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
            e.preventDefault();
            setOpen(true);
            setMoved(nextOption(e.key, at, options.length));
          } else if (e.key === 'Enter' && open) {
            e.preventDefault();
            at >= 0 || typed === '' ? takeMeant() : takeOnceFound();
          } else if (e.key === 'Escape' && open) {
            e.stopPropagation();
            close();
          }
        }}
      />
      {open && (
        <OptionList
          id={id}
          label={label}
          className="combo-list"
          items={options.map((o) => ({ key: o.value, title: o.label ?? o.value, detail: o.detail }))}
          at={at}
          choose={(n) => take(options[n]?.value ?? value)}
        >
          {options.length === 0 && (
            <div className="dimmed pad-small" role="option" aria-selected={false} aria-disabled tabIndex={-1}>
              {problem || (free && typed !== '' ? `Enter takes “${typed.slice(0, 40)}”` : 'Nothing matches')}
            </div>
          )}
        </OptionList>
      )}
    </div>
  );
}
