/** The properties whose values name a record, by type. */
export const titleProperties: Record<string, string[]> = {
  contacts: ['firstname', 'lastname'],
  companies: ['name'],
  deals: ['dealname'],
  tickets: ['subject'],
};

/** Returns the name of a record: from its name properties, otherwise its e-mail address or domain; '' if it has none. */
export function titleFrom(names: string[], values: Record<string, string | null | undefined>): string {
  const title = names
    .map((n) => values[n] ?? '')
    .filter((v) => v !== '')
    .join(' ');
  return title || values.email || values.domain || '';
}
