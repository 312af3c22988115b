import { cloneElement, lazy, Suspense, useState } from 'react';
import { patiently } from './later';
import type { MenuProps } from './menuItem';

const load = () => import('./MenuOpened');
const Opened = lazy(() => patiently(load));

/** A button with a menu. The code of menus is loaded on first hover or focus. */
export function Menu(props: MenuProps) {
  const [wanted, setWanted] = useState(false);
  const button = props.children;
  if (wanted) {
    return (
      <Suspense fallback={button}>
        <Opened {...props} />
      </Suspense>
    );
  }
  const prepare = (): void => void load().catch(() => undefined);
  return cloneElement(button, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: prepare,
    onFocus: prepare,
    onClick: () => setWanted(true),
  });
}
