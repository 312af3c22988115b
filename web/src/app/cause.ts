import { adminCall } from './admin';

/**
 * Returns the URL of the request that last wrote an object. It throws an Error with a sentence if there is none: the
 * object existed when the environment was created, or no request wrote it.
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
