import '@mantine/core/styles/Tabs.layer.css';
import { Anchor, Checkbox, Paper, Stack, Tabs, Text, TextInput, Title } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ProblemText } from '../ui/ProblemText';
import type { Search } from './address';
import { adminKey, subscribeAdmin, tryKey, wasRefused } from './admin';
import { ended, ensurePerson, signIn, signUp } from './identity';
import { Mark } from './Mark';
import { EmailField, PasswordField, RefusableForm, required } from './SignInForm';
import { useTitle } from './title';

export function Centred({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title);
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
    arrived: (otherwise?: string) => {
      if (next?.startsWith('/')) {
        void navigate({ href: next.replace(/^\/ui(?=\/)/, ''), replace: true });
      } else {
        void navigate({ href: otherwise ?? `/e/${encodeURIComponent(env)}/messaging`, replace: true });
      }
    },
  };
}

export function SignIn() {
  const { env, next, arrived } = useArrived();
  const { by, refused } = useSearch({ strict: false }) as Search;
  const [tab, setTab] = useState(by === 'key' ? 'key' : 'person');
  return (
    <Centred title="Sign in">
      {ended.has(env) && <Text>Your session has ended</Text>}
      {wasRefused() && <Text>The admin key was changed.</Text>}
      <ProblemText>{refused}</ProblemText>
      {env !== 'default' && <Text c="dimmed">Environment {env}</Text>}
      <Tabs id="sign-in" value={tab} onChange={(v) => setTab(v ?? 'person')}>
        <Tabs.List aria-label="How to sign in">
          <Tabs.Tab value="person">Person</Tabs.Tab>
          <Tabs.Tab value="key">Admin key</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      {/* Has no name: its field already has the name of the tab. */}
      <div role="tabpanel" id={`sign-in-panel-${tab}`}>
        {tab === 'person' ? (
          <PersonForm env={env} next={next} arrived={arrived} />
        ) : (
          <KeyForm env={env} arrived={() => arrived('/worlds')} />
        )}
      </div>
    </Centred>
  );
}

function PersonForm({ env, next, arrived }: { env: string; next?: string; arrived: () => void }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [keep, setKeep] = useState(true);
  const field = useRef<HTMLInputElement>(null);
  const submit = async (): Promise<void> => {
    await signIn(env, email.trim(), password, keep);
    ended.delete(env);
    arrived();
  };
  return (
    <>
      <RefusableForm act="Sign in" submit={submit} focus={() => field.current?.focus()}>
        <EmailField field={field} value={email} onValue={setEmail} />
        <PasswordField label="Password" autoComplete="current-password" value={password} onValue={setPassword} />
        <Checkbox label="Keep me signed in" checked={keep} onChange={(e) => setKeep(e.currentTarget.checked)} />
      </RefusableForm>
      <Text size="sm" c="dimmed" mt="sm">
        The first address and password stand in credentials.json, under messaging.
      </Text>
      <Anchor component={Link} to="/sign-up" search={{ env, next } as never}>
        Create an account
      </Anchor>
    </>
  );
}

/** A form that accepts the admin key, checks it and stores it for this tab. */
export function KeyForm({ env, arrived }: { env: string; arrived: () => void }) {
  const [key, setKey] = useState('');
  const trying = useRef(false);
  // Another tab may send the requested key late.
  useEffect(() =>
    subscribeAdmin(() => {
      if (adminKey() && !trying.current) {
        arrived();
      }
    }),
  );
  const submit = async (): Promise<void> => {
    trying.current = true;
    await tryKey(key.trim()).finally(() => {
      trying.current = false;
    });
    ended.delete(env);
    await ensurePerson(env).catch(() => undefined); // messaging shows the error when it is opened
    arrived();
  };
  return (
    <>
      <RefusableForm act="Open the console" submit={submit}>
        <PasswordField label="Admin key" autoComplete="off" value={key} onValue={setKey} />
      </RefusableForm>
      <Text size="sm" c="dimmed" mt="sm">
        It stands in credentials.json, under admin. understudy ui prints a link that has it.
      </Text>
    </>
  );
}

export function SignUp() {
  const { env, next, arrived } = useArrived();
  const [values, setValues] = useState({ name: '', email: '', password: '', workspace: '' });
  const set = (name: keyof typeof values) => (value: string) => setValues({ ...values, [name]: value });
  const submit = async (): Promise<void> => {
    const { name, email, password, workspace } = values;
    const made = await signUp(env, { name, email: email.trim(), password, workspace_name: workspace || undefined });
    arrived(made.workspace ? undefined : `/e/${encodeURIComponent(env)}/messaging/-/workspaces`);
  };
  return (
    <Centred title="Create an account">
      <RefusableForm act="Create account" submit={submit}>
        <TextInput
          label="Name"
          autoComplete="name"
          {...required}
          value={values.name}
          onChange={(e) => set('name')(e.currentTarget.value)}
        />
        <EmailField value={values.email} onValue={set('email')} />
        <PasswordField
          label="Password"
          autoComplete="new-password"
          minLength={8}
          value={values.password}
          onValue={set('password')}
        />
        <TextInput
          label="Workspace name (optional)"
          value={values.workspace}
          onChange={(e) => set('workspace')(e.currentTarget.value)}
        />
      </RefusableForm>
      <Anchor component={Link} to="/sign-in" search={{ env, next } as never}>
        Sign in instead
      </Anchor>
    </Centred>
  );
}
