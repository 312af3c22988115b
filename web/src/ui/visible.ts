import { useEffect, useState } from 'react';

/** Reports whether the tab is visible. A hidden tab streams nothing, because browsers limit the connections of all tabs. */
export function useVisible(): boolean {
  const [visible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const f = (): void => setVisible(!document.hidden);
    document.addEventListener('visibilitychange', f);
    return () => document.removeEventListener('visibilitychange', f);
  }, []);
  return visible;
}
