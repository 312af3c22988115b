import { Button, Checkbox, Skeleton, Table } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { formatNumber, formatStamp } from '../app/locale';
import type { Search } from '../routes';
import { Page, Refused } from '../ui/Page';
import { Filters } from './Area';
import { ask, type Session } from './api';
import { queryOf } from './filters';
import { formatDuration } from './format';

/** All sessions, the newest first. */
export function Sessions() {
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const key = JSON.stringify(search);
  const q = useMemo(() => {
    const all = JSON.parse(key) as Search;
    const made = queryOf(all, Date.now());
    if (all.errors === 'true') {
      made.set('errors', 'true');
    }
    return made.toString();
  }, [key]);
  const found = useInfiniteQuery({
    queryKey: ['traces', env, 'sessions', q],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      ask<{ sessions: Session[]; next_cursor?: string }>(
        env,
        `sessions?${new URLSearchParams([...new URLSearchParams(q), ['limit', '100'], ...(pageParam ? [['cursor', pageParam] as [string, string]] : [])])}`,
      ),
    getNextPageParam: (last) => last.next_cursor || undefined,
  });
  const list = found.data?.pages.flatMap((p) => p.sessions) ?? [];
  return (
    <Page title="Sessions" env={env}>
      <Filters />
      <Checkbox
        mt="xs"
        label="Errors only"
        checked={search.errors === 'true'}
        onChange={(e) =>
          void navigate({
            search: ((old: Search) => ({ ...old, errors: e.currentTarget.checked ? 'true' : undefined })) as never,
          })
        }
      />
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      {found.isPending && <Skeleton h={200} mt="md" />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard */}
      <div className="wide" tabIndex={0}>
        <Table aria-label="Sessions">
          <Table.Thead>
            <Table.Tr>
              {['Start', 'Id', 'User', 'Client', 'Events', 'Errors', 'Tokens', 'Duration'].map((h) => (
                <Table.Th key={h}>{h}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {list.map((s) => (
              <Table.Tr key={s.session_id}>
                <Table.Td>{formatStamp(new Date(s.timestamp))}</Table.Td>
                <Table.Td className="long">
                  <Link
                    to="/e/$env/traces/sessions/$session"
                    params={{ env, session: s.session_id }}
                    search={((old: Search) => ({ ...old, event: undefined })) as never}
                  >
                    {s.session_id}
                  </Link>
                </Table.Td>
                <Table.Td className="long">{s.user_id ?? '–'}</Table.Td>
                <Table.Td>{s.client_config ?? '–'}</Table.Td>
                <Table.Td className="number">{formatNumber(s.event_count)}</Table.Td>
                <Table.Td className="number">{formatNumber(s.errors)}</Table.Td>
                <Table.Td className="number">{formatNumber(s.input_tokens + s.output_tokens)}</Table.Td>
                <Table.Td className="number">{formatDuration(s.last_event_at - s.timestamp)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {found.isSuccess && list.length === 0 && <p className="dimmed">No session matches these filters.</p>}
      {found.hasNextPage && (
        <Button variant="default" mt="sm" onClick={() => void found.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Page>
  );
}
