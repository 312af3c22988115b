import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Search } from '../app/address';
import { Found, Page } from '../ui/Page';
import { SearchBox } from '../ui/SearchBox';
import { type Column, Table } from '../ui/Table';
import { useDefinitions } from './api';
import { type Definition, typeOf } from './types';
import { isWritable } from './values';

const columns: Column<Definition>[] = [
  { key: 'label', title: 'Label', width: 150, grow: 1, cell: (d) => <span className="cut">{d.label}</span> },
  { key: 'name', title: 'Name', width: 150, grow: 1, cell: (d) => <code className="cut">{d.name}</code> },
  { key: 'type', title: 'Type', width: 84, cell: (d) => d.type },
  { key: 'field', title: 'Field', width: 130, cell: (d) => <span className="cut">{d.fieldType}</span> },
  { key: 'group', title: 'Group', width: 120, cell: (d) => <span className="cut">{d.groupName}</span> },
  { key: 'options', title: 'Options', width: 54, number: true, cell: (d) => d.options.length || '' },
  { key: 'notes', title: 'Notes', width: 120, cell: (d) => notes(d) },
];

const notes = (d: Definition): string =>
  [d.hasUniqueValue && 'unique', d.calculated ? 'calculated' : !isWritable(d) && 'read-only', d.hidden && 'hidden']
    .filter(Boolean)
    .join(', ');

/** The properties that records of a type can have. */
export function Definitions() {
  const { env = 'default', type: name = '' } = useParams({ strict: false }) as Record<string, string>;
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const found = useDefinitions(env, name);
  const words = search.q?.toLowerCase() ?? '';
  const rows = found.data?.filter((d) => d.label.toLowerCase().includes(words) || d.name.includes(words));
  return (
    <Page title={`${typeOf(name).title}: properties`} env={env}>
      <div className="records-head">
        <SearchBox
          label="Find property"
          value={search.q ?? ''}
          change={(q) =>
            void navigate({ search: ((old: Search) => ({ ...old, q: q || undefined })) as never, replace: true })
          }
        />
      </div>
      <Found found={found}>
        <Table
          label="Properties"
          columns={columns}
          rows={rows}
          id={(d) => d.name}
          empty={<p className="dimmed">No property has such a name.</p>}
        />
      </Found>
    </Page>
  );
}
