import { formatNumber } from '../../app/locale';

/** The counts that say most about a world, in the order in which they are shown. */
const shown = ['messages', 'channels', 'contacts', 'companies', 'deals', 'tickets', 'issues', 'events', 'sessions'];

/** Returns counts of an environment as a line: 74 messages, 160 contacts. */
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
