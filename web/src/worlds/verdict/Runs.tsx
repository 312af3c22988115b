import { useNavigate } from '@tanstack/react-router';
import { Frame } from '../../app/Frame';
import { lastEnv } from '../../app/lastEnv';
import { formatNumber } from '../../app/locale';
import { formatDuration } from '../../ui/duration';
import { Go } from '../../ui/Go';
import { Page } from '../../ui/Page';
import { SearchBox } from '../../ui/SearchBox';
import { Stamp } from '../../ui/Stamp';
import type { Column } from '../../ui/Table';
import { placeOf } from '../api';
import { Choose, List } from '../list';
import { chosenOf, useFilters, useList } from '../paging';

import '../worlds.css';
import { checksOf, look, type RunSummary, runsPlace } from './runs';

const names = ['task', 'state', 'series', 'environment'];
const states = ['passed', 'failed', 'timeout', 'error'];

const columns: Column<RunSummary>[] = [
  { key: 'at', title: 'Time', width: 140, cell: (r) => <Stamp at={r.at} seconds /> },
  {
    key: 'task',
    title: 'Task',
    width: 160,
    grow: 2,
    cell: (r) => (
      <Go href={runsPlace(r.id)} title={r.task}>
        {r.task}
      </Go>
    ),
  },
  { key: 'run', title: 'Run', width: 40, number: true, cell: (r) => formatNumber(r.run) },
  { key: 'state', title: 'State', width: 60, cell: (r) => <span className={look(r.state)}>{r.state}</span> },
  { key: 'score', title: 'Score', width: 44, number: true, cell: (r) => formatNumber(Math.round(r.score * 100) / 100) },
  { key: 'checks', title: 'Checks', width: 130, cell: (r) => checksOf(r.checks) },
  { key: 'seconds', title: 'Duration', width: 66, number: true, cell: (r) => formatDuration(r.seconds * 1000) },
  { key: 'requests', title: 'Requests', width: 64, number: true, cell: (r) => formatNumber(r.requests) },
  { key: 'firings', title: 'Faults', width: 44, number: true, cell: (r) => formatNumber(r.firings) },
  {
    key: 'world',
    title: 'World',
    width: 110,
    grow: 1,
    cell: (r) => (r.world ? <Go href={placeOf(r.world.id)}>{r.world.name || r.world.id}</Go> : '–'),
  },
];

/** The verdicts of runs, newest first. They outlive the environments of the runs. */
export function Runs() {
  const navigate = useNavigate();
  const [search, patch] = useFilters();
  const query = chosenOf(search, names);
  const found = useList<RunSummary>(['runs'], '/verdicts', 'verdicts', query);
  const rows = found.rows ?? [];
  const passed = rows.filter((r) => r.state === 'passed').length;
  return (
    <Frame env={lastEnv()} area="Worlds">
      <Page title="Verdicts of runs">
        <div className="filters">
          <SearchBox label="Task" value={search.task ?? ''} change={(v) => patch({ task: v || undefined })} />
          <Choose name="state" label="State" none="any state" values={states} search={search} patch={patch} />
          <SearchBox
            label="Environment id"
            value={search.environment ?? ''}
            change={(v) => patch({ environment: v || undefined })}
          />
          <SearchBox label="Series" value={search.series ?? ''} change={(v) => patch({ series: v || undefined })} />
        </div>
        <List
          label="Verdicts"
          found={found}
          columns={columns}
          id={(r) => r.id}
          name={(r) => `${r.task}, run ${r.run}, ${r.state}`}
          open={(r) => void navigate({ href: runsPlace(r.id) })}
          narrowed={Object.keys(query).length > 0}
          unmatched="No run matches these filters. They are compared whole: a task by its name, an environment by its id."
          none="No run was reported yet. understudy run -n 5 TASK.yaml -- COMMAND plays a task and leaves its verdicts here."
        />
        {rows.length > 0 && (
          <p className="dimmed" role="status">
            {formatNumber(passed)} of {formatNumber(rows.length)} passed
            {found.more && ' so far: older ones come as you scroll'}
          </p>
        )}
      </Page>
    </Frame>
  );
}
