/** An operation that was run. Its headers are not stored, because they contain secrets. */
export interface Ran {
  query: string;
  variables: string;
}

const place = 'us.graphql.history';
const most = 30;
const longest = 20_000;

export function readHistory(): Ran[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(place) ?? '[]');
    return Array.isArray(list) ? list.filter((r): r is Ran => typeof r?.query === 'string') : [];
  } catch {
    return [];
  }
}

/** Stores an operation as the newest, without duplicates. Long ones are not stored. */
export function remember(ran: Ran): Ran[] {
  const others = readHistory().filter((r) => r.query !== ran.query || r.variables !== ran.variables);
  const list = ran.query.length + ran.variables.length > longest ? others : [ran, ...others].slice(0, most);
  localStorage.setItem(place, JSON.stringify(list));
  return list;
}

/** Returns the first line of an operation that is not blank or a comment. */
export const titleOf = (r: Ran): string =>
  r.query
    .split('\n')
    .find((l) => l.trim() !== '' && !l.trim().startsWith('#'))
    ?.trim()
    .slice(0, 80) ?? '';
