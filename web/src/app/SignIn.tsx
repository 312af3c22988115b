import { Alert, Anchor, Button, Checkbox, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/http';
import type { Search } from '../routes';
import { ended, signIn, signUp } from './identity';
import { Mark } from './Mark';

function Page({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} – Understudy`;
  }, [title]);
  return (
    <main className="centred">
      <Paper withBorder p="lg" w="100%" maw={380}>
        <Stack gap="sm">
          <Mark />
          <Title order={1} size="h3">
            {title}
          </Title>
          {children}
        </Stack>
      </Paper>
    </main>
  );
}

function useArrived() {
  const navigate = useNavigate();
  const { env = 'default', next } = useSearch({ strict: false }) as Search;
  return {
    env,
    next,
    arrived: () => {
      if (next?.startsWith('/ui/')) {
        void navigate({ href: next.slice('/ui'.length), replace: true });
      } else if (next?.startsWith('/')) {
        void navigate({ href: next, replace: true });
      } else {
        void navigate({ to: '/e/$env/messaging', params: { env }, replace: true });
      }
    },
  };
}

export function SignIn() {
  const { env, next, arrived } = useArrived();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [keep, setKeep] = useState(true);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const field = useRef<HTMLInputElement>(null);

  const submit = async (e: FormEvent): Promise<void> => {
    e.preventDefault();
    setBusy(true);
    setProblem('');
    try {
      await signIn(env, email.trim(), password, keep);
      ended.delete(env);
      arrived();
    } catch (e) {
      setProblem(sentence(e));
      field.current?.focus();
    } finally {
      setBusy(false);
    }
  };

  return (
    <Page title="Sign in">
      {ended.has(env) && <Text>Your session has ended.</Text>}
      {env !== 'default' && <Text c="dimmed">Environment {env}</Text>}
      {problem && (
        <Alert color="red" role="alert">
          {problem}
        </Alert>
      )}
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            ref={field}
            label="Email"
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            value={email}
            onChange={(e) => setEmail(e.currentTarget.value)}
            autoFocus
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            value={password}
            onChange={(e) => setPassword(e.currentTarget.value)}
          />
          <Checkbox label="Keep me signed in" checked={keep} onChange={(e) => setKeep(e.currentTarget.checked)} />
          <Button type="submit" loading={busy}>
            Sign in
          </Button>
        </Stack>
      </form>
      <Text size="sm" c="dimmed">
        The first address and password stand in credentials.json, under messaging.
      </Text>
      <Anchor component={Link} to="/sign-up" search={{ env, next } as never}>
        Create an account
      </Anchor>
    </Page>
  );
}

function sentence(e: unknown): string {
  if (e instanceof ApiError && e.status === 401) {
    return 'The e-mail address or the password is wrong.';
  }
  if (e instanceof ApiError && e.status === 429) {
    return `Too many tries. Try again in ${e.retryAfter} seconds.`;
  }
  return e instanceof Error ? e.message : String(e);
}

export function SignUp() {
  const { env, next, arrived } = useArrived();
  const [values, setValues] = useState({ name: '', email: '', password: '', workspace: '' });
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const set = (name: keyof typeof values) => (e: { currentTarget: HTMLInputElement }) =>
    setValues({ ...values, [name]: e.currentTarget.value });

  const submit = async (e: FormEvent): Promise<void> => {
    e.preventDefault();
    setBusy(true);
    setProblem('');
    try {
      const { name, email, password, workspace } = values;
      await signUp(env, { name, email: email.trim(), password, workspace_name: workspace || undefined });
      arrived();
    } catch (e) {
      setProblem(sentence(e));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Page title="Create an account">
      {problem && (
        <Alert color="red" role="alert">
          {problem}
        </Alert>
      )}
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label="Name"
            autoComplete="name"
            required
            withAsterisk={false}
            value={values.name}
            onChange={set('name')}
          />
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            value={values.email}
            onChange={set('email')}
          />
          <PasswordInput
            label="Password"
            description="8 characters or more"
            autoComplete="new-password"
            minLength={8}
            required
            withAsterisk={false}
            value={values.password}
            onChange={set('password')}
          />
          <TextInput label="Workspace name (optional)" value={values.workspace} onChange={set('workspace')} />
          <Button type="submit" loading={busy}>
            Create account
          </Button>
        </Stack>
      </form>
      <Anchor component={Link} to="/sign-in" search={{ env, next } as never}>
        Sign in instead
      </Anchor>
    </Page>
  );
}
