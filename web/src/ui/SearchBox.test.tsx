import { MantineProvider } from '@mantine/core';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SearchBox } from './SearchBox';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const shown = (value: string, change: (value: string) => void) => (
  <MantineProvider>
    <SearchBox label="Find" value={value} change={change} />
  </MantineProvider>
);

test('a text that comes back late does not replace what was typed since', () => {
  const sent: string[] = [];
  const change = (value: string): void => void sent.push(value);
  const { rerender } = render(shown('', change));
  const box = screen.getByRole('searchbox', { name: 'Find' }) as HTMLInputElement;
  const type = (value: string): void => {
    fireEvent.change(box, { target: { value } });
    act(() => void vi.advanceTimersByTime(1000));
  };
  type('a');
  type('ab');
  expect(sent).toEqual(['a', 'ab']);
  fireEvent.change(box, { target: { value: 'abc' } });
  rerender(shown('a', change)); // the address follows, long after
  expect(box.value).toBe('abc');
  rerender(shown('ab', change));
  expect(box.value).toBe('abc');
  act(() => void vi.advanceTimersByTime(1000));
  expect(sent).toEqual(['a', 'ab', 'abc']);
  rerender(shown('abc', change));
  rerender(shown('a', change)); // by Back
  expect(box.value).toBe('a');
  act(() => void vi.advanceTimersByTime(1000));
  expect(sent).toEqual(['a', 'ab', 'abc']);
});
