import type { ReactNode } from 'react';

/** An error message beside its cause; renders nothing without one. */
export function ProblemText({ children }: { children: ReactNode }) {
  return children ? (
    <p role="alert" className="problem">
      {children}
    </p>
  ) : null;
}
