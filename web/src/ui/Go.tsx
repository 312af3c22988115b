import { useNavigate } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, MouseEvent } from 'react';

type Props = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { href: string };

/**
 * A link to a page, by its path below /ui. The router's own Link subscribes to the router's state, which is too slow in
 * tables: scrolling renders dozens of rows a frame.
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
