import { Button, Skeleton, TextInput } from '@mantine/core';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { type FormEvent, useState, useSyncExternalStore } from 'react';
import type { Search } from '../app/address';
import { adminVersion, subscribeAdmin } from '../app/admin';
import { Frame } from '../app/Frame';
import { useWorldClock } from '../app/worldClock';
import { Page } from '../ui/Page';
import { giveKey, traceKey } from './api';
import { connection, subscribeConnection } from './connection';
import { kept } from './filters';
import './traces.css';

const pages = [
  ['', 'Overview'],
  ['/sessions', 'Sessions'],
  ['/tools', 'Tools'],
  ['/users', 'Users'],
  ['/events', 'Events'],
  ['/live', 'Live'],
  ['/keys', 'Keys'],
] as const;

/** Traces: the sessions and events of agents, from ingestion. */
export function Area() {
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  useSyncExternalStore(subscribeAdmin, adminVersion);
  const connected = useSyncExternalStore(subscribeConnection, connection);
  const [, setGiven] = useState(0);
  const [drawer, setDrawer] = useState(false);
  const world = useWorldClock(env);
  return (
    <Frame
      env={env}
      area="Traces"
      drawer={drawer}
      setDrawer={setDrawer}
      connection={connected}
      clock={world.clock}
      clockChanged={world.changed}
      sidebar={<Pages env={env} close={() => setDrawer(false)} />}
    >
      {!traceKey(env) ? (
        <AskKey env={env} given={() => setGiven((n) => n + 1)} />
      ) : world.ready ? (
        <Outlet />
      ) : (
        <main id="main" className="page">
          <Skeleton h={120} className="late" />
        </main>
      )}
    </Frame>
  );
}

function Pages({ env, close }: { env: string; close: () => void }) {
  const base = `/e/${encodeURIComponent(env)}/traces`;
  return (
    <nav aria-label="Traces" className="channels">
      {pages.map(([path, name]) => (
        <Link
          key={path}
          className="side-link"
          to={base + path}
          search={((old: Search) => kept(old)) as never}
          activeOptions={{ exact: path === '', includeSearch: false }}
          onClick={close}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}

function AskKey({ env, given }: { env: string; given: () => void }) {
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState('');
  const submit = (e: FormEvent): void => {
    e.preventDefault();
    giveKey(env, key.trim()).then(given, (e: Error) => setProblem(e.message));
  };
  return (
    <Page title="Traces" env={env}>
      <form onSubmit={submit} className="narrow">
        <p>Traces are read with the admin key, or with a key of ingestion that may read.</p>
        <TextInput
          label="Key"
          value={key}
          autoComplete="off"
          error={problem || undefined}
          onChange={(e) => setKey(e.currentTarget.value)}
        />
        <Button type="submit" mt="sm" disabled={key.trim() === ''}>
          Show traces
        </Button>
      </form>
    </Page>
  );
}
