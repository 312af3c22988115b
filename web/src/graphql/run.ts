/** A reply and its cost. */
export interface Answer {
  status: number;
  text: string; // formatted if it is JSON
  milliseconds: number;
  bytes: number;
  headers: [name: string, value: string][];
}

const shownHeaders: [header: string, name: string][] = [
  ['X-Complexity', 'Complexity'],
  ['X-RateLimit-Complexity-Remaining', 'Complexity left'],
  ['X-RateLimit-Complexity-Limit', 'Complexity an hour'],
  ['X-RateLimit-Requests-Remaining', 'Requests left'],
  ['X-RateLimit-Requests-Limit', 'Requests an hour'],
  ['Retry-After', 'Try again after (s)'],
  ['X-Request-Id', 'Request'],
];

/** Parses headers from a JSON object. It throws an Error for anything else. */
export function readHeaders(text: string): Record<string, string> {
  if (text.trim() === '') {
    return {};
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (e) {
    throw new Error(`Headers are not JSON: ${(e as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('Headers must be a JSON object, such as {"Authorization": "…"}.');
  }
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, String(v)]));
}

/** Posts an operation. It throws an Error if variables or headers are invalid, or if there is no reply. */
export async function run(
  endpoint: string,
  query: string,
  variables: string,
  headers: Record<string, string>,
): Promise<Answer> {
  let values: unknown;
  try {
    values = variables.trim() === '' ? undefined : JSON.parse(variables);
  } catch (e) {
    throw new Error(`Variables are not JSON: ${(e as Error).message}`);
  }
  const began = performance.now();
  const reply = await fetch(endpoint, {
    method: 'POST',
    headers: {
      Accept: 'application/json',
      'Content-Type': 'application/json; charset=utf-8',
      'Understudy-Client': 'web',
      ...headers,
    },
    body: JSON.stringify({ query, variables: values }),
    credentials: 'omit',
    cache: 'no-store',
  }).catch((e: Error) => {
    throw new Error(`Nothing answers: ${e.message}`);
  });
  const text = await reply.text();
  return {
    status: reply.status,
    text: formatted(text),
    milliseconds: Math.round(performance.now() - began),
    bytes: text.length,
    headers: shownHeaders.flatMap(([h, name]): [string, string][] => {
      const value = reply.headers.get(h);
      return value === null ? [] : [[name, value]];
    }),
  };
}

function formatted(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
