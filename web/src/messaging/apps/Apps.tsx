import { Stamp } from '../../ui/Stamp';
import '@mantine/core/styles/Table.layer.css';
import '@mantine/core/styles/Tabs.layer.css';
import { Button, Skeleton, Table, Tabs } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Search } from '../../app/address';
import { adminKey } from '../../app/admin';
import { call } from '../../app/identity';
import { useToasts } from '../../app/Toasts';
import { Confirm } from '../../ui/Dialog';
import { Page, Refused } from '../../ui/Page';
import { useMessaging, useShown } from '../context';
import { AddDialog } from './AddDialog';
import { type Item, type Kind, kinds } from './kinds';
import { ManifestDialog } from './ManifestDialog';
import { SecretsDialog } from './Secrets';
import type { App, Secrets } from './types';

const tabs: [path: string, name: string, kind?: Kind][] = [
  ['apps', 'Apps'],
  ['webhooks', 'Incoming webhooks', kinds.incoming],
  ['webhooks?tab=outgoing', 'Outgoing webhooks', kinds.outgoing],
  ['subscriptions', 'Event subscriptions', kinds.subscriptions],
  ['commands', 'Slash commands', kinds.commands],
];

const secretsOf = (s: Secrets): [string, string | undefined][] => [
  ['Bot token', s.bot_token],
  ['User token', s.user_token],
  ['Signing secret', s.signing_secret],
  ['Verification token', s.verification_token],
];

