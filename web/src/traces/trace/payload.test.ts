import { describe, expect, it } from 'vitest';
import { indented, linesOf, pieces, readable } from './payload';

describe('a payload', () => {
  it('is JSON on several lines, with numbers as they were sent', () => {
    expect(readable('{"id":12345678901234567890,"a":[],"b":{"c":[1,"x, {y}: \\"z\\""]}}')).toBe(
      '{\n  "id": 12345678901234567890,\n  "a": [],\n  "b": {\n    "c": [\n      1,\n      "x, {y}: \\"z\\""\n    ]\n  }\n}',
    );
    expect(readable('plain {text')).toBe('plain {text');
    expect(readable('{"open":')).toBe('{"open":');
    expect(readable('"one\\ntext"')).toBe('one\ntext');
    expect(readable(null)).toBe('null');
  });

  it('may be deep', () => {
    const deep = `${'['.repeat(5_000)}1${']'.repeat(5_000)}`;
    expect(indented(deep).replaceAll(/\s/g, '')).toBe(deep);
  });

  it('has its base64 folded, not its long words', () => {
    const bytes = 'iVBORw0KGgoAAAANSUhEUgAA'.repeat(40);
    const text = `before data:image/png;base64,${bytes}== after ${'a'.repeat(4_000)}`;
    expect(pieces(text).map((p) => [p.folded, p.text.length])).toEqual([
      [false, 7],
      [true, 22 + 960 + 2],
      [false, 7 + 4_000],
    ]);
    expect(pieces('')).toEqual([{ text: '', folded: false }]);
  });

  it('is drawn line by line', () => {
    expect(linesOf(`a\n${'b'.repeat(4_500)}`).map((l) => l.length)).toEqual([1, 2_000, 2_000, 500]);
  });
});
