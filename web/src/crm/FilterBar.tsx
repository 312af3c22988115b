import { Button } from '@mantine/core';
import { X } from 'lucide-react';
import { useState } from 'react';
import { later } from '../ui/later';
import { type Filter, inWords } from './filters';
import type { Definition } from './types';

const AddFilter = later(() => import('./AddFilter'), 'AddFilter');

interface Props {
  groups: Filter[][];
  definitions: Definition[];
  change: (groups: Filter[][]) => void;
}

/** The conditions of a search: all of a group must hold, of one of the groups. */
export function FilterBar({ groups, definitions, change }: Props) {
  const [adding, setAdding] = useState<number>(); // to which group
  const remove = (g: number, f: number): void =>
    change(groups.map((group, n) => (n === g ? group.filter((_, m) => m !== f) : group)));
  const add = (filter: Filter): void => {
    const g = adding ?? 0;
    change(groups[g] ? groups.map((group, n) => (n === g ? [...group, filter] : group)) : [...groups, [filter]]);
  };
  return (
    <div className="filter-bar">
      {groups.map((group, g) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups have nothing but their place
        <span key={g} className="filter-group">
          {g > 0 && <em>or</em>}
          {group.map((f, n) => {
            const text = inWords(f, definitions);
            return (
              <Button
                key={f.join(' ')}
                size="compact-sm"
                variant="default"
                aria-label={`Remove filter ${text}`}
                rightSection={<X size={12} />}
                onClick={() => remove(g, n)}
              >
                {text}
              </Button>
            );
          })}
        </span>
      ))}
      <Button size="compact-sm" variant="default" onClick={() => setAdding(Math.max(0, groups.length - 1))}>
        Add filter
      </Button>
      {groups.length > 0 && (
        <>
          <Button size="compact-sm" variant="subtle" onClick={() => setAdding(groups.length)}>
            Add “or”
          </Button>
          <Button size="compact-sm" variant="subtle" onClick={() => change([])}>
            Clear filters
          </Button>
        </>
      )}
      {adding !== undefined && <AddFilter definitions={definitions} add={add} close={() => setAdding(undefined)} />}
    </div>
  );
}
