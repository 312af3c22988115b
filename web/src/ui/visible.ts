import { useEffect, useState } from 'react';

/** Reports whether the tab is in view. One that is not follows nothing: a browser has few connections for all tabs. */
export function useVisible(): boolean {
  const [visible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const f = (): void => setVisible(!document.hidden);
    document.addEventListener('visibilitychange', f);
    return () => document.removeEventListener('visibilitychange', f);
  }, []);
  return visible;
}
