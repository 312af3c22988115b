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
  const sent = useRef(value);
  useEffect(() => {
    if (value !== sent.current) {
      sent.current = value; // it was changed elsewhere, such as by Back
      setText(value);
    }
  }, [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a text that was typed is sent
  useEffect(() => {
    if (text === sent.current) {
      return;
    }
    const timer = setTimeout(() => {
      sent.current = text;
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
