import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { adminCall, type Environment } from '../../app/admin';
import { Frame } from '../../app/Frame';
import { lastEnv } from '../../app/lastEnv';
import { formatNumber } from '../../app/locale';
import { Copy } from '../../ui/Copy';
import { Confirm } from '../../ui/Dialog';
import { formatDuration } from '../../ui/duration';
import { Page, Refused } from '../../ui/Page';
import { Stamp } from '../../ui/Stamp';
import { pathOf, placeOf } from '../api';
import { useChange } from '../environments/change';
import { Body } from '../parts';
import { Checks } from './Checks';
import { look, type Run, runsPlace } from './runs';

/** One run: its checks with evidence, the agent's output, and a link to its environment while that exists. */
export function RunPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const found = useQuery({
    queryKey: ['runs', 'one', id],
    queryFn: () => adminCall<Run>(`/verdicts/${encodeURIComponent(id)}`),
  });
  const r = found.data;
  return (
    <Frame env={lastEnv()} area="Worlds">
      <Page title={r ? `${r.task}, run ${r.run}` : 'Run'}>
        {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
        {found.isPending && <Skeleton className="late" h={200} />}
        {r && <Shown run={r} />}
      </Page>
    </Frame>
  );
}

function Shown({ run: r }: { run: Run }) {
  // A fork is deleted after its verdict unless --keep was set, and may have been deleted later.
  const fork = useQuery({
    queryKey: ['world', r.environment],
    queryFn: () => adminCall<Environment>(pathOf(r.environment)),
    enabled: r.kept,
    retry: false,
  });
  const env = fork.data?.id;
  return (
    <>
      <dl className="facts">
        <dt>State</dt>
        <dd>
          <span className={look(r.state)}>{r.state}</span>
          {r.reason && <span className="long"> {r.reason}</span>}
        </dd>
        <dt>Time</dt>
        <dd>
          <Stamp at={r.at} seconds />
          <span className="dimmed"> after {formatDuration(r.seconds * 1000)}</span>
        </dd>
        <dt>World</dt>
        <dd>{r.world ? <Link to={placeOf(r.world.id)}>{r.world.name || r.world.id}</Link> : '–'}</dd>
        <dt>Environment</dt>
        <dd>
          {env ? (
            <span className="buttons">
              <Link to={placeOf(env)}>{env}</Link>
              <Link to={placeOf(env, 'diff')}>Diff</Link>
              <Link to={placeOf(env, 'requests')}>Requests</Link>
              <Link to={`/e/${encodeURIComponent(env)}/traces/sessions`}>Traces</Link>
            </span>
          ) : (
            <>
              {r.environment}{' '}
              {!fork.isLoading && (
                <span className="dimmed">is gone. understudy run --keep leaves it, with its diff and traces.</span>
              )}
            </>
          )}
        </dd>
        <dt>Series</dt>
        <dd>
          {r.series ? (
            <Link to={runsPlace()} search={{ series: r.series } as never}>
              {r.series}
            </Link>
          ) : (
            '–'
          )}
        </dd>
        <dt>Requests</dt>
        <dd>
          {formatNumber(r.requests)}
          {r.firings > 0 && `, broken by fault rules: ${formatNumber(r.firings)}`}
        </dd>
        <dt>Exit status</dt>
        <dd>{r.exit ?? 'it did not end by itself'}</dd>
        {r.seed !== null && (
          <>
            <dt>Seed</dt>
            <dd>{r.seed}</dd>
          </>
        )}
        {r.answer !== null && (
          <>
            <dt>Answer</dt>
            <dd className="long">{r.answer}</dd>
          </>
        )}
      </dl>
      <div className="buttons">
        <Copy text={JSON.stringify(r, null, 2)}>Copy as JSON</Copy>
        <Delete run={r} />
      </div>
      {r.verdict ? (
        <Checks env={env} result={r.verdict} />
      ) : (
        <p className="dimmed">This run was not graded: it ended before a verdict could be asked for.</p>
      )}
      <h2>Output</h2>
      <Body text={r.output} label="Output of the command" plain />
    </>
  );
}

function Delete({ run: r }: { run: Run }) {
  const change = useChange();
  const navigate = useNavigate();
  const [asked, ask] = useState(false);
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={() => ask(true)}>
        Delete
      </Button>
      {asked && (
        <Confirm
          title="Delete this verdict?"
          act="Delete"
          danger
          close={() => ask(false)}
          confirm={() =>
            change(async () => {
              await adminCall(`/verdicts/${encodeURIComponent(r.id)}`, { method: 'DELETE' });
              await navigate({ href: runsPlace() }); // before the shown data are reloaded
            }, 'The verdict was deleted.')
          }
        >
          <p>The verdict, its evidence and what the command wrote are lost. The environment stays as it is.</p>
        </Confirm>
      )}
    </>
  );
}
