import { Button, Radio, TextInput } from '@mantine/core';
import { Link, Outlet, useLocation, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState, useSyncExternalStore } from 'react';
import { adminVersion, subscribeAdmin } from '../app/admin';
import { Frame } from '../app/Frame';
import type { Search } from '../routes';
import { Page } from '../ui/Page';
import { giveKey, traceKey } from './api';
import { chosen, periods } from './filters';

const pages = [
  ['', 'Overview'],
  ['/sessions', 'Sessions'],
] as const;

/** What agents did, as ingestion has stored it. */
export function Area() {
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  useSyncExternalStore(subscribeAdmin, adminVersion);
  const [, setGiven] = useState(0);
  const [drawer, setDrawer] = useState(false);
  return (
    <Frame
      env={env}
      area="Traces"
      drawer={drawer}
      setDrawer={setDrawer}
      sidebar={<Pages env={env} close={() => setDrawer(false)} />}
    >
      {traceKey(env) ? <Outlet /> : <AskKey env={env} given={() => setGiven((n) => n + 1)} />}
    </Frame>
  );
}

function Pages({ env, close }: { env: string; close: () => void }) {
  const here = useLocation({ select: (l) => l.pathname });
  const base = `/e/${encodeURIComponent(env)}/traces`;
  return (
    <nav aria-label="Traces" className="channels">
      {pages.map(([path, name]) => (
        <Link
          key={path}
          className="side-link"
          to={base + path}
          search={((old: Search) => ({ ...old, event: undefined, q: undefined })) as never}
          aria-current={here.endsWith(`/traces${path}`) ? 'page' : undefined}
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

/** The filters of the area: the period, and what else narrows it. */
export function Filters() {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const patch = (change: Search): void =>
    void navigate({ search: ((old: Search) => ({ ...old, ...change })) as never });
  const list = chosen(search);
  return (
    <div className="filters">
      <Radio.Group
        aria-label="Period"
        value={search.period ?? 'all'}
        onChange={(v) => patch({ period: v === 'all' ? undefined : v })}
      >
        <div className="inline">
          {Object.entries(periods).map(([value, { label }]) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </div>
      </Radio.Group>
      {list.map(([name, value]) => (
        <Button
          key={name}
          size="compact-sm"
          variant="default"
          aria-label={`Remove filter ${name}: ${value}`}
          onClick={() => patch({ [name]: undefined })}
        >
          {name}: {value} ✕
        </Button>
      ))}
      {list.length > 0 && (
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => patch(Object.fromEntries(list.map(([name]) => [name, undefined])))}
        >
          Clear filters
        </Button>
      )}
    </div>
  );
}
