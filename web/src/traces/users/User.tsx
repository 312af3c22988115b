import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Page, Refused } from '../../ui/Page';
import { Stamp } from '../../ui/Stamp';
import { ask, type Failure, type Totals, type User as UserRow } from '../api';
import { Charts } from '../charts/Charts';
import { useSeries } from '../charts/series';
import { FilterBar } from '../FilterBar';
import { queryIn } from '../filters';
import { periodOfDrag, TopErrors } from '../Overview';
import { SessionTable, useSessions } from '../Sessions';
import { Tiles } from '../Tiles';
import { type Filtered, useFilters } from '../useFilters';
import { Traits } from './Traits';

/** One end user: traits, sessions and failures. */
export function User() {
  const { user = '' } = useParams({ strict: false }) as { user?: string };
  const all = useFilters();
  const f: Filtered = {
    ...all,
    q: new URLSearchParams([...[...all.q].filter(([name]) => name !== 'user_id'), ['user_id', user]]),
    get: (path, more = {}, range) => all.get(path, { ...more, user_id: user }, range),
  };
  const who = useQuery({
    queryKey: ['traces', f.env, 'user', user, all.search.project_id],
    queryFn: ({ signal }) => {
      const q = queryIn({ project_id: all.search.project_id, user_id: user }, {});
      return ask<{ users: UserRow[] }>(f.env, `users?${q}`, signal);
    },
  });
  const totals = useQuery(f.get<Totals & { previous: Totals }>('overview'));
  const series = useSeries(f);
  const errors = useQuery(f.get<{ errors: Failure[] }>('errors', { limit: '20' }));
  const sessions = useSessions(f);
  const reads = [who, totals, series, errors, sessions];
  const failed = reads.find((x) => x.error)?.error;
  const known = who.data?.users.find((u) => u.user_id === user);
  return (
    <Page title={user} env={f.env}>
      {failed && <Refused error={failed} again={() => reads.forEach((x) => void x.refetch())} />}
      {who.data && !known && <p className="dimmed">No user of this id is known here.</p>}
      {known && (
        <dl className="facts">
          <dt>First seen</dt>
          <dd>
            <Stamp at={known.first_seen} />
          </dd>
          <dt>Last seen</dt>
          <dd>
            <Stamp at={known.last_seen} />
          </dd>
          <dt>Traits</dt>
          <dd>
            <Traits of={known.traits} />
          </dd>
        </dl>
      )}
      <FilterBar />
      {totals.data && <Tiles of={totals.data} before={all.before && totals.data.previous} without={['Users']} />}
      {series.data ? (
        <Charts of={series.data} choose={(from, to) => all.patch(periodOfDrag(from, to))} />
      ) : (
        !failed && <Skeleton h={280} className="late" />
      )}
      <h2>Sessions</h2>
      <SessionTable
        f={f}
        user={false}
        rows={sessions.data?.pages.flatMap((p) => p.sessions) ?? (sessions.error ? [] : undefined)}
        more={sessions.hasNextPage && !sessions.isFetching ? () => void sessions.fetchNextPage() : undefined}
      />
      {!errors.error && (
        <>
          <h2>Errors</h2>
          <TopErrors rows={errors.data?.errors} f={f} label="Errors" />
        </>
      )}
    </Page>
  );
}
