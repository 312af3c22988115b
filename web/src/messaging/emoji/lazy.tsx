import { type ComponentProps, lazy, Suspense } from 'react';

const Loaded = lazy(() => import('./EmojiDialog').then((m) => ({ default: m.EmojiDialog })));

/** The emoji dialog, which is loaded when it is first opened. */
export function EmojiDialog(props: ComponentProps<typeof Loaded>) {
  return (
    <Suspense>
      <Loaded {...props} />
    </Suspense>
  );
}
