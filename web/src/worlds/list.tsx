import { NativeSelect } from '@mantine/core';
import type { ComponentProps } from 'react';
import type { Search } from '../app/address';
import { Found } from '../ui/Page';
import { Table } from '../ui/Table';
import type { useList } from './paging';

interface ChooseProps {
  name: string; // of the parameter of the address
  label: string;
  none: string; // what is shown when nothing is chosen
  values: string[];
  search: Search;
  patch: (change: Search) => void;
}

/** A filter of a list that has few values. A value of the address that is none of them is one more. */
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
  unmatched: string; // said when no row passes them
  none: string; // said when there is no row at all
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
