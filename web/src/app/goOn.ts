import { useMatch, useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';

/**
 * Returns a function that redirects from a page that only leads elsewhere, by replacing its URL. It does nothing if the
 * person has navigated elsewhere meanwhile: the page stays mounted while the other one loads.
 */
export function useGoOn(): (href: string) => void {
  const router = useRouter();
  const here = useMatch({ strict: false, select: (match) => match.pathname });
  return useCallback(
    (href) => {
      const plain = (path: string): string => path.replace(/\/$/, '');
      if (plain(router.history.location.pathname) === plain(router.options.basepath + here)) {
        void router.navigate({ href, replace: true });
      }
    },
    [router, here],
  );
}
