import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Refused } from '../ui/Page';
import { ask, objects } from './api';
import { type CrmRecord, type RecordType, type Results, titleOf, types } from './types';

interface Associated {
  toObjectId: number;
  associationTypes: { category: string; typeId: number; label: string | null }[];
}

interface Named {
  id: string;
  title: string;
  labels: string[];
}

/** The associations of a record, by type, with their labels. */
export function Associations({ env, type, id }: { env: string; type: RecordType; id: string }) {
  return (
    <section aria-label="Associations" className="associations">
      <h2>Associations</h2>
      {types.map((to) => (
        <OfType key={to.name} env={env} from={type.name} id={id} to={to} />
      ))}
    </section>
  );
}

interface OfTypeProps {
  env: string;
  from: string;
  id: string;
  to: RecordType;
}

const pageSize = 50;

function OfType({ env, from, id, to }: OfTypeProps) {
  const found = useInfiniteQuery({
    queryKey: ['crm', env, 'associations', from, id, to.name],
    initialPageParam: '',
    queryFn: async ({ pageParam }) => {
      const path = `/crm/v4/objects/${encodeURIComponent(from)}/${encodeURIComponent(id)}/associations/${to.name}`;
      const query = new URLSearchParams({ limit: String(pageSize), ...(pageParam ? { after: pageParam } : {}) });
      const page = await ask<Results<Associated>>(env, `${path}?${query}`);
      return { list: await named(env, to, page.results), next: page.paging?.next?.after };
    },
    getNextPageParam: (last) => last.next,
  });
  const list = found.data?.pages.flatMap((p) => p.list) ?? [];
  return (
    <section aria-label={to.title}>
      <h3>
        {to.title}{' '}
        <span className="dimmed">
          {found.data && list.length}
          {found.hasNextPage && '+'}
        </span>
      </h3>
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      <ul>
        {list.map((r) => (
          <li key={r.id}>
            <Link to={`/e/${encodeURIComponent(env)}/crm/${to.name}/${r.id}`}>
              <bdi>{r.title}</bdi>
            </Link>{' '}
            {r.labels.map((l) => (
              <span key={l} className="tag">
                {l}
              </span>
            ))}
          </li>
        ))}
      </ul>
      {found.hasNextPage && (
        <Button size="compact-sm" variant="default" onClick={() => void found.fetchNextPage()}>
          Show more
        </Button>
      )}
    </section>
  );
}

/** Reads the names of associated records in one call. */
async function named(env: string, to: RecordType, list: Associated[]): Promise<Named[]> {
  if (list.length === 0) {
    return [];
  }
  const inputs = list.map((a) => ({ id: String(a.toObjectId) }));
  const properties = [...to.titles, 'email', 'domain'];
  const { results } = await ask<Results<CrmRecord>>(env, `${objects(to.name)}/batch/read`, {
    body: { inputs, properties },
  });
  const known = new Map(results.map((r) => [r.id, r]));
  return list.map((a) => {
    const id = String(a.toObjectId);
    const record = known.get(id);
    const labels = a.associationTypes.flatMap((t) => (t.label ? [t.label] : []));
    return { id, title: record ? titleOf(to, record) : `${to.one} ${id}`, labels };
  });
}
