import { Button, Table, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { adminCall, type Environment } from '../app/admin';
import { Frame } from '../app/Frame';
import { formatBytes, formatStamp } from '../app/locale';
import { useToasts } from '../app/Toasts';
import type { Search } from '../routes';
import { Page, Refused } from '../ui/Page';

const lastEnv = (): string => sessionStorage.getItem('us.env') ?? 'default';

/** All environments; each opens in the areas. */
export function Worlds() {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const q = search.q ?? '';
  const found = useInfiniteQuery({
    queryKey: ['environments', q],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      adminCall<{ environments: Environment[]; next_cursor: string }>(
        `/environments?${new URLSearchParams({ q, cursor: pageParam })}`,
      ),
    getNextPageParam: (last) => last.next_cursor || undefined,
  });
  const list = found.data?.pages.flatMap((p) => p.environments) ?? [];
  return (
    <Frame env={lastEnv()} area="Worlds">
      <Page title="Environments">
        <TextInput
          type="search"
          role="searchbox"
          aria-label="Find environment"
          placeholder="Find environment"
          maw={360}
          value={q}
          onChange={(e) =>
            void navigate({
              search: (e.currentTarget.value ? { q: e.currentTarget.value } : {}) as never,
              replace: true,
            })
          }
        />
        {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard */}
        <div className="wide" tabIndex={0}>
          <Table aria-label="Environments">
            <Table.Thead>
              <Table.Tr>
                {['Name', 'Parent', 'Clock', 'Limits', 'Size', 'Created', 'Expires'].map((h) => (
                  <Table.Th key={h}>{h}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {list.map((e) => (
                <Table.Tr key={e.id}>
                  <Table.Td className="long">
                    <a
                      href={`/ui/e/${encodeURIComponent(e.id)}/messaging`}
                      onClick={(click) => {
                        click.preventDefault();
                        void navigate({ to: '/e/$env/messaging', params: { env: e.id } });
                      }}
                    >
                      {e.name || e.id}
                    </a>
                    {e.name && e.name !== e.id && <span className="dimmed"> {e.id}</span>}
                    {e.ephemeral && <span className="tag">ephemeral</span>}
                  </Table.Td>
                  <Table.Td>{e.parent ?? '–'}</Table.Td>
                  <Table.Td>{e.clock?.frozen ? `frozen at ${formatStamp(new Date(e.clock.now))}` : 'running'}</Table.Td>
                  <Table.Td>{e.rate_limits}</Table.Td>
                  <Table.Td className="number">{formatBytes(e.size_bytes ?? 0)}</Table.Td>
                  <Table.Td>{formatStamp(new Date(e.created_at))}</Table.Td>
                  <Table.Td>{e.expires_at ? formatStamp(new Date(e.expires_at)) : 'never'}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
        {found.isSuccess && list.length === 0 && (
          <p className="dimmed">No environment by that name. understudy env create makes one.</p>
        )}
        {found.hasNextPage && (
          <Button variant="default" mt="sm" onClick={() => void found.fetchNextPage()}>
            Show more
          </Button>
        )}
      </Page>
    </Frame>
  );
}

interface Delivery {
  id: string;
  status: string;
  event: string;
  service: string;
  destination: string;
  attempts: unknown[];
  next_attempt_at: string | null;
}

/** What was sent to webhooks and subscriptions. */
export function Deliveries() {
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const search = useSearch({ strict: false }) as Search;
  const toasts = useToasts();
  const queries = useQueryClient();
  const path = `/environments/${encodeURIComponent(env)}/deliveries`;
  const filter: Record<string, string> = {};
  for (const name of ['destination', 'service', 'status']) {
    const value = search[name];
    if (value) {
      filter[name] = value;
    }
  }
  const key = ['deliveries', env, filter];
  const found = useQuery({
    queryKey: key,
    queryFn: () => adminCall<{ deliveries: Delivery[] }>(`${path}?${new URLSearchParams({ limit: '200', ...filter })}`),
  });
  const replay = (id: string): void => {
    adminCall(`${path}/${id}/replay`, { body: {} }).then(
      () => {
        toasts.done('It is delivered again.');
        void queries.invalidateQueries({ queryKey: key });
      },
      (e) => toasts.failed(e),
    );
  };
  return (
    <Frame env={env} area="Worlds">
      <Page title="Deliveries" env={env}>
        {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard */}
        <div className="wide" tabIndex={0}>
          <Table aria-label="Deliveries">
            <Table.Thead>
              <Table.Tr>
                {['Status', 'Event', 'Service', 'Destination', 'Attempts', 'Next attempt', 'Actions'].map((h) => (
                  <Table.Th key={h}>{h}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {found.data?.deliveries.map((d) => (
                <Table.Tr key={d.id}>
                  <Table.Td>{d.status}</Table.Td>
                  <Table.Td>{d.event}</Table.Td>
                  <Table.Td>{d.service}</Table.Td>
                  <Table.Td className="long">{d.destination}</Table.Td>
                  <Table.Td className="number">{d.attempts.length}</Table.Td>
                  <Table.Td>{d.next_attempt_at ? formatStamp(new Date(d.next_attempt_at)) : '–'}</Table.Td>
                  <Table.Td>
                    <Button size="compact-sm" variant="default" onClick={() => replay(d.id)}>
                      Replay
                    </Button>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
        {found.data?.deliveries.length === 0 && <p className="dimmed">Nothing was sent there yet.</p>}
      </Page>
    </Frame>
  );
}
