import { type ComponentProps, lazy, Suspense } from 'react';

// Dialogs of the first screen, which are loaded when they are first opened.
const LoadedConfirm = lazy(() => import('./Dialog').then((m) => ({ default: m.Confirm })));
const LoadedJson = lazy(() => import('./Json').then((m) => ({ default: m.JsonDialog })));

export function Confirm(props: ComponentProps<typeof LoadedConfirm>) {
  return (
    <Suspense>
      <LoadedConfirm {...props} />
    </Suspense>
  );
}

export function JsonDialog(props: ComponentProps<typeof LoadedJson>) {
  return (
    <Suspense>
      <LoadedJson {...props} />
    </Suspense>
  );
}
