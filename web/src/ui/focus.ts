import { useEffect, useState } from 'react';

/** Gives the focus back to where it was, when what took it goes away with it. */
export function useFocusReturn(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      setTimeout(() => {
        if (document.activeElement === document.body && before instanceof HTMLElement && before.isConnected) {
          before.focus();
        }
      });
    },
    [before],
  );
}
