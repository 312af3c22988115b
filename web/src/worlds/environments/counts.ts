import { formatNumber } from '../../app/locale';

/** The most informative counts of an environment, in the order of display. */
const shown = ['messages', 'channels', 'contacts', 'companies', 'deals', 'tickets', 'issues', 'events', 'sessions'];

/** Formats counts of an environment: 74 messages, 160 contacts. */
export function countsOf(counts: Record<string, Record<string, number>> | undefined): string {
  const all = Object.assign({}, ...Object.values(counts ?? {})) as Record<string, number>;
  return shown
    .filter((name) => (all[name] ?? 0) > 0)
    .map((name) => `${formatNumber(all[name] ?? 0)} ${all[name] === 1 ? single(name) : name}`)
    .join(', ');
}

/** Returns the singular of a count's name. */
function single(name: string): string {
  return name === 'companies' ? 'company' : name.slice(0, -1);
}
