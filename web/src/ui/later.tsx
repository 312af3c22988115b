import { type ComponentProps, type ComponentType, type JSX, lazy, type ReactNode, Suspense } from 'react';

// biome-ignore lint/suspicious/noExplicitAny: any component; its own properties are asked for where it is used
type Component = ComponentType<any>;

/** The delays before a failed download is repeated, in milliseconds. */
const pauses = [500, 1000, 2000, 4000, 8000];

/** Loads a module, and retries for a while if the server or the connection is down. */
export async function patiently<M>(load: () => Promise<M>): Promise<M> {
  for (const pause of pauses) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return load();
}

/** Returns a component whose module is loaded when it is first rendered. Until then a fallback is shown, or nothing. */
export function later<K extends string, M extends Record<K, Component>>(
  load: () => Promise<M>,
  name: K,
  meanwhile?: ReactNode,
): (props: ComponentProps<M[K]>) => JSX.Element {
  const Loaded: Component = lazy(async () => ({ default: (await patiently(load))[name] }));
  return (props) => (
    <Suspense fallback={meanwhile}>
      <Loaded {...props} />
    </Suspense>
  );
}
