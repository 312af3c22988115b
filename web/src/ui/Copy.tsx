import { Button, type ButtonProps } from '@mantine/core';
import { useToasts } from '../app/Toasts';

interface Props extends ButtonProps {
  children: string; // its name: `Copy as JSON`
  text: string | (() => string | Promise<string>);
}

/** A button that puts a text on the clipboard. */
export function Copy({ children, text, ...more }: Props) {
  const toasts = useToasts();
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text());
      toasts.done('Copied.');
    } catch (e) {
      toasts.failed(
        navigator.clipboard ? e : new Error('The browser does not allow copying here: it needs https or localhost.'),
      );
    }
  };
  return (
    <Button variant="default" size="compact-sm" onClick={() => void copy()} {...more}>
      {children}
    </Button>
  );
}
