import { useCanGoBack } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { ApiError } from '../api/http';
import { useTitle } from '../app/title';
import { Countdown, waitOf } from './Countdown';

interface Props {
  title: string;
  env?: string;
  children: ReactNode;
}

/** The main part of a screen, named by its heading. */
export function Page({ title, env, children }: Props) {
  useTitle(title, env);
  const main = useRef<HTMLElement>(null);
  const within = useCanGoBack();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus is looked for once
  useEffect(() => {
    if (within && document.activeElement === document.body) {
      main.current?.focus({ preventScroll: true }); // the focused element was on the previous page
    }
  }, []);
  return (
    <main ref={main} id="main" className="page" tabIndex={-1} aria-labelledby="heading" data-region>
      <h1 id="heading">{title}</h1>
      {children}
    </main>
  );
}

/** Shows why something could not be loaded. It retries automatically if the error allows it. */
export function Refused({ error, again }: { error: unknown; again?: () => void }) {
  const wait = waitOf(error);
  return (
    <div role="alert" className="problem">
      {error instanceof Error ? error.message : String(error)}{' '}
      {error instanceof ApiError && error.requestId && <span className="dimmed">Request {error.requestId} </span>}
      {again && wait > 0 && <Countdown seconds={wait} what="It is read again" act={again} />}
      {again && wait === 0 && (
        <button type="button" className="link" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

interface FoundProps {
  found: { error: unknown; refetch: () => unknown; data?: unknown; rows?: unknown };
  children: ReactNode;
}

/** Shows the loaded data, or the error; both if older data exist. */
export function Found({ found, children }: FoundProps) {
  return (
    <>
      {Boolean(found.error) && <Refused error={found.error} again={() => void found.refetch()} />}
      {(!found.error || Boolean(found.data ?? found.rows)) && children}
    </>
  );
}
