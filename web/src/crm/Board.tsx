import { Button, NativeSelect } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Search } from '../app/address';
import { formatNumber } from '../app/locale';
import { Page, Refused } from '../ui/Page';
import { search, useDefinitions, useOwners, usePipelines } from './api';
import { type CrmRecord, type Pipeline, type RecordType, type Stage, titleOf, typeOf } from './types';
import { shown } from './values';

/** The largest page of a search. A pipeline with no more records is read with one search. */
const mostAtOnce = 200;

/** Returns the search for the records of a pipeline, or of one of its stages. */
const bodyOf = (type: RecordType, pipeline: string, stage?: string) => ({
  filterGroups: [
    {
      filters: [
        { propertyName: type.stage?.pipeline, operator: 'EQ', value: pipeline },
        ...(stage === undefined ? [] : [{ propertyName: type.stage?.stage, operator: 'EQ', value: stage }]),
      ],
    },
  ],
  properties: [...type.titles, ...type.columns],
});

/**
 * The records of a pipeline in columns, one for each stage. One search reads all records of a small pipeline. In a larger
 * one each stage is read separately, because no single search returns the beginning of all stages.
 */
export function Board() {
  const { env = 'default', type: name = '' } = useParams({ strict: false }) as Record<string, string>;
  const type = typeOf(name);
  const query = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const pipelines = usePipelines(env, name);
  const pipeline = pipelines.data?.find((p) => p.id === query.pipeline) ?? pipelines.data?.[0];
  const all = useQuery({
    queryKey: ['crm', env, 'records', name, 'board', pipeline?.id],
    queryFn: () => search(env, name, { ...bodyOf(type, pipeline?.id ?? ''), limit: mostAtOnce }),
    enabled: pipeline !== undefined && type.stage !== undefined,
  });
  const few = all.data && all.data.results.length === all.data.total ? all.data.results : undefined;
  const title = `${type.title}: board`;
  if (type.stage === undefined) {
    return (
      <Page title={title} env={env}>
        <p>{type.title} go through no pipeline, so there is no board of them.</p>
      </Page>
    );
  }
  return (
    <Page title={title} env={env}>
      {pipelines.error && <Refused error={pipelines.error} again={() => void pipelines.refetch()} />}
      {all.error && <Refused error={all.error} again={() => void all.refetch()} />}
      {pipeline && (
        <>
          <NativeSelect
            maw={280}
            label="Pipeline"
            value={pipeline.id}
            onChange={(e) =>
              void navigate({
                search: ((old: Search) => ({ ...old, pipeline: e.currentTarget.value })) as never,
                replace: true,
              })
            }
            data={(pipelines.data ?? []).map((p) => ({ value: p.id, label: p.label }))}
          />
          <ul aria-label="Stages" className="stages">
            {pipeline.stages
              .toSorted((a, b) => a.displayOrder - b.displayOrder)
              .map((s) => (
                <li key={s.id}>
                  <Column
                    env={env}
                    type={type}
                    pipeline={pipeline}
                    stage={s}
                    given={few?.filter((r) => r.properties[type.stage?.stage ?? ''] === s.id)}
                    alone={all.data !== undefined && few === undefined}
                  />
                </li>
              ))}
          </ul>
        </>
      )}
    </Page>
  );
}

interface ColumnProps {
  env: string;
  type: RecordType;
  pipeline: Pipeline;
  stage: Stage;
  given?: CrmRecord[]; // all records of the stage, if known
  alone: boolean; // whether the stage is loaded separately
}

const pageSize = 25;

function Column({ env, type, pipeline, stage, given, alone }: ColumnProps) {
  const found = useInfiniteQuery({
    queryKey: ['crm', env, 'records', type.name, 'board', pipeline.id, stage.id],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      search(env, type.name, {
        ...bodyOf(type, pipeline.id, stage.id),
        limit: pageSize,
        after: pageParam || undefined,
      }),
    getNextPageParam: (last) => last.paging?.next?.after,
    enabled: alone,
  });
  const total = given?.length ?? found.data?.pages[0]?.total;
  const list = given ?? found.data?.pages.flatMap((p) => p.results) ?? [];
  return (
    <section aria-label={total === undefined ? stage.label : `${stage.label}: ${total}`} className="stage">
      <h2>
        {stage.label} <span className="dimmed">{total !== undefined && formatNumber(total)}</span>
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions are reachable by keyboard */}
      <div className="stage-cards" tabIndex={0}>
        {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
        {list.map((r) => (
          <Card key={r.id} env={env} type={type} record={r} />
        ))}
        {total === 0 && <p className="dimmed">Nothing here.</p>}
        {!given && found.hasNextPage && (
          <Button
            size="compact-sm"
            variant="default"
            loading={found.isFetchingNextPage}
            onClick={() => void found.fetchNextPage()}
          >
            Show more
          </Button>
        )}
      </div>
    </section>
  );
}

function Card({ env, type, record }: { env: string; type: RecordType; record: CrmRecord }) {
  const definitions = useDefinitions(env, type.name).data ?? [];
  const owners = useOwners(env).data;
  const title = titleOf(type, record);
  const facts = type.columns
    .filter((c) => c !== type.stage?.stage && c !== 'createdate')
    .map((c) =>
      shown(
        record.properties[c],
        definitions.find((d) => d.name === c),
        owners,
      ),
    )
    .filter((v) => v !== '');
  return (
    <article aria-label={title.slice(0, 200)} className="record-card">
      <Link to={`/e/${encodeURIComponent(env)}/crm/${type.name}/${record.id}`}>
        <bdi>{title}</bdi>
      </Link>
      <div className="dimmed cut">{facts.join(', ')}</div>
    </article>
  );
}
