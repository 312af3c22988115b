import { Link } from '@tanstack/react-router';
import type { Search } from '../../app/address';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The traits of a user; each is a link that filters by it. */
export function Traits({ of, most = 50 }: { of: Record<string, unknown>; most?: number }) {
  const all = Object.entries(of);
  return (
    <span className="traits">
      {all.slice(0, most).map(([name, value]) => {
        const text = textOf(value);
        const label = `${name}: ${text}`;
        const simple = typeof value !== 'object' || value === null;
        return simple ? (
          <Link
            key={name}
            to="."
            search={((old: Search) => ({ ...old, [`trait.${name}`]: text })) as never}
            title={`Filter by ${label.slice(0, 200)}`}
            className="trait"
          >
            {label.slice(0, 80)}
          </Link>
        ) : (
          <span key={name} className="trait" title={label.slice(0, 400)}>
            {label.slice(0, 80)}
          </span>
        );
      })}
      {all.length > most && <span className="dimmed">and {all.length - most} more</span>}
      {all.length === 0 && <span className="dimmed">–</span>}
    </span>
  );
}
