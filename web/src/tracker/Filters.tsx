import { Button, NativeSelect } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Search } from '../app/address';
import { chosen, type FilterName, filterNames, valuesOf } from './filters';
import type { Options } from './types';

const titles: Record<FilterName, string> = {
  state: 'State',
  assignee: 'Assignee',
  label: 'Label',
  project: 'Project',
  cycle: 'Cycle',
  priority: 'Priority',
};

interface Props {
  options?: Options;
  without?: FilterName;
  children?: ReactNode;
}

/** The filters of the issues. They are stored in the URL. */
export function Filters({ options, without, children }: Props) {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const patch = (change: Search): void =>
    void navigate({ search: ((old: Search) => ({ ...old, ...change })) as never, replace: true });
  const list = chosen(search);
  return (
    <div className="issue-filters">
      {filterNames
        .filter((n) => n !== without)
        .map((name) => {
          const values = options ? valuesOf(name, options) : [];
          const value = search[name] ?? '';
          const known = value === '' || values.some((v) => v.value === value);
          return (
            <NativeSelect
              key={name}
              size="xs"
              label={titles[name]}
              value={value}
              onChange={(e) => patch({ [name]: e.currentTarget.value || undefined })}
              data={[{ value: '', label: 'All' }, ...values, ...(known ? [] : [{ value, label: value }])]}
            />
          );
        })}
      {children}
      {list.length > 0 && (
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => patch(Object.fromEntries(list.map(([name]) => [name, undefined])))}
        >
          Clear filters
        </Button>
      )}
    </div>
  );
}
