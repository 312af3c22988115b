import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Page, Refused } from '../../ui/Page';
import { SearchBox } from '../../ui/SearchBox';
import { Table } from '../../ui/Table';
import type { Recorded } from '../api';
import { pathOf, placeOf, services, useEnv } from '../api';
import { useLive } from '../live';
import { chosenOf, useFilters, useList } from '../paging';
import { columnsOf } from './columns';

const names = ['service', 'status', 'method', 'path', 'principal', 'operation', 'q', 'since', 'client', 'trace_id'];

/** What was asked of the services, newest first, live. */
export function Requests() {
  const env = useEnv();
  const navigate = useNavigate();
  const [search, patch] = useFilters();
  const [paused, setPaused] = useState(false);
  const included = search.client !== undefined;
  const client = included ? (search.client === 'any' ? '' : (search.client ?? '')) : '!web';
  const query = { ...chosenOf(search, names), client, counts: 'true' };
  const found = useList<Recorded>(['world', env, 'requests'], pathOf(env, '/requests'), 'requests', query);
  const live = useLive(env, 'requests', !paused, () => void found.refetch());
  const open = (r: Recorded): void => void navigate({ href: placeOf(env, `requests/${r.seq}`) });
  const narrowed = names.some((n) => n !== 'client' && search[n]);
  return (
    <Page title="Requests" env={env}>
      <div className="filters">
        <NativeSelect
          aria-label="Service"
          data={[{ value: '', label: 'all services' }, ...services]}
          value={search.service ?? ''}
          onChange={(e) => patch({ service: e.currentTarget.value || undefined })}
        />
        <NativeSelect
          aria-label="Method"
          data={[{ value: '', label: 'any method' }, 'GET', 'POST', 'PUT', 'PATCH', 'DELETE']}
          value={search.method ?? ''}
          onChange={(e) => patch({ method: e.currentTarget.value || undefined })}
        />
        <NativeSelect
          aria-label="Status"
          data={[
            { value: '', label: 'any status' },
            ...['2xx', '3xx', '4xx', '5xx'],
            ...(search.status && !/^[2-5]xx$/.test(search.status) ? [search.status] : []),
          ]}
          value={search.status ?? ''}
          onChange={(e) => patch({ status: e.currentTarget.value || undefined })}
        />
        <SearchBox label="Path begins with" value={search.path ?? ''} change={(v) => patch({ path: v || undefined })} />
        <SearchBox
          label="Principal"
          value={search.principal ?? ''}
          change={(v) => patch({ principal: v || undefined })}
        />
        <SearchBox label="Find in bodies" value={search.q ?? ''} change={(v) => patch({ q: v || undefined })} />
        <Checkbox
          label="Include this UI"
          checked={included}
          onChange={(e) => patch({ client: e.currentTarget.checked ? 'any' : undefined })}
        />
        <Button variant="default" onClick={() => setPaused(!paused)}>
          {paused ? 'Resume' : 'Pause'}
        </Button>
        <span role="status" className="dimmed">
          {paused ? 'Paused' : live === 'broken' ? 'Reconnecting…' : ''}
        </span>
      </div>
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      {!(found.error && !found.rows) && (
        <Table
          label="Requests"
          columns={columnsOf(env)}
          rows={found.rows}
          id={(r) => String(r.seq)}
          name={(r) => `${r.method} ${r.path}, ${r.status}`}
          open={open}
          more={found.more}
          empty={
            <p className="dimmed">
              {narrowed
                ? 'No recorded request matches these filters.'
                : 'Nothing was asked yet. Copy the credentials and call a service; what this UI does is left out unless you include it.'}
            </p>
          }
        />
      )}
    </Page>
  );
}
