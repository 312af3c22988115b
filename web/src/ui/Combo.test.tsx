import { MantineProvider } from '@mantine/core';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { Combo, type Option } from './Combo';

afterEach(cleanup);

/** Renders a box whose searches are answered by `answer`, in any order. */
function box(free = false) {
  const answers = new Map<string, (found: Option[]) => void>();
  const find = (text: string): Promise<Option[]> => new Promise((resolve) => answers.set(text, resolve));
  const choose = vi.fn();
  render(
    <MantineProvider>
      <Combo label="Customer" value="" choose={choose} find={find} free={free} />
    </MantineProvider>,
  );
  const input = screen.getByRole('combobox', { name: 'Customer' });
  const answer = (text: string, ...values: string[]) =>
    act(async () => answers.get(text)?.(values.map((value) => ({ value }))));
  return { input, answer, choose, type: (value: string) => fireEvent.change(input, { target: { value } }) };
}

test('Enter chooses what the text finds, when it comes, also when the focus has gone on', async () => {
  const { input, answer, choose, type } = box();
  fireEvent.click(input);
  await answer('', 'acme', 'globex');
  type('glo');
  fireEvent.keyDown(input, { key: 'Enter' });
  fireEvent.blur(input);
  expect(choose).not.toHaveBeenCalled();
  await answer('glo', 'globex');
  expect(choose.mock.calls).toEqual([['globex']]);
  expect(screen.queryByRole('listbox')).toBeNull();
});

test('what is typed behind Enter takes it back, and an answer that comes late is left out', async () => {
  const { input, answer, choose, type } = box(true);
  fireEvent.click(input);
  type('a');
  fireEvent.keyDown(input, { key: 'Enter' });
  type('ab');
  await answer('a', 'acme');
  expect(choose).not.toHaveBeenCalled();
  await answer('ab');
  expect(choose).not.toHaveBeenCalled();
  fireEvent.keyDown(input, { key: 'Enter' });
  expect(choose.mock.calls).toEqual([['ab']]);
});
