import { Button, Skeleton } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { adminCall } from '../../app/admin';
import { Copy } from '../../ui/Copy';
import { Page } from '../../ui/Page';
import { useKeptText } from '../../ui/useKeptText';
import { pathOf, useEnv } from '../api';
import { documentBody, type Problem, problemsIn } from '../document';
import { Problems } from '../Problems';
import { Checks, type Result } from './Checks';

export { RunPage } from './Run';
export { Runs } from './Runs';

const Editor = lazy(() => import('../../ui/Editor'));

const begin = `# What is expected of this environment since its creation (of a fork: since the fork).
expect:
  - inserted: messaging.message
    where: {channel: "#general"}
    count: {at_least: 1}
  - {deleted: crm.contact, count: 0}
nothing_else: true
`;

/** A page that checks expectations about the environment. */
export function VerdictPage() {
  const env = useEnv();
  const [text, setText] = useKeptText(`us.draft.${env}.verdict`, begin);
  const [busy, setBusy] = useState(false);
  const [problems, setProblems] = useState<Problem[]>([]);
  const [result, setResult] = useState<Result>();
  const [goTo, setGoTo] = useState<{ line: number }>();
  const ask = (): void => {
    setBusy(true);
    setProblems([]);
    adminCall<Result>(pathOf(env, '/verdict'), documentBody(text))
      .then(setResult, (error) => {
        setResult(undefined);
        setProblems(problemsIn(error));
      })
      .finally(() => setBusy(false));
  };
  return (
    <Page title="Verdict" env={env}>
      <p className="field-name">
        Expectations <span className="dimmed">YAML or JSON; asking changes nothing</span>
      </p>
      <Suspense fallback={<Skeleton h={280} />}>
        <Editor
          label="Expectations"
          language="yaml"
          value={text}
          goTo={goTo}
          change={(v) => {
            setText(v);
          }}
        />
      </Suspense>
      <div className="buttons">
        <Button loading={busy} onClick={ask}>
          Ask for verdict
        </Button>
        {result && <Copy text={JSON.stringify(result, null, 2)}>Copy as JSON</Copy>}
      </div>
      <Problems list={problems} go={(line) => setGoTo({ line })} />
      {result && <Checks env={env} result={result} />}
    </Page>
  );
}
