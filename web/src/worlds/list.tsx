import { NativeSelect } from '@mantine/core';
import type { ComponentProps } from 'react';
import type { Search } from '../app/address';
import { Found } from '../ui/Page';
import { Table } from '../ui/Table';
import type { useList } from './paging';

interface ChooseProps {
  name: string; // of the parameter of the address
  label: string;
  none: string; // the label for no selection
  values: string[];
  search: Search;
  patch: (change: Search) => void;
}

/** A filter with few values. An unknown value in the URL is added to them. */
export function Choose({ name, label, none, values, search, patch }: ChooseProps) {
  const value = search[name] ?? '';
  return (
    <NativeSelect
      aria-label={label}
      data={[{ value: '', label: none }, ...values, ...(value && !values.includes(value) ? [value] : [])]}
      value={value}
      onChange={(e) => patch({ [name]: e.currentTarget.value || undefined })}
    />
  );
}

type ListProps<T> = Omit<ComponentProps<typeof Table<T>>, 'rows' | 'more' | 'empty'> & {
  found: ReturnType<typeof useList<T>>;
  narrowed: boolean; // whether filters are set
  unmatched: string; // shown when no row matches
  none: string; // shown when there are no rows
};

/** A list of the admin plane as a table, or why it could not be read. */
export function List<T>({ found, narrowed, unmatched, none, ...table }: ListProps<T>) {
  return (
    <Found found={found}>
      <Table
        {...table}
        rows={found.rows}
        more={found.more}
        empty={<p className="dimmed">{narrowed ? unmatched : none}</p>}
      />
    </Found>
  );
}
