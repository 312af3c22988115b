import { Checkbox, NativeSelect, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { adminCall } from '../../app/admin';
import { Copy } from '../../ui/Copy';
import { Page, Refused } from '../../ui/Page';
import { pathOf, type Snapshot, useEnv } from '../api';
import { chosenOf, useFilters } from '../paging';
import { Service } from '../parts';
import { Changes } from './Changes';
import { assertionOf, type Count, changesOf, type Lists, sentenceOf } from './rows';

/** Reads a whole diff, page by page. */
async function readAll(env: string, query: Record<string, string>): Promise<Lists> {
  const all: Lists = { inserts: [], updates: [], deletes: [], next_cursor: '' };
  do {
    const page = await adminCall<Lists>(
      pathOf(env, `/diff?${new URLSearchParams({ ...query, cursor: all.next_cursor })}`),
    );
    for (const list of ['inserts', 'updates', 'deletes'] as const) {
      for (const c of page[list]) {
        all[list].push(c);
      }
    }
    all.next_cursor = page.next_cursor;
  } while (all.next_cursor !== '');
  return all;
}

/** What changed between two states of an environment. */
export function Diff() {
  const env = useEnv();
  const [search, patch] = useFilters();
  const query = chosenOf(search, ['from', 'to']);
  const snapshots = useQuery({
    queryKey: ['world', env, 'snapshots', 'all'],
    queryFn: () => adminCall<{ snapshots: Snapshot[] }>(pathOf(env, '/snapshots?limit=200')),
  });
  const found = useQuery({
    queryKey: ['world', env, 'summary', query],
    queryFn: () =>
      adminCall<{ summary: Count[] }>(pathOf(env, `/diff?${new URLSearchParams({ ...query, summary: 'true' })}`)),
  });
  const all = found.data?.summary ?? [];
  const hidden = new Set((search.without ?? '').split(',').filter(Boolean));
  const summary = all.filter((c) => !hidden.has(c.service));
  const options = (snapshots.data?.snapshots ?? []).map((s) => ({ value: s.id, label: s.name || s.id }));
  const known = [...new Set(all.map((c) => c.service))];
  return (
    <Page title="Diff" env={env}>
      <div className="filters">
        <NativeSelect
          label="From"
          data={[{ value: '', label: 'Creation' }, ...options]}
          value={search.from ?? ''}
          onChange={(e) => patch({ from: e.currentTarget.value || undefined, change: undefined })}
        />
        <NativeSelect
          label="To"
          data={[{ value: '', label: 'Now' }, ...options]}
          value={search.to ?? ''}
          onChange={(e) => patch({ to: e.currentTarget.value || undefined, change: undefined })}
        />
        {known.map((service) => (
          <Checkbox
            key={service}
            label={service}
            checked={!hidden.has(service)}
            onChange={(e) => {
              const next = new Set(hidden);
              e.currentTarget.checked ? next.delete(service) : next.add(service);
              patch({ without: [...next].join(',') || undefined });
            }}
          />
        ))}
      </div>
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      {found.isPending && <Skeleton className="late" h={160} />}
      {found.isSuccess && all.length === 0 && (
        <p className="dimmed">
          Nothing has changed. What programs and people do in the services shows up here, with the requests that did it.
        </p>
      )}
      {summary.length > 0 && (
        <>
          <ul className="plain summary" aria-label="Summary">
            {[...new Set(summary.map((c) => c.service))].map((service) => (
              <li key={service}>
                <Service name={service} />: {sentenceOf(summary.filter((c) => c.service === service))}
              </li>
            ))}
          </ul>
          <div className="buttons">
            <Copy text={() => readAll(env, query).then((d) => JSON.stringify(changesOf(d), null, 2))}>
              Copy as JSON
            </Copy>
            <Copy text={assertionOf(env, summary, search.from ?? '', search.to ?? '')}>Copy as assertion</Copy>
          </div>
          <Changes
            key={`${env} ${search.from} ${search.to} ${found.dataUpdatedAt}`}
            env={env}
            query={query}
            summary={summary}
            selected={search.change}
            select={(change) => patch({ change })}
          />
        </>
      )}
    </Page>
  );
}
