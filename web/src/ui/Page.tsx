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
      main.current?.focus({ preventScroll: true }); // what had it is on the page that one came from
    }
  }, []);
  return (
    <main ref={main} id="main" className="page" tabIndex={-1} aria-labelledby="heading" data-region>
      <h1 id="heading">{title}</h1>
      {children}
    </main>
  );
}

/** A refusal where something could not be read. What may be tried later is tried by itself. */
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

/** What was read, or why it could not be read; both where an earlier answer is there. */
export function Found({ found, children }: FoundProps) {
  return (
    <>
      {Boolean(found.error) && <Refused error={found.error} again={() => void found.refetch()} />}
      {(!found.error || Boolean(found.data ?? found.rows)) && children}
    </>
  );
}
