import { useEffect, useState } from 'react';
import { ApiError } from '../api/http';

/** Returns the seconds after which a refused request may be repeated; 0 if the error does not say. */
export const waitOf = (error: unknown): number =>
  error instanceof ApiError && (error.status === 429 || (error.status === 503 && error.retryAfter > 0))
    ? Math.max(error.retryAfter, 1)
    : 0;

/** Counts down, then calls act, if there is one. */
export function Countdown({ seconds, what, act }: { seconds: number; what: string; act?: () => void }) {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const timer = setTimeout(() => (left > 1 ? setLeft(left - 1) : act?.()), 1000);
    return () => clearTimeout(timer);
  });
  return (
    <span role="timer">
      {what} in {left} s
    </span>
  );
}
