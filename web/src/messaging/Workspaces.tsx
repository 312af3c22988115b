import { Stamp } from '../ui/Stamp';
import '@mantine/core/styles/Switch.layer.css';
import { Button, Skeleton, Switch, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../api/http';
import { adoptWorkspace, call, enterWorkspace, personOf } from '../app/identity';
import { useToasts } from '../app/Toasts';
import { useCopy } from '../ui/Copy';
import { Confirm } from '../ui/Dialog';
import { Page, Refused } from '../ui/Page';
import { useMessaging, useShown } from './context';
import type { Workspace } from './types';

interface Entered {
  workspace: { id: string };
  user: { id: string };
  access_token: string;
}

/** Returns a function that switches to a workspace that was just created or joined. */
function useEnter() {
  const { env } = useMessaging();
  const navigate = useNavigate();
  return async (e: Entered): Promise<void> => {
    adoptWorkspace(env, e.access_token, e.workspace.id, e.user.id);
    await navigate({ href: `/e/${encodeURIComponent(env)}/messaging` });
  };
}

/** Shows why workspaces cannot be read. People whom a seed document made without a password have no account, of which workspaces are. */
function Refusal({ error, again }: { error: unknown; again: () => void }) {
  const { env } = useMessaging();
  const person = personOf(env);
  if (person?.kind === 'acting' && error instanceof ApiError && error.status === 401) {
    return (
      <p role="alert">
        {person.name} has no account that signs in, and workspaces belong to accounts. Act as somebody who has one, such
        as the admin of the workspace.
      </p>
    );
  }
  return <Refused error={error} again={again} />;
}

/** The workspaces of the account and those it may join, and a form for a new one. */
export function Workspaces() {
  const { env } = useMessaging();
  const toasts = useToasts();
  const navigate = useNavigate();
  const enter = useEnter();
  const own = useQuery({
    queryKey: ['workspaces', env, personOf(env)?.account],
    queryFn: () => call<{ workspaces: Workspace[] }>(env, '/api/workspaces?limit=1000'),
  });
  const open = useQuery({
    queryKey: ['joinable', env, personOf(env)?.account],
    queryFn: () => call<{ workspaces: Workspace[] }>(env, '/api/workspaces?joinable=true&limit=200'),
  });
  const join = (w: Workspace): void => {
    call<Entered>(env, `/api/workspaces/${w.id}/join`, { body: {} })
      .then(enter)
      .catch((e) => toasts.failed(e));
  };
  const go = (w: Workspace): void => {
    enterWorkspace(env, w.id).then(
      () => navigate({ href: `/e/${encodeURIComponent(env)}/messaging` }),
      (e) => toasts.failed(e),
    );
  };
  return (
    <Page title="Workspaces" env={env}>
      {(own.error || open.error) && (
        <Refusal
          error={own.error ?? open.error}
          again={() => {
            void own.refetch();
            void open.refetch();
          }}
        />
      )}
      {own.isPending && <Skeleton h={80} />}
      <ul className="cards" aria-label="Your workspaces">
        {own.data?.workspaces.map((w) => (
          <li key={w.id}>
            <div>
              <strong>{w.name}</strong> <span className="dimmed">{w.domain}</span>
            </div>
            <Button size="compact-md" variant="default" onClick={() => go(w)} aria-label={`Open ${w.name}`}>
              Open
            </Button>
          </li>
        ))}
      </ul>
      {own.data?.workspaces.length === 0 && (
        <p className="dimmed">You are in no workspace yet. Join one, or create one.</p>
      )}
      <h2>Join a workspace</h2>
      <ul className="cards" aria-label="Workspaces to join">
        {open.data?.workspaces.map((w) => (
          <li key={w.id}>
            <div>
              <strong>{w.name}</strong> <span className="dimmed">{w.domain}</span>
            </div>
            <Button size="compact-md" onClick={() => join(w)}>
              Join {w.name}
            </Button>
          </li>
        ))}
      </ul>
      {open.data?.workspaces.length === 0 && (
        <p className="dimmed">No workspace is open to you. An invitation's link opens one.</p>
      )}
      <Invited />
      <CreateWorkspace />
    </Page>
  );
}

function CreateWorkspace() {
  const { env } = useMessaging();
  const enter = useEnter();
  const [name, setName] = useState('');
  const [problem, setProblem] = useState('');
  const submit = (e: FormEvent): void => {
    e.preventDefault();
    call<Entered>(env, '/api/workspaces', { body: { name } })
      .then(enter)
      .catch((e: Error) => setProblem(e.message));
  };
  return (
    <form onSubmit={submit} className="narrow">
      <h2>Create a workspace</h2>
      <TextInput
        label="Workspace name"
        value={name}
        required
        withAsterisk={false}
        error={problem || undefined}
        onChange={(e) => setName(e.currentTarget.value)}
      />
      <Button type="submit" mt="sm">
        Create workspace
      </Button>
    </form>
  );
}

/** A form that accepts the link of an invitation, or its last part. */
function Invited() {
  const { env } = useMessaging();
  const navigate = useNavigate();
  const [link, setLink] = useState('');
  const submit = (e: FormEvent): void => {
    e.preventDefault();
    const secret = link.trim().split(/[/#=]/).pop() ?? '';
    void navigate({ href: `/e/${encodeURIComponent(env)}/messaging/-/join#invitation=${secret}` });
  };
  return (
    <form onSubmit={submit} className="narrow field">
      <TextInput label="Invitation link" value={link} onChange={(e) => setLink(e.currentTarget.value)} />
      <Button type="submit" variant="default" disabled={link.trim() === ''}>
        Show invitation
      </Button>
    </form>
  );
}

/** The page that accepts an invitation. Its secret is in the fragment, which is not sent to servers. */
export function Join() {
  const { env } = useMessaging();
  const enter = useEnter();
  const toasts = useToasts();
  const [secret] = useState(() => new URLSearchParams(location.hash.slice(1)).get('invitation') ?? '');
  const shown = useQuery({
    queryKey: ['invitation', env, secret],
    enabled: secret !== '',
    retry: false,
    queryFn: () =>
      call<{ invitation: { email: string; expires_at: string }; workspace: { id: string; name: string } }>(
        env,
        `/api/invitations/${encodeURIComponent(secret)}`,
      ),
  });
  const accept = (): void => {
    call<Entered>(env, `/api/invitations/${encodeURIComponent(secret)}`, { body: {} })
      .then(enter)
      .catch((e) => toasts.failed(e));
  };
  return (
    <Page title="Join a workspace" env={env}>
      {secret === '' && <p>The link is not whole: it ends in the secret of the invitation.</p>}
      {shown.error && <Refused error={shown.error} />}
      {shown.data && (
        <>
          <p>
            {shown.data.invitation.email} is invited into <strong>{shown.data.workspace.name}</strong> until{' '}
            <Stamp at={shown.data.invitation.expires_at} />.
          </p>
          <Button onClick={accept}>Join {shown.data.workspace.name}</Button>
        </>
      )}
    </Page>
  );
}

interface Invitation {
  id: string;
  email: string;
  url: string;
  expires_at: string;
}

/** Name, domain and invitations of the workspace. */
export function Settings() {
  const { store, env } = useMessaging();
  const boot = useShown((s) => s.boot);
  const { team = '' } = useParams({ strict: false }) as { team?: string };
  const queries = useQueryClient();
  const key = ['workspace', env, team];
  const found = useQuery({
    queryKey: key,
    queryFn: () => call<{ workspace: Workspace & { open: boolean } }>(env, `/api/workspaces/${team}`),
  });
  const admin = boot?.workspaces.find((w) => w.id === team)?.is_admin ?? false;
  const w = found.data?.workspace;
  return (
    <Page title="Workspace settings" env={env}>
      {found.error ? (
        <Refusal error={found.error} again={() => void found.refetch()} />
      ) : !boot || !w ? (
        <Skeleton h={120} />
      ) : admin ? (
        <>
          <WorkspaceForm
            key={found.dataUpdatedAt}
            workspace={w}
            saved={() => Promise.all([store.reload(), queries.invalidateQueries({ queryKey: key })])}
          />
          <Invitations team={team} />
        </>
      ) : (
        <dl className="facts">
          <dt>Name</dt>
          <dd>{w.name}</dd>
          <dt>Domain</dt>
          <dd>{w.domain}</dd>
          <dt>Settings</dt>
          <dd>Admins of the workspace change them.</dd>
        </dl>
      )}
    </Page>
  );
}

function WorkspaceForm({
  workspace: w,
  saved,
}: {
  workspace: Workspace & { open: boolean };
  saved: () => Promise<unknown>;
}) {
  const { env } = useMessaging();
  const toasts = useToasts();
  const [name, setName] = useState(w.name);
  const [domain, setDomain] = useState(w.domain);
  const [open, setOpen] = useState(w.open);
  const submit = (e: FormEvent): void => {
    e.preventDefault();
    call(env, `/api/workspaces/${w.id}`, { method: 'PUT', body: { name, domain, open } })
      .then(saved)
      .then(
        () => toasts.done('The workspace was changed.'),
        (e) => toasts.failed(e),
      );
  };
  return (
    <form onSubmit={submit} className="narrow">
      <TextInput label="Workspace name" value={name} onChange={(e) => setName(e.currentTarget.value)} />
      <TextInput label="Domain" value={domain} onChange={(e) => setDomain(e.currentTarget.value)} />
      <Switch
        mt="sm"
        label="Anyone with an account may join"
        checked={open}
        onChange={(e) => setOpen(e.currentTarget.checked)}
      />
      <Button type="submit" mt="sm">
        Save settings
      </Button>
    </form>
  );
}

function Invitations({ team }: { team: string }) {
  const { env } = useMessaging();
  const toasts = useToasts();
  const copy = useCopy();
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [removing, setRemoving] = useState<Invitation>();
  const path = `/api/workspaces/${team}/invitations`;
  const key = ['invitations', env, team];
  const found = useQuery({
    queryKey: key,
    queryFn: () => call<{ invitations: Invitation[] }>(env, `${path}?limit=200`),
  });
  const again = (): Promise<void> => queries.invalidateQueries({ queryKey: key });
  const invite = (e: FormEvent): void => {
    e.preventDefault();
    call(env, path, { body: { email: email.trim() } }).then(
      () => {
        setEmail('');
        void again();
      },
      (e) => toasts.failed(e),
    );
  };
  const linkOf = (i: Invitation): string =>
    `${location.origin}/ui/e/${encodeURIComponent(env)}/messaging/-/join#invitation=${i.url.split('/').pop()}`;
  return (
    <>
      <h2>Invitations</h2>
      <form onSubmit={invite} className="narrow field">
        <TextInput
          type="email"
          label="Invite by e-mail address"
          value={email}
          onChange={(e) => setEmail(e.currentTarget.value)}
        />
        <Button type="submit" disabled={email.trim() === ''}>
          Invite
        </Button>
      </form>
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      <ul className="cards" aria-label="Invitations">
        {found.data?.invitations.map((i) => (
          <li key={i.id}>
            <div>
              {i.email}{' '}
              <span className="dimmed">
                until <Stamp at={i.expires_at} />
              </span>
            </div>
            <Button
              size="compact-md"
              variant="default"
              onClick={() => copy(linkOf(i), 'The link was copied. Who has it and the address may join.')}
              aria-label={`Copy invitation link of ${i.email}`}
            >
              Copy link
            </Button>
            <Button
              size="compact-md"
              variant="default"
              onClick={() => setRemoving(i)}
              aria-label={`Delete invitation of ${i.email}`}
            >
              Delete
            </Button>
          </li>
        ))}
      </ul>
      {found.data?.invitations.length === 0 && (
        <p className="dimmed">
          Nobody is invited. An invitation allows one address to join, also while the workspace is closed.
        </p>
      )}
      {removing && (
        <Confirm
          title="Delete invitation?"
          act="Delete"
          danger
          close={() => setRemoving(undefined)}
          confirm={() => {
            call(env, `${path}/${removing.id}`, { method: 'DELETE' }).then(again, (e) => toasts.failed(e));
          }}
        >
          <p>The link of {removing.email} stops working.</p>
        </Confirm>
      )}
    </>
  );
}
