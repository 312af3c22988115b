// A browser may report a language that Intl refuses, such as en-US@posix.
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

const clock = new Intl.DateTimeFormat(navigator.language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(navigator.language, { weekday: 'long', day: 'numeric', month: 'long' });
const dayWithYear = new Intl.DateTimeFormat(navigator.language, { day: 'numeric', month: 'long', year: 'numeric' });
const full = new Intl.DateTimeFormat(navigator.language, { dateStyle: 'full', timeStyle: 'medium' });

export const formatTime = (at: Date): string => clock.format(at);
export const formatFull = (at: Date): string => full.format(at);

/** Returns a day for a divider: with its year when that is not the year of now. */
export function formatDay(at: Date, now: Date): string {
  return at.getFullYear() === now.getFullYear() ? day.format(at) : dayWithYear.format(at);
}
