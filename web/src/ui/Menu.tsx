import { cloneElement, lazy, type ReactElement, type ReactNode, Suspense, useState } from 'react';
import { patiently } from './later';

/** What a menu offers. Choices of which one is in force are radio items. */
export interface MenuItem {
  title: ReactNode;
  key?: string; // where the title is no text, or is there twice
  icon?: ReactNode;
  disabled?: boolean;
  chosen?: boolean;
  act: () => void;
}

export interface MenuProps {
  items: (MenuItem | '-')[]; // '-' is a line
  align?: 'start' | 'end';
  inside?: boolean; // stays within the landmark of its button
  children: ReactElement<Record<string, unknown>>; // the button that opens it
}

const load = () => import('./MenuOpened');
const Opened = lazy(() => patiently(load));

/** A button with a menu. What draws menus is loaded when the pointer or the focus first reaches one. */
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
