// Parses stored message text: control sequences in angle brackets, entities, and
// the marks of mrkdwn. The result is a tree that components render; no part of a
// message becomes HTML.

export interface Style {
  bold?: boolean;
  italic?: boolean;
  strike?: boolean;
  code?: boolean;
}

export type Inline =
  | { type: 'text'; text: string; style?: Style }
  | { type: 'link'; url: string; text: string; style?: Style }
  | { type: 'user'; id: string; style?: Style }
  | { type: 'channel'; id: string; text?: string; style?: Style }
  | { type: 'broadcast'; range: string; style?: Style }
  | { type: 'date'; timestamp: number; format: string; fallback: string; link?: string; style?: Style }
  | { type: 'emoji'; name: string; style?: Style };

export type BlockNode =
  | { type: 'paragraph'; inlines: Inline[] }
  | { type: 'quote'; inlines: Inline[] }
  | { type: 'preformatted'; text: string }
  | { type: 'list'; ordered: boolean; items: Inline[][] };

const entity: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

export const unescapeEntities = (s: string): string => s.replace(/&(amp|lt|gt);/g, (e) => entity[e] ?? e);

/** Reads a message's text into blocks. */
export function parseMrkdwn(text: string): BlockNode[] {
  const out: BlockNode[] = [];
  let rest = text;
  for (;;) {
    const open = rest.indexOf('```');
    const close = open < 0 ? -1 : rest.indexOf('```', open + 3);
    if (open < 0 || close < 0) {
      pushLines(out, rest);
      return out;
    }
    pushLines(out, rest.slice(0, open).replace(/\n$/, ''));
    const code = rest
      .slice(open + 3, close)
      .replace(/^\n/, '')
      .replace(/\n$/, '');
    out.push({
      type: 'preformatted',
      text: unescapeEntities(code.replace(/<([^<>|]*)\|([^<>]*)>/g, '$2').replace(/<([^<>|]*)>/g, '$1')),
    });
    rest = rest.slice(close + 3).replace(/^\n/, '');
  }
}

function pushLines(out: BlockNode[], text: string): void {
  if (text === '') {
    return;
  }
  if (text.startsWith('&gt;&gt;&gt;')) {
    out.push({ type: 'quote', inlines: parseInlines(text.slice(12).trimStart()) });
    return;
  }
  let quote: string[] = [];
  let plain: string[] = [];
  const flush = (): void => {
    if (quote.length > 0) {
      out.push({ type: 'quote', inlines: parseInlines(quote.join('\n')) });
    }
    if (plain.length > 0) {
      out.push({ type: 'paragraph', inlines: parseInlines(plain.join('\n')) });
    }
    quote = [];
    plain = [];
  };
  for (const line of text.split('\n')) {
    if (line.startsWith('&gt;')) {
      if (plain.length > 0) {
        flush();
      }
      quote.push(line.slice(4).replace(/^ /, ''));
      continue;
    }
    if (quote.length > 0) {
      flush();
    }
    plain.push(line);
  }
  flush();
}

const marks: Record<string, keyof Style> = { '*': 'bold', _: 'italic', '~': 'strike' };
const wordy = /[\p{L}\p{N}]/u;

