import type { ReactNode } from 'react';
import { useTitle } from '../app/title';

interface Props {
  title: string;
  env?: string;
  children: ReactNode;
}

/** The main part of a screen, named by its heading. */
export function Page({ title, env, children }: Props) {
  useTitle(title, env);
  return (
    <main id="main" className="page" tabIndex={-1} aria-labelledby="heading" data-region>
      <h1 id="heading">{title}</h1>
      {children}
    </main>
  );
}

/** A refusal where something could not be read. */
export function Refused({ error, again }: { error: unknown; again?: () => void }) {
  return (
    <div role="alert" className="problem">
      {error instanceof Error ? error.message : String(error)}{' '}
      {again && (
        <button type="button" className="link" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}
