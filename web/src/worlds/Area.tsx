import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { useState } from 'react';
import { Frame } from '../app/Frame';
import { environmentKey, placeOf, useEnv, useEnvironment } from './api';
import { runsPlace } from './verdict/runs';
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
  return (
    <Frame
      env={env}
      area="Worlds"
      drawer={drawer}
      setDrawer={setDrawer}
      clock={found.data?.clock}
      clockChanged={() => void queries.invalidateQueries({ queryKey: environmentKey(env) })}
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
                onClick={() => setDrawer(false)}
              >
                {name}
              </Link>
            );
          })}
          <Link
            className="side-link entry"
            to={runsPlace()}
            search={{ environment: env } as never}
            onClick={() => setDrawer(false)}
          >
            Runs
          </Link>
        </nav>
      }
    >
      <Outlet />
    </Frame>
  );
}
