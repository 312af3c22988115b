import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { ApiError } from '../api/http';
import { Frame } from '../app/Frame';
import type { FindChoices } from '../app/QuickSwitcher';
import { Page } from '../ui/Page';
import { environmentKey, placeOf, useEnv, useEnvironment } from './api';
import './worlds.css';

const pages = [
  ['', 'Overview'],
  ['requests', 'Requests'],
  ['events', 'Events'],
  ['deliveries', 'Deliveries'],
  ['diff', 'Diff'],
  ['snapshots', 'Snapshots'],
  ['faults', 'Faults'],
  ['verdict', 'Verdict'],
  ['seed', 'Seed document'],
  ['credentials', 'Credentials'],
  ['settings', 'Settings'],
] as const;

/** The pages of one environment. */
export function Area() {
  const env = useEnv();
  const queries = useQueryClient();
  const [drawer, setDrawer] = useState(false);
  const found = useEnvironment(env);
  const gone = found.error instanceof ApiError && found.error.status === 404;
  const find = useCallback<FindChoices>((query) => {
    const q = query.toLowerCase();
    return pages
      .filter(([, name]) => q !== '' && name.toLowerCase().includes(q))
      .map(([path, name]) => ({
        key: `world ${path}`,
        title: name,
        detail: 'of this environment',
        choose: () => document.querySelector<HTMLElement>(`[data-page="${path}"]`)?.click(),
      }));
  }, []);
  return (
    <Frame
      env={env}
      area="Worlds"
      drawer={drawer}
      setDrawer={setDrawer}
      clock={found.data?.clock}
      clockChanged={() => void queries.invalidateQueries({ queryKey: environmentKey(env) })}
      find={find}
      sidebar={
        <nav aria-label="Worlds" className="channels">
          <Link className="side-link" to="/worlds" activeOptions={{ exact: true }}>
            All environments
          </Link>
          <div className="section long-name" title={found.data?.name}>
            {found.data?.name || env}
          </div>
          {pages.map(([path, name]) => {
            return (
              <Link
                key={path}
                className="side-link entry"
                to={placeOf(env, path)}
                activeOptions={{ exact: path === '', includeSearch: false }}
                data-page={path}
                onClick={() => setDrawer(false)}
              >
                {name}
              </Link>
            );
          })}
        </nav>
      }
    >
      {gone ? (
        <Page title="This environment is gone" env={env}>
          <p>It was deleted, its time to live is over, or it was never here.</p>
          <Link to="/worlds">All environments</Link>
        </Page>
      ) : (
        <Outlet />
      )}
    </Frame>
  );
}
