import { Button, Skeleton } from '@mantine/core';
import { useState } from 'react';
import { adminCall } from '../../app/admin';
import { later } from '../../ui/later';
import { Confirm } from '../../ui/lazy';
import { Found, Page } from '../../ui/Page';
import { type Column, Table } from '../../ui/Table';
import { pathOf, useEnv } from '../api';
import { useChange } from '../environments/change';
import { useList } from '../paging';
import { isOn, type Rule, wordsOf } from './words';

const AddFault = later(() => import('./AddFault'), 'AddFault', <Skeleton h={200} />);

/** The fault rules of an environment. */
export function Faults() {
  const env = useEnv();
  const change = useChange();
  const found = useList<Rule>(['world', env, 'faults'], pathOf(env, '/faults'), 'faults', {});
  const [adding, setAdding] = useState(false);
  const [clearing, setClearing] = useState(false);
  const path = (r: Rule): string => pathOf(env, `/faults/${encodeURIComponent(r.id)}`);
  const columns: Column<Rule>[] = [
    { key: 'id', title: 'Rule', width: 110, grow: 1, cell: (r) => r.id },
    { key: 'on', title: 'On', width: 56, cell: (r) => r.on },
    { key: 'match', title: 'Matches', width: 160, grow: 3, cell: (r) => <Words text={wordsOf(r.match)} /> },
    { key: 'when', title: 'When', width: 100, grow: 1, cell: (r) => <Words text={wordsOf(r.when) || 'always'} /> },
    { key: 'do', title: 'Does', width: 110, grow: 2, cell: (r) => <Words text={wordsOf(r.do)} /> },
    { key: 'matched', title: 'Matched', width: 54, number: true, cell: (r) => r.matched },
    { key: 'fired', title: 'Fired', width: 36, number: true, cell: (r) => r.fired },
    {
      key: 'acts',
      title: 'Actions',
      width: 180,
      cell: (r) => (
        <>
          <Button
            className="keep"
            size="compact-sm"
            variant="default"
            aria-label={`Switch ${r.id} ${isOn(r) ? 'off' : 'on'}`}
            onClick={() =>
              change(
                () => adminCall(path(r), { method: 'PATCH', body: { enabled: !isOn(r) } }),
                `${r.id} is ${isOn(r) ? 'off' : 'on'}.`,
              )
            }
          >
            {isOn(r) ? 'Switch off' : 'Switch on'}
          </Button>
          <Button
            className="keep"
            size="compact-sm"
            variant="default"
            aria-label={`Remove ${r.id}`}
            onClick={() => change(() => adminCall(path(r), { method: 'DELETE' }), `${r.id} was removed.`)}
          >
            Remove
          </Button>
        </>
      ),
    },
  ];
  return (
    <Page title="Faults" env={env}>
      <div className="filters">
        <Button onClick={() => setAdding(true)}>Add fault</Button>
        {(found.rows?.length ?? 0) > 0 && (
          <Button variant="default" onClick={() => setClearing(true)}>
            Remove all
          </Button>
        )}
      </div>
      <Found found={found}>
        <Table
          label="Faults"
          columns={columns}
          rows={found.rows}
          id={(r) => r.id}
          name={(r) => r.id}
          mark={(r) => (isOn(r) ? undefined : 'off')}
          more={found.more}
          empty={
            <p className="dimmed">
              Nothing is broken on purpose here. Add fault makes requests fail, answers get lost or webhooks come twice;
              so does understudy env fault add.
            </p>
          }
        />
      </Found>
      {adding && <AddFault env={env} close={() => setAdding(false)} />}
      {clearing && (
        <Confirm
          title="Remove all faults?"
          act="Remove"
          danger
          close={() => setClearing(false)}
          confirm={() =>
            change(() => adminCall(pathOf(env, '/faults'), { method: 'DELETE' }), 'All faults were removed.')
          }
        >
          <p>Rules: {found.rows?.length}. Their counts are lost.</p>
        </Confirm>
      )}
    </Page>
  );
}

const Words = ({ text }: { text: string }) => <span title={text}>{text}</span>;
