import { Button, type ButtonProps } from '@mantine/core';
import { useToasts } from '../app/Toasts';

/** Returns a function that copies a text to the clipboard and shows the result. */
export function useCopy(): (text: string | (() => string | Promise<string>), done?: string) => void {
  const toasts = useToasts();
  return (text, done = 'Copied.') => {
    const copy = async (): Promise<void> => {
      if (!navigator.clipboard) {
        throw new Error('The browser does not allow copying here: it needs https or localhost.');
      }
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text());
    };
    copy().then(
      () => toasts.done(done),
      (e) => toasts.failed(e),
    );
  };
}

interface Props extends ButtonProps {
  children: string; // its name: `Copy as JSON`
  text: string | (() => string | Promise<string>);
}

/** A button that copies a text to the clipboard. */
export function Copy({ children, text, ...more }: Props) {
  const copy = useCopy();
  return (
    <Button variant="default" size="compact-sm" onClick={() => copy(text)} {...more}>
      {children}
    </Button>
  );
}
