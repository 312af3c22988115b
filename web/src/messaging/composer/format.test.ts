import { expect, it } from 'vitest';
import { formatOf, formats } from './format';

/** Formats a text whose selection is marked by bars, and returns the result in the same form. */
function format(name: keyof typeof formats, marked: string): string {
  const from = marked.indexOf('|');
  const to = marked.lastIndexOf('|') - 1;
  const r = formats[name]({ text: marked.replaceAll('|', ''), from, to });
  return `${r.text.slice(0, r.from)}[${r.text.slice(r.from, r.to)}]${r.text.slice(r.to)}`;
}

it('formats what is chosen', () => {
  expect(format('bold', 'a |b| c')).toBe('a *[b]* c');
  expect(format('ordered', '|a\nb|')).toBe('1. a\n2. b[]');
  expect(format('quote', '|> a\n> b|')).toBe('a\nb[]');
  expect(format('bulleted', 'x\n|y|\nz')).toBe('x\n• y[]\nz');
  expect(format('codeBlock', 'x |y|')).toBe('x \n```\ny[]\n```');
  expect(format('link', '|words|')).toBe('<https://[]|words>');
  expect(format('link', '|https://a.example|')).toBe('<https://a.example|[]>');
});

it('knows the keys', () => {
  const key = (key: string, code = '', shiftKey = false) => formatOf({ key, code, shiftKey });
  expect([key('b'), key('I'), key('X', 'KeyX', true), key('&', 'Digit7', true), key('x')]).toEqual([
    'bold',
    'italic',
    'strike',
    'ordered',
    undefined,
  ]);
});
