import { TextInput, type TextInputProps } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';

interface Props extends Omit<TextInputProps, 'value' | 'onChange'> {
  label: string; // its name for assistive technology, and its placeholder
  value: string;
  change: (value: string) => void; // called when typing pauses
}

const pause = 200;

/** An input for a filter whose value is stored elsewhere, such as in the URL. */
export function SearchBox({ label, value, change, ...more }: Props) {
  const [text, setText] = useState(value);
  const known = useRef(value); // the text that was last sent, or set from outside
  const sent = useRef<string[]>([]); // sent texts that have not returned as the value property
  useEffect(() => {
    // A value that this box reported earlier must not replace newer input when it returns late.
    const own = sent.current.lastIndexOf(value);
    sent.current.splice(0, own + 1);
    if (own < 0 && value !== known.current) {
      known.current = value; // it was changed from outside, for example by Back
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
