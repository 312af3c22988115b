import type { ReactNode } from 'react';

/** Says what went wrong beside what it went wrong with; nothing while there is nothing to say. */
export function ProblemText({ children }: { children: ReactNode }) {
  return children ? (
    <p role="alert" className="problem">
      {children}
    </p>
  ) : null;
}
