import { Button, Checkbox, Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { basePath } from '../api/base';
import { ApiError } from '../api/http';
import { ShowCause } from '../app/ShowCause';
import { Copy } from '../ui/Copy';
import { JsonDialog } from '../ui/lazy';
import { Page, Refused } from '../ui/Page';
import { SearchBox } from '../ui/SearchBox';
import { Stamp } from '../ui/Stamp';
import { Associations } from './Associations';
import { ask, objects, useDefinitions } from './api';
import { PropertyRow } from './PropertyRow';
import { type CrmRecord, type Definition, type Results, titleOf, typeOf } from './types';
import { curlOf } from './values';

interface Group {
  name: string;
  label: string;
  displayOrder: number;
}

/** One record: its properties by group, and its associations. */
export function RecordPage() {
  const { env = 'default', type: name = '', id = '' } = useParams({ strict: false }) as Record<string, string>;
  const type = typeOf(name);
  const queries = useQueryClient();
  const definitions = useDefinitions(env, name);
  const groups = useQuery({
    queryKey: ['crm', env, 'groups', name],
    queryFn: () =>
      ask<Results<Group>>(env, `/crm/v3/properties/${encodeURIComponent(name)}/groups`).then((r) => r.results),
    staleTime: 60_000,
  });
  const key = ['crm', env, 'record', name, id];
  const path = `${objects(name)}/${encodeURIComponent(id)}`;
  const all = definitions.data?.map((d) => d.name).join(',') ?? '';
  const found = useQuery({
    queryKey: key,
    queryFn: () => ask<CrmRecord>(env, `${path}?${new URLSearchParams({ properties: all })}`),
    enabled: definitions.data !== undefined,
  });
  const [json, setJson] = useState(false);
  const [empty, setEmpty] = useState(false);
  const [q, setQ] = useState('');
  const error = definitions.error ?? found.error;
  if (error) {
    const none = error instanceof ApiError && error.status === 404;
    return (
      <Page title={none ? `There is no ${type.one} ${id}` : type.title} env={env}>
        <Refused error={error} again={() => void (definitions.error ? definitions : found).refetch()} />
      </Page>
    );
  }
  const record = found.data;
  if (!record || !definitions.data) {
    return (
      <main id="main" className="page">
        <Skeleton h={200} />
      </main>
    );
  }
  const shownGroups = byGroup(definitions.data, groups.data ?? [], record, empty, q);
  const url = `${location.origin}${basePath(env, 'crm')}/api${path}`;
  return (
    <Page title={titleOf(type, record)} env={env}>
      <p className="way">
        <Link to={`/e/${encodeURIComponent(env)}/crm/${name}`}>{type.title}</Link>{' '}
        <span className="dimmed">
          {record.id}, created <Stamp at={record.createdAt} />, changed <Stamp at={record.updatedAt} />
          {record.archived && ', archived'}
        </span>
      </p>
      <div className="buttons">
        <Button size="compact-sm" variant="default" onClick={() => setJson(true)}>
          Show as JSON
        </Button>
        <Copy text={curlOf(url)}>Copy as curl</Copy>
        <ShowCause env={env} service="crm" entity={type.one} id={record.id} />
      </div>
      <div className="record-columns">
        <div>
          <div className="records-head">
            <SearchBox label="Find property" value={q} change={setQ} />
            <Checkbox
              label="Show empty properties"
              checked={empty}
              onChange={(e) => setEmpty(e.currentTarget.checked)}
            />
          </div>
          {shownGroups.length === 0 && <p className="dimmed">No property fits.</p>}
          {shownGroups.map((g) => (
            <section key={g.name} aria-label={g.label}>
              <h2>{g.label}</h2>
              <dl className="properties">
                {g.list.map((d) => (
                  <PropertyRow
                    key={d.name}
                    env={env}
                    path={path}
                    definition={d}
                    value={record.properties[d.name] ?? null}
                    saved={(now) =>
                      queries.setQueryData<CrmRecord>(key, (old) => {
                        void queries.invalidateQueries({ queryKey: key }); // other properties are computed from it
                        return old && { ...old, properties: { ...old.properties, ...now.properties } };
                      })
                    }
                  />
                ))}
              </dl>
            </section>
          ))}
        </div>
        <Associations env={env} type={type} id={id} />
      </div>
      {json && <JsonDialog title="Record as JSON" value={record} close={() => setJson(false)} />}
    </Page>
  );
}

/** Returns the properties that are shown, by group: those with a value, all, or those with such names. */
function byGroup(definitions: Definition[], groups: Group[], record: CrmRecord, empty: boolean, q: string) {
  const words = q.trim().toLowerCase();
  const fits = (d: Definition): boolean =>
    words !== ''
      ? d.label.toLowerCase().includes(words) || d.name.includes(words)
      : empty || (record.properties[d.name] ?? '') !== '';
  const lists = new Map<string, Definition[]>();
  for (const d of definitions.filter(fits)) {
    lists.set(d.groupName, [...(lists.get(d.groupName) ?? []), d]);
  }
  const orderOf = (name: string): number => groups.find((g) => g.name === name)?.displayOrder ?? 1e6;
  return [...lists]
    .sort(([a], [b]) => orderOf(a) - orderOf(b))
    .map(([name, list]) => ({ name, label: groups.find((g) => g.name === name)?.label ?? name, list }));
}
