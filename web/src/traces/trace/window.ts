/** The part of a session's time that is drawn, in milliseconds from its begin. */
export interface Window {
  from: number;
  to: number;
}

/** The shortest time that can be drawn over the whole width. */
const least = 1;

/** Returns the window that shows all. */
export const whole = (length: number): Window => ({ from: 0, to: length });

/** Returns a window of the same length at another place, within the whole. */
export function moved(w: Window, length: number, by: number): Window {
  const size = w.to - w.from;
  const from = Math.min(Math.max(w.from + by, 0), length - size);
  return { from, to: from + size };
}

/** Returns a window that shows a part of the time, larger by a factor; `at` stays where it is. */
export function zoomed(w: Window, length: number, factor: number, at: number): Window {
  const size = Math.min(Math.max((w.to - w.from) / factor, least), length);
  const share = Math.min(Math.max((at - w.from) / (w.to - w.from), 0), 1);
  const from = Math.min(Math.max(at - share * size, 0), length - size);
  return { from, to: from + size };
}
