import type { ReactElement, ReactNode } from 'react';

/** An item of a menu. Alternatives, of which one is active, are radio items. */
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
