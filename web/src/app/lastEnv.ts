import { isGone } from '../api/gone';

const place = 'us.env';

/** Returns the environment that this tab showed last, for screens that belong to no environment. */
export function lastEnv(): string {
  const env = sessionStorage.getItem(place) ?? 'default';
  return isGone(env) ? 'default' : env;
}

export const setLastEnv = (env: string): void => sessionStorage.setItem(place, env);
