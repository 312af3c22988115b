export interface Arrival {
  key?: string; // an admin key
  as?: string; // whom to act as: an e-mail address or a user id
}

/** Reads `#key=…&as=…` and removes it from the URL. */
export function takeFragment(): Arrival {
  const text = location.hash.slice(1);
  if (!text.startsWith('key=') && !text.includes('&key=')) {
    return {};
  }
  history.replaceState(history.state, '', location.pathname + location.search);
  const values = new URLSearchParams(text);
  return { key: values.get('key') ?? undefined, as: values.get('as') ?? undefined };
}
