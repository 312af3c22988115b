// The environments that a reply has reported as missing. The frame shows that instead of their pages.
const gone = new Set<string>();
const listeners = new Set<() => void>();

/** Reports whether the last reply about an environment said that it does not exist. */
export const isGone = (env: string): boolean => gone.has(env);

export const subscribeGone = (f: () => void): (() => void) => {
  listeners.add(f);
  return () => listeners.delete(f);
};

/** Records whether the environment in the URL of a reply exists. */
export function noteEnvironment(url: string, there: boolean): void {
  if (there && gone.size === 0) {
    return;
  }
  const env = /^(?:\/e|\/admin\/v1\/environments)\/([^/?]+)/.exec(url)?.[1];
  if (env === undefined || isGone(decodeURIComponent(env)) === !there) {
    return;
  }
  if (there) {
    gone.delete(decodeURIComponent(env));
  } else {
    gone.add(decodeURIComponent(env));
  }
  for (const f of listeners) {
    f();
  }
}
