/** A piece of two texts: in both, in the first alone, or in the second alone. */
export interface Piece {
  kind: 'same' | 'old' | 'new';
  text: string;
}

const most = 1500; // words; longer texts are compared by their ends alone

/** Compares two texts word by word. */
export function compareTexts(before: string, after: string): Piece[] {
  const a = before.match(/\s+|[^\s]+/g) ?? [];
  const b = after.match(/\s+|[^\s]+/g) ?? [];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) {
    start++;
  }
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) {
    end++;
  }
  const x = a.slice(start, a.length - end);
  const y = b.slice(start, b.length - end);
  const middle: Piece[] =
    x.length > most || y.length > most
      ? [
          { kind: 'old', text: x.join('') },
          { kind: 'new', text: y.join('') },
        ]
      : common(x, y);
  return joined([
    { kind: 'same', text: a.slice(0, start).join('') },
    ...middle,
    { kind: 'same', text: a.slice(a.length - end).join('') },
  ]);
}

/** Compares words by their longest common subsequence. */
function common(x: string[], y: string[]): Piece[] {
  const width = y.length + 1;
  const lengths = new Uint16Array((x.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = x.length - 1; i >= 0; i--) {
    for (let j = y.length - 1; j >= 0; j--) {
      lengths[i * width + j] = x[i] === y[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const out: Piece[] = [];
  let i = 0;
  let j = 0;
  while (i < x.length || j < y.length) {
    if (i < x.length && j < y.length && x[i] === y[j]) {
      out.push({ kind: 'same', text: x[i] ?? '' });
      i++;
      j++;
    } else if (j >= y.length || (i < x.length && at(i + 1, j) >= at(i, j + 1))) {
      out.push({ kind: 'old', text: x[i++] ?? '' });
    } else {
      out.push({ kind: 'new', text: y[j++] ?? '' });
    }
  }
  return out;
}

/** Joins neighbours of one kind, and drops empty ones. */
function joined(list: Piece[]): Piece[] {
  const out: Piece[] = [];
  for (const p of list) {
    const last = out.at(-1);
    if (p.text === '') {
      continue;
    }
    if (last?.kind === p.kind) {
      last.text += p.text;
    } else {
      out.push({ ...p });
    }
  }
  return out;
}
