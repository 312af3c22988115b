import { lazy, Suspense } from 'react';
import type { ActProps } from './act';

const Loaded = lazy(() => import('./Acts').then((m) => ({ default: m.Acts })));

/** The dialog of an act, which is loaded when it is first opened. */
export function EnvironmentDialog(props: ActProps) {
  return (
    <Suspense>
      <Loaded {...props} />
    </Suspense>
  );
}
