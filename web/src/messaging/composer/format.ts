/** A text and the positions of its selection. */
export interface Marked {
  text: string;
  from: number;
  to: number;
}

/** Inserts a mark before and after the selection. */
export function wrap({ text, from, to }: Marked, mark: string): Marked {
  const value = text.slice(0, from) + mark + text.slice(from, to) + mark + text.slice(to);
  return { text: value, from: from + mark.length, to: to + mark.length };
}

/** Inserts a mark at the beginning of each selected line, or removes the marks if all lines have one. */
export function markLines({ text, from, to }: Marked, mark: (n: number) => string): Marked {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const next = text.indexOf('\n', to);
  const end = next < 0 ? text.length : next;
  const old = text.slice(start, end).split('\n');
  const has = old.every((line, n) => line.startsWith(mark(n)));
  const changed = old.map((line, n) => (has ? line.slice(mark(n).length) : mark(n) + line)).join('\n');
  const at = start + changed.length;
  return { text: text.slice(0, start) + changed + text.slice(end), from: at, to: at };
}

/** Makes the selection a code block on separate lines. */
export function codeBlock({ text, from, to }: Marked): Marked {
  const before = from > 0 && text[from - 1] !== '\n' ? '\n' : '';
  const block = `${before}\`\`\`\n${text.slice(from, to)}\n\`\`\``;
  const at = from + before.length + 4 + (to - from);
  return { text: text.slice(0, from) + block + text.slice(to), from: at, to: at };
}

/** Makes the selection a link, and moves the caret to the missing part, the URL or the text. */
export function link({ text, from, to }: Marked): Marked {
  const words = text.slice(from, to);
  const isUrl = /^https?:/i.test(words);
  const made = isUrl ? `<${words}|>` : `<https://|${words}>`;
  const at = isUrl ? from + made.length - 1 : from + '<https://'.length;
  return { text: text.slice(0, from) + made + text.slice(to), from: at, to: at };
}

/** The text formats that the composer's buttons and shortcuts apply. */
export const formats = {
  bold: (m: Marked) => wrap(m, '*'),
  italic: (m: Marked) => wrap(m, '_'),
  strike: (m: Marked) => wrap(m, '~'),
  link,
  ordered: (m: Marked) => markLines(m, (n) => `${n + 1}. `),
  bulleted: (m: Marked) => markLines(m, () => '• '),
  quote: (m: Marked) => markLines(m, () => '> '),
  code: (m: Marked) => wrap(m, '`'),
  codeBlock,
};

export type Format = keyof typeof formats;

interface Pressed {
  key: string;
  code: string;
  shiftKey: boolean;
}

/** Returns the format of a key that is pressed with Ctrl or Cmd. */
export function formatOf(e: Pressed): Format | undefined {
  const plain: Record<string, Format> = { b: 'bold', i: 'italic', e: 'code' };
  const shifted: Record<string, Format> = { x: 'strike', Digit7: 'ordered', Digit8: 'bulleted', Digit9: 'quote' };
  return e.shiftKey ? (shifted[e.code] ?? shifted[e.key.toLowerCase()]) : plain[e.key.toLowerCase()];
}
