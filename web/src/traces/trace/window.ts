/** The visible part of a session's time, in milliseconds from its start. */
export interface Window {
  from: number;
  to: number;
}

/** The shortest time that fills the width. */
const least = 1;

/** Returns the window of the complete session. */
export const whole = (length: number): Window => ({ from: 0, to: length });

/** Returns a window moved by some milliseconds, within the session. */
export function moved(w: Window, length: number, by: number): Window {
  const size = w.to - w.from;
  const from = Math.min(Math.max(w.from + by, 0), length - size);
  return { from, to: from + size };
}

/** Returns a window zoomed by a factor. The moment `at` keeps its position on the screen. */
export function zoomed(w: Window, length: number, factor: number, at: number): Window {
  const size = Math.min(Math.max((w.to - w.from) / factor, least), length);
  const share = Math.min(Math.max((at - w.from) / (w.to - w.from), 0), 1);
  const from = Math.min(Math.max(at - share * size, 0), length - size);
  return { from, to: from + size };
}
