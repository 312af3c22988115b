import './graphql.css';
import { Button, NativeSelect } from '@mantine/core';
import { type GraphQLSchema, parse, print } from 'graphql';
import { type KeyboardEvent, lazy, Suspense, useEffect, useState } from 'react';
import { formatBytes, formatNumber } from '../app/locale';
import { ProblemText } from '../ui/ProblemText';
import { type Ran, readHistory, remember, titleOf } from './history';
import { type Answer, readHeaders, run } from './run';
import { SchemaTree } from './SchemaTree';
import { type Entry, entriesOf, readSchema, templateOf } from './schema';

const Editor = lazy(() => import('../ui/Editor'));
const QueryEditor = lazy(() => import('./QueryEditor'));

interface Props {
  endpoint: string;
  schemaPath: string;
  /** Returns the token of the console's user, if known. */
  token?: () => Promise<string | undefined>;
}

const first = `# ${/Mac/.test(navigator.platform) ? 'Cmd' : 'Ctrl'} Enter runs it.
query {
  viewer {
    id
    name
  }
}
`;

/** Writes, runs and explains GraphQL operations of an endpoint. */
export function Console({ endpoint, schemaPath, token }: Props) {
  const [query, setQuery] = useState(first);
  const [variables, setVariables] = useState('');
  const [headers, setHeaders] = useState(token ? '' : '{\n  "Authorization": ""\n}\n');
  const [answer, setAnswer] = useState<Answer>();
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const [history, setHistory] = useState<Ran[]>(readHistory);
  const { schema, failed } = useSchema(schemaPath);

  const start = async (): Promise<void> => {
    setBusy(true);
    setProblem('');
    try {
      const given = readHeaders(headers);
      const own = Object.keys(given).some((h) => h.toLowerCase() === 'authorization' && given[h] !== '');
      const known = own ? undefined : await token?.();
      setAnswer(
        await run(endpoint, query, variables, { ...(known ? { Authorization: `Bearer ${known}` } : {}), ...given }),
      );
      setHistory(remember({ query, variables }));
    } catch (e) {
      setProblem((e as Error).message);
    } finally {
      setBusy(false);
    }
  };
  const format = (): void => {
    if (query.includes('#')) {
      setProblem('A query with comments is left as it is: formatting would lose them.');
      return;
    }
    try {
      setQuery(`${print(parse(query))}\n`);
      setProblem('');
    } catch (e) {
      setProblem((e as Error).message);
    }
  };
  const use = (entry: Pick<Entry, 'root' | 'name'>): void => {
    const made = schema && entry.root && templateOf(schema, entry.root, entry.name.split('.').at(-1) ?? '');
    if (made) {
      setQuery(made.query);
      setVariables(made.variables);
    }
  };
  const onKeyDown = (e: KeyboardEvent): void => {
    if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) {
      e.preventDefault();
      e.stopPropagation();
      void start();
    }
  };
  return (
    <div className="graphql" onKeyDownCapture={onKeyDown}>
      <div className="graphql-bar">
        <Button onClick={() => void start()} loading={busy}>
          Run
        </Button>
        <Button variant="default" onClick={format}>
          Format
        </Button>
        {schema && <Templates schema={schema} use={use} />}
        <NativeSelect
          aria-label="History"
          value=""
          onChange={(e) => {
            const ran = history[Number(e.currentTarget.value)];
            if (ran) {
              setQuery(ran.query);
              setVariables(ran.variables);
            }
          }}
          data={[{ value: '', label: 'History…' }, ...history.map((r, n) => ({ value: String(n), label: titleOf(r) }))]}
        />
      </div>
      <ProblemText>{problem}</ProblemText>
      <div className="graphql-columns">
        <div>
          <Suspense>
            <h2>Query</h2>
            <QueryEditor value={query} change={setQuery} schema={schema} />
            <div className="graphql-small">
              <h2>Variables</h2>
              <Editor label="Variables" value={variables} change={setVariables} language="json" />
              <h2>Headers</h2>
              <Editor label="Headers" value={headers} change={setHeaders} language="json" />
            </div>
          </Suspense>
        </div>
        <Reply answer={answer} />
        <section aria-label="Schema of the endpoint">
          <h2>Schema</h2>
          <ProblemText>{failed}</ProblemText>
          {schema && <SchemaTree schema={schema} use={use} />}
        </section>
      </div>
    </div>
  );
}

/** The reply, its cost and the remaining budgets. */
function Reply({ answer }: { answer?: Answer }) {
  return (
    <section aria-label="Reply" className="graphql-reply">
      <h2>Reply</h2>
      {answer ? (
        <>
          <p role="status">
            Status {answer.status}, {formatNumber(answer.milliseconds)} ms, {formatBytes(answer.bytes)}
          </p>
          <dl className="facts">
            {answer.headers.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{/^\d+$/.test(value) ? formatNumber(Number(value)) : value}</dd>
              </div>
            ))}
          </dl>
          <Suspense>
            <Editor label="Body of the reply" value={answer.text} language="json" />
          </Suspense>
        </>
      ) : (
        <p className="dimmed">Run shows here what the endpoint answers, and what it cost.</p>
      )}
    </section>
  );
}

/** Templates for operations: one for each field of Query and Mutation. */
function Templates({ schema, use }: { schema: GraphQLSchema; use: (e: Pick<Entry, 'root' | 'name'>) => void }) {
  const group = (root: 'query' | 'mutation', type: string | undefined) => ({
    group: root === 'query' ? 'Queries' : 'Mutations',
    items: entriesOf(schema, type ?? '', '').map((e) => ({ value: `${root} ${e.name}`, label: e.name })),
  });
  return (
    <NativeSelect
      aria-label="Template"
      value=""
      onChange={(e) => {
        const [root, name = ''] = e.currentTarget.value.split(' ');
        use({ root: root as Entry['root'], name });
      }}
      data={[
        { value: '', label: 'Template…' },
        group('query', schema.getQueryType()?.name),
        group('mutation', schema.getMutationType()?.name),
      ]}
    />
  );
}

/** Reads the endpoint's schema: its text is public. */
function useSchema(path: string): { schema?: GraphQLSchema; failed: string } {
  const [schema, setSchema] = useState<GraphQLSchema>();
  const [failed, setFailed] = useState('');
  useEffect(() => {
    let over = false;
    fetch(path, { headers: { 'Understudy-Client': 'web' }, credentials: 'omit' })
      .then(async (r) => (r.ok ? readSchema(await r.text()) : Promise.reject(new Error(`status ${r.status}`))))
      .then(
        (s) => !over && setSchema(s),
        (e: Error) => !over && setFailed(`The schema could not be read: ${e.message}`),
      );
    return () => {
      over = true;
    };
  }, [path]);
  return { schema, failed };
}
