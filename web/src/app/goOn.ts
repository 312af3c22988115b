import { useMatch, useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';

/**
 * Returns what goes on from a page that only leads elsewhere. Its address is replaced, unless the person has gone somewhere
 * else already: what they chose may still be loading, and the page stays mounted until it is there.
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
