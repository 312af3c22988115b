import { adminCall } from './admin';

/**
 * Returns the address of the request that wrote a thing last. It throws an Error with a sentence where none is known:
 * the thing was there when the environment was created, or no request of a service wrote it.
 */
export async function causeOf(env: string, service: string, entity: string, key: string): Promise<string> {
  const lists = await adminCall<Record<string, { cause: { seq: number | null }[] }[]>>(
    `/environments/${encodeURIComponent(env)}/diff?${new URLSearchParams({ service, entity, key })}`,
  );
  const [change] = [...(lists.inserts ?? []), ...(lists.updates ?? [])];
  const seq = change?.cause[0]?.seq;
  if (!seq) {
    throw new Error(
      change
        ? 'No recorded request wrote it: the admin plane did, or work in the background.'
        : 'It was there when the environment was created, and no request has changed it since.',
    );
  }
  return `/worlds/${encodeURIComponent(env)}/requests/${seq}`;
}