const shortCode = /:([a-z0-9_+'-]{1,100}(?:::skin-tone-[2-6])?):/y;

/** Finds closing marks. It remembers failed searches, so that long texts take linear time. */
class Closers {
  private none = new Map<string, number>(); // the position after which a mark does not occur

  constructor(private text: string) {}

  /** Returns the position of the next mark, or -1. */
  next(mark: string, from: number): number {
    if (from >= (this.none.get(mark) ?? Number.POSITIVE_INFINITY)) {
      return -1;
    }
    const at = this.text.indexOf(mark, from);
    if (at < 0) {
      this.none.set(mark, from);
    }
    return at;
  }

  private styles = new Map<string, { from: number; to: number }>(); // a stretch without a closing mark

  /** Returns the end of a style that begins at i, or 0. Its marks must be at word boundaries, on one line. */
  style(i: number): number {
    const text = this.text;
    const c = text[i] ?? '';
    const after = text[i + 1] ?? ' ';
    if (wordy.test(text[i - 1] ?? ' ') || /\s/.test(after) || after === c) {
      return 0;
    }
    const known = this.styles.get(c);
    if (known && i >= known.from && i < known.to) {
      return 0;
    }
    const newline = this.next('\n', i);
    const end = newline < 0 ? text.length : newline;
    for (let j = text.indexOf(c, i + 2); j > 0 && j < end; j = text.indexOf(c, j + 1)) {
      const next = text[j + 1] ?? ' ';
      if (!/\s/.test(text[j - 1] ?? ' ') && !wordy.test(next) && next !== c) {
        return j;
      }
    }
    this.styles.set(c, { from: i, to: end });
    return 0;
  }
}

/** Reads a line or paragraph: styles, control sequences, emoji. */
export function parseInlines(text: string, style: Style = {}): Inline[] {
  const out: Inline[] = [];
  const closers = new Closers(text);
  let plain = '';
  const styled = (): Style | undefined => (Object.keys(style).length > 0 ? style : undefined);
  const flush = (): void => {
    if (plain !== '') {
      out.push({ type: 'text', text: unescapeEntities(plain), style: styled() });
      plain = '';
    }
  };
  for (let i = 0; i < text.length; ) {
    const c = text[i] ?? '';
    if (c === '<') {
      const end = closers.next('>', i);
      const found = end > 0 ? control(text.slice(i + 1, end), styled()) : undefined;
      if (found) {
        flush();
        out.push(found);
        i = end + 1;
        continue;
      }
    } else if (c === '`') {
      const end = closers.next('`', i + 1);
      if (end > i + 1) {
        flush();
        out.push({ type: 'text', text: unescapeEntities(text.slice(i + 1, end)), style: { ...style, code: true } });
        i = end + 1;
        continue;
      }
    } else if (c === ':') {
      shortCode.lastIndex = i;
      const m = shortCode.exec(text);
      if (m?.[1]) {
        flush();
        out.push({ type: 'emoji', name: m[1], style: styled() });
        i += m[0].length;
        continue;
      }
    }
    const mark = marks[c];
    const end = mark && !style[mark] ? closers.style(i) : 0;
    if (mark && end > 0) {
      flush();
      out.push(...parseInlines(text.slice(i + 1, end), { ...style, [mark]: true }));
      i = end + 1;
      continue;
    }
    plain += c;
    i++;
  }
  flush();
  return out;
}

function control(body: string, style?: Style): Inline | undefined {
  const bar = body.indexOf('|');
  const what = bar < 0 ? body : body.slice(0, bar);
  const label = bar < 0 ? undefined : unescapeEntities(body.slice(bar + 1));
  switch (what[0]) {
    case '@':
      return { type: 'user', id: what.slice(1), style };
    case '#':
      return { type: 'channel', id: what.slice(1), text: label, style };
    case '!': {
      const date = /^!date\^(\d+)\^([^^]*)(?:\^(.*))?$/.exec(what);
      if (date) {
        return {
          type: 'date',
          timestamp: Number(date[1]),
          format: date[2] ?? '',
          fallback: label ?? '',
          link: date[3],
          style,
        };
      }
      if (what.startsWith('!subteam^')) {
        return { type: 'text', text: label ?? '@group', style };
      }
      return { type: 'broadcast', range: what.slice(1), style };
    }
  }
  const url = unescapeEntities(what);
  return /^(https?:\/\/|mailto:|tel:)/i.test(url)
    ? { type: 'link', url, text: label ?? url.replace(/^mailto:/, ''), style }
    : undefined;
}

/** Returns the text without markup, for names and copying. */
export function plainText(text: string, names: (kind: 'user' | 'channel', id: string) => string): string {
  return parseInlines(text.replaceAll('```', ''))
    .map((n) => {
      switch (n.type) {
        case 'text':
        case 'link':
          return n.text;
        case 'user':
          return `@${names('user', n.id)}`;
        case 'channel':
          return `#${n.text ?? names('channel', n.id)}`;
        case 'broadcast':
          return `@${n.range}`;
        case 'date':
          return n.fallback;
        case 'emoji':
          return `:${n.name}:`;
        default:
          return '';
      }
    })
    .join('');
}
