import { Button, Skeleton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { adminCall } from '../../app/admin';
import { Page } from '../../ui/Page';
import { useKeptText } from '../../ui/useKeptText';
import { pathOf, useEnv } from '../api';
import { documentBody, type Problem, problemsIn } from '../document';
import { Problems } from '../Problems';
import { Body } from '../parts';

const SeedEditor = lazy(() => import('./SeedEditor'));

const begin = `# What the environment is to hold; names on the left are the document's own.
messaging:
  channels:
    launch: {purpose: Getting version 2 out}
crm:
  contacts:
    grace: {properties: {email: grace@hopper.example, firstname: Grace}}
`;

type State = '' | 'checking' | 'applying' | 'sound' | 'applied';

const said: Record<State, string> = {
  '': '',
  checking: 'Checking…',
  applying: 'Applying…',
  sound: 'The document is sound: nothing was changed.',
  applied: 'The document was applied.',
};

/** A page that seeds the environment from a document, all or nothing. */
export function Seed() {
  const env = useEnv();
  const queries = useQueryClient();
  const [text, setText] = useKeptText(`us.draft.${env}.seed`, begin);
  const [state, setState] = useState<State>('');
  const [problems, setProblems] = useState<Problem[]>([]);
  const [made, setMade] = useState<unknown>();
  const [goTo, setGoTo] = useState<{ line: number }>();
  const busy = state === 'checking' || state === 'applying';
  const post = (dry: boolean): void => {
    setState(dry ? 'checking' : 'applying');
    setProblems([]);
    setMade(undefined);
    adminCall<{ made: unknown }>(pathOf(env, `/seed${dry ? '?dry_run=true' : ''}`), documentBody(text)).then(
      (reply) => {
        setState(dry ? 'sound' : 'applied');
        if (!dry) {
          setMade(reply.made);
          void queries.invalidateQueries({ queryKey: ['world', env] });
        }
      },
      (error) => {
        setState('');
        setProblems(problemsIn(error));
      },
    );
  };
  return (
    <Page title="Seed document" env={env}>
      <p className="field-name">
        Seed document <span className="dimmed">YAML or JSON; Ctrl Space completes YAML</span>
      </p>
      <Suspense fallback={<Skeleton h={280} />}>
        <SeedEditor
          value={text}
          goTo={goTo}
          change={(v) => {
            setText(v);
            setState('');
          }}
        />
      </Suspense>
      <div className="buttons">
        <Button variant="default" disabled={busy} onClick={() => post(true)}>
          Check
        </Button>
        <Button disabled={busy} onClick={() => post(false)}>
          Apply
        </Button>
        <span role="status">{said[state]}</span>
      </div>
      <Problems list={problems} go={(line) => setGoTo({ line })} />
      {made !== undefined && (
        <section aria-label="Result">
          <h2>Made, by the document's names</h2>
          <Body text={JSON.stringify(made)} label="Result" />
        </section>
      )}
    </Page>
  );
}
