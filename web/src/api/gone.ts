// Environments of which some reply has said that they are not there: the frame says so in place of the page.
const gone = new Set<string>();
const listeners = new Set<() => void>();

/** Reports whether the last reply about an environment said that it is not there. */
export const isGone = (env: string): boolean => gone.has(env);

export const subscribeGone = (f: () => void): (() => void) => {
  listeners.add(f);
  return () => listeners.delete(f);
};

/** Notes by the address of a reply whether the environment that it names is there. */
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