/** Apps and integrations, a tab for each kind. */
export function AppsPage() {
  const { env, goPage } = useMessaging();
  const page = useLocation({ select: (l) => l.pathname.split('/').pop() ?? '' });
  const { tab } = useSearch({ strict: false }) as Search;
  const here = tab === 'outgoing' ? `${page}?tab=outgoing` : page;
  return (
    <Page title="Apps and integrations" env={env}>
      <Tabs value={here} onChange={(v) => v && goPage(v)} keepMounted={false}>
        <Tabs.List aria-label="Apps and integrations">
          {tabs.map(([path, name]) => (
            <Tabs.Tab key={path} value={path}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(([path, name, kind]) => (
          <Tabs.Panel key={path} value={path} pt="sm">
            {kind ? <Items kind={kind} name={name} /> : <Apps />}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}

function Apps() {
  const { env, team } = useMessaging();
  const changes = useShown((s) => s.apps);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [creating, setCreating] = useState(false);
  const [secrets, setSecrets] = useState<Secrets>();
  const key = ['apps', env, team, changes];
  const found = useQuery({ queryKey: key, queryFn: () => call<{ apps: App[] }>(env, '/api/apps?limit=1000') });
  return (
    <>
      <Button size="compact-md" onClick={() => setCreating(true)}>
        Create an app
      </Button>
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      {found.isPending && <Skeleton h={80} mt="sm" />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions are reachable by keyboard */}
      <div className="wide" tabIndex={0}>
        <Table aria-label="Apps">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Id</Table.Th>
              <Table.Th>Bot scopes</Table.Th>
              <Table.Th>Created</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {found.data?.apps.map((a) => (
              <Table.Tr key={a.app_id}>
                <Table.Td className="long">
                  <a
                    href={`/ui/e/${encodeURIComponent(env)}/messaging/${team}/-/apps/${a.app_id}`}
                    onClick={(e) => {
                      e.preventDefault();
                      void navigate({ href: `/e/${encodeURIComponent(env)}/messaging/${team}/-/apps/${a.app_id}` });
                    }}
                  >
                    {a.name}
                  </a>
                </Table.Td>
                <Table.Td>{a.app_id}</Table.Td>
                <Table.Td>{a.scopes.bot.length}</Table.Td>
                <Table.Td>
                  <Stamp at={a.created_at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {creating && (
        <ManifestDialog
          draft={`us.draft.${env}.app`}
          title="Create an app"
          act="Create app"
          close={() => setCreating(false)}
          submit={async (manifest) => {
            const made = await call<Secrets>(env, '/api/apps', { body: { manifest } });
            setCreating(false);
            setSecrets(made);
            void queries.invalidateQueries({ queryKey: ['apps', env] });
          }}
        />
      )}
      {secrets && (
        <SecretsDialog secrets={secretsOf(secrets)} warnings={secrets.warnings} close={() => setSecrets(undefined)} />
      )}
    </>
  );
}

/** One app: its manifest, rotation of its secrets, and its deletion. */
export function AppPage() {
  const { env, goPage } = useMessaging();
  const changes = useShown((s) => s.apps);
  const { app = '' } = useParams({ strict: false }) as { app?: string };
  const toasts = useToasts();
  const queries = useQueryClient();
  const [dialog, setDialog] = useState<'' | 'edit' | 'renew' | 'delete'>('');
  const [secrets, setSecrets] = useState<Secrets>();
  const key = ['app', env, app, changes];
  const found = useQuery({ queryKey: key, queryFn: () => call<{ app: App }>(env, `/api/apps/${app}`) });
  const a = found.data?.app;
  const close = (): void => setDialog('');
  return (
    <Page title={a?.name ?? 'App'} env={env}>
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      {found.isPending && <Skeleton h={120} />}
      {a && (
        <>
          <dl className="facts">
            <dt>Id</dt>
            <dd>{a.app_id}</dd>
            <dt>Bot user</dt>
            <dd>{a.bot_user_id}</dd>
            <dt>Bot scopes</dt>
            <dd>{a.scopes.bot.join(', ') || 'none'}</dd>
            <dt>User scopes</dt>
            <dd>{a.scopes.user.join(', ') || 'none'}</dd>
            <dt>Created</dt>
            <dd>
              <Stamp at={a.created_at} />
            </dd>
          </dl>
          {a.managed ? (
            <>
              <h2>Manifest</h2>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions are reachable by keyboard */}
              <pre className="json" tabIndex={0}>
                {JSON.stringify(a.manifest, null, 2)}
              </pre>
              <div className="buttons">
                <Button size="compact-md" variant="default" onClick={() => setDialog('edit')}>
                  Edit manifest
                </Button>
                <Button size="compact-md" variant="default" onClick={() => setDialog('renew')}>
                  Make new tokens
                </Button>
                <Button size="compact-md" variant="default" color="red" onClick={() => setDialog('delete')}>
                  Delete {a.name}
                </Button>
              </div>
            </>
          ) : (
            <p className="dimmed">Who made this app, and admins of the workspace, see its manifest and change it.</p>
          )}
          <Button size="compact-md" variant="subtle" onClick={() => goPage('apps')}>
            All apps
          </Button>
        </>
      )}
      {dialog === 'edit' && a && (
        <ManifestDialog
          draft={`us.draft.${env}.app.${app}`}
          title="Edit manifest"
          act="Save manifest"
          text={JSON.stringify(a.manifest, null, 2)}
          close={close}
          submit={async (manifest) => {
            await call(env, `/api/apps/${app}`, { method: 'PUT', body: { manifest } });
            close();
            void queries.invalidateQueries({ queryKey: ['app', env] });
          }}
        />
      )}
      {dialog === 'renew' && a && (
        <Confirm
          title="Make new tokens?"
          act="Make new tokens"
          danger
          close={close}
          confirm={() =>
            void call<Secrets>(env, `/api/apps/${app}/tokens`, { body: {} }).then(setSecrets, (e) => toasts.failed(e))
          }
        >
          <p>The tokens and secrets of {a.name} that are in use stop working at once.</p>
        </Confirm>
      )}
      {dialog === 'delete' && a && (
        <Confirm
          title={`Delete ${a.name}?`}
          act="Delete"
          danger
          close={close}
          confirm={() =>
            void call(env, `/api/apps/${app}`, { method: 'DELETE' }).then(
              () => goPage('apps'),
              (e) => toasts.failed(e),
            )
          }
        >
          <p>Its tokens, subscriptions, webhooks and commands go with it. What it has said stays.</p>
        </Confirm>
      )}
      {secrets && <SecretsDialog secrets={secretsOf(secrets)} close={() => setSecrets(undefined)} />}
    </Page>
  );
}

/** A table of webhooks, subscriptions or commands, with actions to add and remove them. */
function Items({ kind, name }: { kind: Kind; name: string }) {
  const { store, env, team } = useMessaging();
  const changes = useShown((s) => s.apps);
  const toasts = useToasts();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Item>();
  const [secrets, setSecrets] = useState<[string, string | undefined][]>();
  const key = ['items', env, team, kind.path, changes];
  const found = useQuery({
    queryKey: key,
    queryFn: () => call<Record<string, Item[]>>(env, `${kind.list}?limit=1000`),
  });
  const again = (): Promise<void> => queries.invalidateQueries({ queryKey: ['items', env] });
  const items = found.data?.[kind.plural] ?? [];
  const channelName = (id: string): string => {
    const c = store.snapshot().channels.get(id);
    return c ? `#${c.name}` : id;
  };
  const enable = (x: Item): void => {
    call(env, `${kind.list}/${x.id}`, { method: 'PUT', body: { status: 'active' } }).then(again, (e) =>
      toasts.failed(e),
    );
  };
  return (
    <>
      <Button size="compact-md" onClick={() => setAdding(true)}>
        {kind.add}
      </Button>
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      {found.isPending && <Skeleton h={80} mt="sm" />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions are reachable by keyboard */}
      <div className="wide" tabIndex={0}>
        <Table aria-label={name}>
          <Table.Thead>
            <Table.Tr>
              {kind.columns.map(([title]) => (
                <Table.Th key={title}>{title}</Table.Th>
              ))}
              <Table.Th>Actions</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {items.map((x) => (
              <Table.Tr key={x.ref ?? x.id}>
                {kind.columns.map(([title, of]) => (
                  <Table.Td key={title} className="long">
                    {of(x, channelName) || '–'}
                  </Table.Td>
                ))}
                <Table.Td>
                  <div className="buttons tight">
                    {x.status === 'disabled' && (
                      <Button size="compact-sm" onClick={() => enable(x)}>
                        Enable again
                      </Button>
                    )}
                    {kind.delivers && adminKey() && (
                      <Button
                        size="compact-sm"
                        variant="default"
                        onClick={() =>
                          void navigate({ href: `/worlds/${encodeURIComponent(env)}/deliveries?destination=${x.id}` })
                        }
                      >
                        Deliveries
                      </Button>
                    )}
                    <Button
                      size="compact-sm"
                      variant="default"
                      onClick={() => setRemoving(x)}
                      aria-label={`Delete ${kind.nameOf(x)}`}
                    >
                      Delete
                    </Button>
                  </div>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {found.isSuccess && items.length === 0 && <p className="dimmed">{kind.empty}</p>}
      {adding && (
        <AddDialog
          kind={kind}
          close={() => setAdding(false)}
          added={(made) => {
            setAdding(false);
            void again();
            const shown = kind.secrets(made).filter(([, value]) => value);
            if (shown.length > 0) {
              setSecrets(shown);
            }
          }}
        />
      )}
      {removing && (
        <Confirm
          title={`Delete ${kind.nameOf(removing)}?`}
          act="Delete"
          danger
          close={() => setRemoving(undefined)}
          confirm={() =>
            void call(env, `${kind.list}/${removing.ref ?? removing.id}`, { method: 'DELETE' }).then(again, (e) =>
              toasts.failed(e),
            )
          }
        >
          <p>{kind.consequence}</p>
        </Confirm>
      )}
      {secrets && <SecretsDialog secrets={secrets} close={() => setSecrets(undefined)} />}
    </>
  );
}
