import './crm.css';
import { Link, Outlet, useLocation, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ForPerson, useAreaPerson } from '../app/AreaSignIn';
import { Frame } from '../app/Frame';
import { useGoOn } from '../app/goOn';
import { useWorldClock } from '../app/worldClock';
import { types } from './types';

/** The CRM: the types of its records, and the pages of the area. */
export function Area() {
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const who = useAreaPerson(env, 'crm');
  const world = useWorldClock(env);
  const [drawer, setDrawer] = useState(false);
  return (
    <Frame
      env={env}
      area="CRM"
      session={{ service: 'crm', person: who.person, leave: who.leave }}
      clock={world.clock}
      clockChanged={world.changed}
      drawer={drawer}
      setDrawer={setDrawer}
      sidebar={<Sidebar env={env} close={() => setDrawer(false)} />}
    >
      <ForPerson title="CRM" env={env} service="crm" of={who}>
        <Outlet key={who.person?.id} />
      </ForPerson>
    </Frame>
  );
}

function Sidebar({ env, close }: { env: string; close: () => void }) {
  const here = useLocation({ select: (l) => l.pathname });
  const base = `/e/${encodeURIComponent(env)}/crm`;
  const entries = [
    ...types.map((t) => [t.name, t.title, t.stage !== undefined] as const),
    ['owners', 'Owners', false] as const,
  ];
  return (
    <nav aria-label="CRM" className="channels">
      {entries.map(([name, title, board]) => {
        const open = here === `${base}/${name}` || here.startsWith(`${base}/${name}/`);
        const below = here.startsWith(`${base}/${name}/-/`);
        return (
          <div key={name}>
            <Link
              to={`${base}/${name}`}
              className="side-link"
              activeOptions={{ exact: true, includeSearch: false }}
              aria-current={open && !below ? 'page' : undefined}
              onClick={close}
            >
              {title}
            </Link>
            {open && name !== 'owners' && (
              <div className="side-below">
                {board && (
                  <Link to={`${base}/${name}/-/board`} className="side-link" onClick={close}>
                    Board
                  </Link>
                )}
                <Link to={`${base}/${name}/-/properties`} className="side-link" onClick={close}>
                  Properties
                </Link>
              </div>
            )}
          </div>
        );
      })}
    </nav>
  );
}

/** Redirects to the contacts. */
export function Start() {
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const goOn = useGoOn();
  useEffect(() => {
    goOn(`/e/${encodeURIComponent(env)}/crm/contacts`);
  }, [env, goOn]);
  return null;
}
