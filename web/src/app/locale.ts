import { prefs } from './prefs';

// A browser may report a language that Intl rejects, such as en-US@posix.
function usable(tag: string): boolean {
  try {
    new Intl.DateTimeFormat(tag);
    return true;
  } catch {
    return false;
  }
}

if (!usable(navigator.language)) {
  const languages = navigator.languages.filter(usable);
  if (languages.length === 0) {
    languages.push('en-GB');
  }
  Object.defineProperty(navigator, 'language', { value: languages[0] });
  Object.defineProperty(navigator, 'languages', { value: languages });
}

const language = navigator.language;
const clocks = {
  '24': new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  '12': new Intl.DateTimeFormat(language, { hour: 'numeric', minute: '2-digit', hourCycle: 'h12' }),
};
const day = new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long' });
const dayWithYear = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'long', year: 'numeric' });
const full = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'long' }); // with the zone
const number = new Intl.NumberFormat(language);

export const formatTime = (at: Date): string => clocks[prefs().time].format(at);
export const formatFull = (at: Date): string => full.format(at);
export const formatNumber = (n: number): string => number.format(n);

/** Returns a number of things in words: `1 event`, `1,200 events`. */
export const counted = (n: number, thing: string): string => `${formatNumber(n)} ${thing}${n === 1 ? '' : 's'}`;

/** Returns the name of the zone that times are shown in, such as `Europe/Berlin (GMT+1)`. */
export function zoneName(at = new Date()): string {
  const { timeZone } = full.resolvedOptions();
  const offset = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset' })
    .formatToParts(at)
    .find((p) => p.type === 'timeZoneName')?.value;
  return offset && offset !== timeZone ? `${timeZone} (${offset})` : timeZone;
}

/** Formats a day for a divider, with the year unless it is the current one. */
export function formatDay(at: Date, now: Date): string {
  return at.getFullYear() === now.getFullYear() ? day.format(at) : dayWithYear.format(at);
}

/** Formats a time as `2026-03-02 09:00`. */
export function formatStamp(at: Date): string {
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** Formats a number of bytes as KB or MB. */
export function formatBytes(n: number): string {
  return n < 1e6 ? `${number.format(Math.ceil(n / 1e3))} KB` : `${number.format(Math.round(n / 1e5) / 10)} MB`;
}
