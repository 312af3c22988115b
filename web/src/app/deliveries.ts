import { adminCall } from './admin';

interface Page<T> {
  deliveries: T[];
  next_cursor: string;
}

const step = 200;

/** Reads the newest deliveries of an environment that match a query, page by page, until at least `most` are read. */
export async function readDeliveries<T>(env: string, query: Record<string, string>, most: number): Promise<T[]> {
  const list: T[] = [];
  let cursor = '';
  do {
    const page = await adminCall<Page<T>>(
      `/environments/${encodeURIComponent(env)}/deliveries?${new URLSearchParams({ ...query, cursor, limit: String(step) })}`,
    );
    list.push(...page.deliveries);
    cursor = page.next_cursor;
  } while (cursor !== '' && list.length < most);
  return list;
}
