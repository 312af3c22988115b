import { useNavigate } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, MouseEvent } from 'react';

type Props = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { href: string };

/**
 * A link to a page, by its address below /ui. The router's own Link follows the state of the router, which costs too
 * much in a table: scrolling makes dozens of rows a frame.
 */
export function Go({ href, children, ...rest }: Props) {
  const navigate = useNavigate();
  const go = (e: MouseEvent): void => {
    if (e.button === 0 && !e.metaKey && !e.ctrlKey && !e.shiftKey && !e.altKey) {
      e.preventDefault();
      void navigate({ href });
    }
  };
  return (
    <a href={`/ui${href}`} onClick={go} {...rest}>
      {children}
    </a>
  );
}
