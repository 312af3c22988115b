import { useEffect, useState } from 'react';

/** Returns the focus to its previous element when the focused component unmounts. */
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
