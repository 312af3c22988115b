import { type ComponentProps, type ComponentType, type JSX, lazy, type ReactNode, Suspense } from 'react';

// biome-ignore lint/suspicious/noExplicitAny: any component; its own properties are asked for where it is used
type Component = ComponentType<any>;

/** After how many milliseconds a file that did not come is asked for again. */
const pauses = [500, 1000, 2000, 4000, 8000];

/** Loads a module, and tries again for a while: the server may be down, or the connection may be broken. */
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

/** Returns a component of a module that is loaded when it is first drawn; until then another is shown, or nothing. */
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
