/** The number of characters above which a payload is truncated until it is expanded. */
export const most = 256 * 1024;

/** Formats a payload: JSON on several lines, with unchanged numbers; other text as it is. */
export function readable(value: unknown): string {
  if (typeof value !== 'string') {
    return JSON.stringify(value ?? null, null, 2);
  }
  const first = value.trimStart()[0];
  if (first !== '{' && first !== '[' && first !== '"') {
    return value;
  }
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'string' ? parsed : indented(value);
  } catch {
    return value;
  }
}

/** Formats valid JSON with a member on each line. It changes only white space. */
export function indented(json: string): string {
  const out: string[] = [];
  let depth = 0;
  const line = (): string => `\n${'  '.repeat(Math.min(depth, 100))}`;
  const tokens = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g;
  let last = '';
  for (let m = tokens.exec(json); m; m = tokens.exec(json)) {
    const t = m[0];
    if (t === '}' || t === ']') {
      depth--;
      out.push(last === '{' || last === '[' ? t : line() + t);
    } else {
      if (last === '{' || last === '[' || last === ',') {
        out.push(line());
      }
      out.push(t === ':' ? ': ' : t);
      if (t === '{' || t === '[') {
        depth++;
      }
    }
    last = t;
  }
  return out.join('');
}

/** A piece of a payload. Of a folded piece only the length is shown. */
export interface Piece {
  text: string;
  folded: boolean;
}

const encoded = /(?:data:[\w./+-]{0,80};base64,)?[A-Za-z0-9+/_-]{600,}={0,2}/g;

/** Reports whether a long word looks like base64, and not like one repeated letter. */
const looksEncoded = (text: string): boolean => {
  const head = text.slice(-600);
  return /[A-Z]/.test(head) && /[a-z]/.test(head) && /\d/.test(head);
};

/** Splits a text into pieces, and folds base64. */
export function pieces(text: string): Piece[] {
  const out: Piece[] = [];
  let at = 0;
  for (const m of text.matchAll(encoded)) {
    if (!looksEncoded(m[0])) {
      continue;
    }
    if (m.index > at) {
      out.push({ text: text.slice(at, m.index), folded: false });
    }
    out.push({ text: m[0], folded: true });
    at = m.index + m[0].length;
  }
  if (at < text.length || out.length === 0) {
    out.push({ text: text.slice(at), folded: false });
  }
  return out;
}

const longestLine = 2_000;

/** Splits a text into lines, and very long lines into several. */
export function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    if (line.length <= longestLine) {
      return [line];
    }
    const parts = [];
    for (let i = 0; i < line.length; i += longestLine) {
      parts.push(line.slice(i, i + longestLine));
    }
    return parts;
  });
}
