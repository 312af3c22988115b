import { Button, Checkbox } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Page } from '../../ui/Page';
import { SearchBox } from '../../ui/SearchBox';
import type { Recorded } from '../api';
import { pathOf, placeOf, services, useEnv } from '../api';
import { Choose, List } from '../list';
import { useLive } from '../live';
import { chosenOf, useFilters, useList } from '../paging';
import { columnsOf } from './columns';

const names = ['service', 'status', 'method', 'path', 'principal', 'operation', 'q', 'since', 'client', 'trace_id'];

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const statuses = ['2xx', '3xx', '4xx', '5xx'];

/** The requests to the services, newest first, updated live. */
export function Requests() {
  const env = useEnv();
  const navigate = useNavigate();
  const [search, patch] = useFilters();
  const [paused, setPaused] = useState(false);
  const included = search.client !== undefined;
  const client = included ? (search.client === 'any' ? '' : (search.client ?? '')) : '!web';
  const query = { ...chosenOf(search, names), client, counts: 'true' };
  const found = useList<Recorded>(['world', env, 'requests'], pathOf(env, '/requests'), 'requests', query);
  const live = useLive(env, 'requests', !paused, found.refetch);
  const open = (r: Recorded): void => void navigate({ href: placeOf(env, `requests/${r.seq}`) });
  const narrowed = names.some((n) => n !== 'client' && search[n]);
  return (
    <Page title="Requests" env={env}>
      <div className="filters request-filters">
        <Choose name="service" label="Service" none="all services" values={services} search={search} patch={patch} />
        <Choose name="method" label="Method" none="any method" values={methods} search={search} patch={patch} />
        <Choose name="status" label="Status" none="any status" values={statuses} search={search} patch={patch} />
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
          {paused ? 'Paused' : live === 'reconnecting' ? 'Reconnecting…' : ''}
        </span>
      </div>
      <List
        label="Requests"
        found={found}
        columns={columnsOf(env)}
        id={(r) => String(r.seq)}
        name={(r) => `${r.method} ${r.path}, ${r.status}`}
        open={open}
        narrowed={narrowed}
        unmatched="No recorded request matches these filters."
        none="Nothing was asked yet. Copy the credentials and call a service; what this UI does is left out unless you include it."
      />
    </Page>
  );
}
