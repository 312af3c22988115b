import { TextInput, type TextInputProps } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';

interface Props extends Omit<TextInputProps, 'value' | 'onChange'> {
  label: string; // its name for assistive technology, and its placeholder
  value: string;
  change: (value: string) => void; // called when typing pauses
}

const pause = 200;

/** A box for a filter whose value stands elsewhere, such as in the address. */
export function SearchBox({ label, value, change, ...more }: Props) {
  const [text, setText] = useState(value);
  const known = useRef(value); // the text that was sent last, or was set elsewhere
  const sent = useRef<string[]>([]); // texts that were sent and have not come back as the value
  useEffect(() => {
    // A text of its own that comes back late must not replace what was typed since.
    const own = sent.current.lastIndexOf(value);
    sent.current.splice(0, own + 1);
    if (own < 0 && value !== known.current) {
      known.current = value; // it was changed elsewhere, such as by Back
      setText(value);
    }
  }, [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a text that was typed is sent
  useEffect(() => {
    if (text === known.current) {
      return;
    }
    const timer = setTimeout(() => {
      known.current = text;
      sent.current.push(text);
      change(text);
    }, pause);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(e) => setText(e.currentTarget.value)}
      {...more}
    />
  );
}
