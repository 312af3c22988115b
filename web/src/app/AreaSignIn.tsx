import { Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { Page, Refused } from '../ui/Page';
import { adminVersion, subscribeAdmin } from './admin';
import { snapshot, subscribe } from './identity';
import { EmailField, PasswordField, RefusableForm } from './SignInForm';
import {
  ensureService,
  leaveService,
  type Records,
  type ServicePerson,
  servicePerson,
  signInToService,
} from './session';

interface AreaPerson {
  person?: ServicePerson;
  tried: boolean; // whether automatic sign-in has failed
  problem?: Error;
  again: () => void;
  leave: () => void;
}

/** Returns the person of this tab in a service. It creates a session automatically where possible. */
export function useAreaPerson(env: string, service: Records): AreaPerson {
  const identity = useSyncExternalStore(subscribe, snapshot);
  const key = useSyncExternalStore(subscribeAdmin, adminVersion);
  const [tried, setTried] = useState('');
  const [problem, setProblem] = useState<Error>();
  const [round, setRound] = useState(0);
  const person = servicePerson(env, service);
  const who = `${env} ${service} ${identity} ${key} ${round}`;
  const missing = person === undefined;
  useEffect(() => {
    if (missing) {
      let over = false;
      setProblem(undefined);
      ensureService(env, service).then(
        () => !over && setTried(who),
        (e: Error) => {
          if (!over) {
            setProblem(e);
            setTried(who);
          }
        },
      );
      return () => {
        over = true;
      };
    }
    return undefined;
  }, [env, service, missing, who]);
  return {
    person,
    problem,
    tried: tried === who,
    again: () => setRound((n) => n + 1),
    leave: () => void leaveService(env, service),
  };
}

interface Props {
  title: string;
  env: string;
  service: Records;
  of: AreaPerson;
  children: ReactNode;
}

/** Shows an area to people who are signed in to its service, and a sign-in form to others. */
export function ForPerson({ title, env, service, of, children }: Props) {
  if (of.person) {
    return children;
  }
  if (of.problem) {
    return (
      <Page title={title} env={env}>
        <Refused error={of.problem} again={of.again} />
      </Page>
    );
  }
  return of.tried ? <SignInHere title={title} env={env} service={service} /> : <main id="main" />;
}

function SignInHere({ title, env, service }: { title: string; env: string; service: Records }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const here = useLocation({ select: (l) => l.href });
  const submit = async (): Promise<void> => {
    await signInToService(env, service, email.trim(), password);
  };
  return (
    <Page title={title} env={env}>
      <div className="narrow">
        <p>
          This area has people of its own. Sign in with an account of it, or{' '}
          <Link to="/sign-in" search={{ env, by: 'key', next: here } as never}>
            open the console with the admin key
          </Link>
          .
        </p>
        <RefusableForm act="Sign in" submit={submit}>
          <EmailField value={email} onValue={setEmail} />
          <PasswordField label="Password" autoComplete="current-password" value={password} onValue={setPassword} />
        </RefusableForm>
      </div>
    </Page>
  );
}
