/** Returns about `count` round numbers from 0 to the first that is not below a value. */
export function ticksTo(most: number, count = 3): number[] {
  if (!(most > 0)) {
    return [0, 1];
  }
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((m) => m * power >= rough * 0.999) ?? 10) * power;
  const ticks = [];
  for (let n = 0; n === 0 || (ticks.at(-1) ?? 0) < most * 0.999; n++) {
    ticks.push(Number((n * step).toPrecision(12)));
  }
  return ticks;
}

/** Returns the path of a line through points, with gaps where there is no value. */
export function linePath(values: (number | null)[], x: (i: number) => number, y: (v: number) => number): string {
  let path = '';
  let pen = false;
  values.forEach((v, i) => {
    if (v === null) {
      pen = false;
      return;
    }
    path += `${pen ? 'L' : 'M'}${x(i).toFixed(1)} ${y(v).toFixed(1)}`;
    pen = true;
  });
  return path;
}

/** Returns the indexes of values without neighbours, which a line does not show. */
export const alone = (values: (number | null)[]): number[] =>
  values.flatMap((v, i) =>
    v !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null ? [i] : [],
  );

/** Formats the change from an earlier number, such as `+12 %`; undefined if it is not meaningful. */
export function changeOf(now: number | null, before: number | null): string | undefined {
  if (now === null || before === null || (before === 0 && now === 0)) {
    return undefined;
  }
  if (before === 0) {
    return 'new';
  }
  const part = ((now - before) / before) * 100;
  const rounded = Math.abs(part) < 10 ? Math.round(part * 10) / 10 : Math.round(part);
  if (rounded === 0) {
    return '±0 %';
  }
  return `${rounded > 0 ? '+' : '−'}${Math.abs(rounded)} %`;
}
