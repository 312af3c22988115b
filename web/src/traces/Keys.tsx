import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { adminKey } from '../app/admin';
import { useToasts } from '../app/Toasts';
import { Copy } from '../ui/Copy';
import { Confirm, Dialog } from '../ui/Dialog';
import { Page, Refused } from '../ui/Page';
import { Stamp } from '../ui/Stamp';
import { Table } from '../ui/Table';
import { ask } from './api';
import { Curl, curlOf } from './FirstEvent';
import { useFilters } from './useFilters';

interface Key {
  id: string;
  name: string;
  prefix: string;
  scope: string;
  project_id: string;
  created_at: string;
  token?: string;
}

interface Project {
  id: string;
  name: string;
}

const scopes: Record<string, string> = { all: 'write and read', write: 'write', read: 'read' };

/** The keys that agents use to send events. */
export function Keys() {
  const { env } = useFilters();
  const queries = useQueryClient();
  const toasts = useToasts();
  const [creating, setCreating] = useState(false);
  const [made, setMade] = useState<Key>();
  const [revoking, setRevoking] = useState<Key>();
  const place = ['traces', env, 'keys'];
  const admin = adminKey() !== undefined;
  const found = useQuery({
    queryKey: place,
    queryFn: () => ask<{ api_keys: Key[] }>(env, 'api-keys?limit=1000'),
    enabled: admin,
  });
  const projects = useQuery({
    queryKey: ['traces', env, 'projects'],
    queryFn: () => ask<{ projects: Project[] }>(env, 'projects?limit=1000'),
    enabled: admin,
  });
  const projectOf = (id: string): string => projects.data?.projects.find((p) => p.id === id)?.name ?? id;
  const changed = (): void => {
    void queries.invalidateQueries({ queryKey: place });
    void queries.invalidateQueries({ queryKey: ['traces', env, 'projects'] });
  };
  const revoke = (k: Key): void => {
    ask(env, `api-keys/${encodeURIComponent(k.id)}`, undefined, { method: 'DELETE' }).then(() => {
      toasts.done(`${k.name} is revoked.`);
      changed();
    }, toasts.failed);
  };
  const keys = found.data?.api_keys;
  return (
    <Page title="Keys" env={env}>
      {!admin && <p>Keys are made and revoked with the admin key. Sign in with it to see them.</p>}
      {admin && (
        <Button size="compact-md" onClick={() => setCreating(true)}>
          Create key
        </Button>
      )}
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      {made && <Made env={env} made={made} close={() => setMade(undefined)} />}
      {admin && (
        <Table
          label="Keys"
          rows={keys ?? (found.error ? [] : undefined)}
          id={(k) => k.id}
          name={(k) => k.name}
          columns={[
            { key: 'name', title: 'Name', width: 140, grow: 2, cell: (k) => <span title={k.name}>{k.name}</span> },
            { key: 'prefix', title: 'Begins with', width: 100, cell: (k) => <code>{k.prefix}…</code> },
            { key: 'scope', title: 'May', width: 110, cell: (k) => scopes[k.scope] ?? k.scope },
            { key: 'project', title: 'Project', width: 110, grow: 1, cell: (k) => projectOf(k.project_id) },
            { key: 'created', title: 'Created', width: 130, cell: (k) => <Stamp at={k.created_at} /> },
            {
              key: 'revoke',
              title: 'Actions',
              width: 80,
              cell: (k) => (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  aria-label={`Revoke ${k.name}`}
                  onClick={() => setRevoking(k)}
                >
                  Revoke
                </Button>
              ),
            },
          ]}
          empty={<p>No key is in force. Create one, then send a first event with it:</p>}
        />
      )}
      {!made && (
        <>
          <h2>Send a first event</h2>
          <p className="dimmed">The command has the address of this world. Put a key where it says so.</p>
          <Curl text={curlOf(env)} />
        </>
      )}
      {creating && (
        <Create
          env={env}
          projects={projects.data?.projects ?? []}
          close={() => setCreating(false)}
          made={(k) => {
            setCreating(false);
            setMade(k);
            changed();
          }}
        />
      )}
      {revoking && (
        <Confirm
          title={`Revoke ${revoking.name.slice(0, 80)}?`}
          act="Revoke"
          danger
          close={() => setRevoking(undefined)}
          confirm={() => revoke(revoking)}
        >
          <p>Requests with this key ({revoking.prefix}…) are refused from now on. What it has sent stays.</p>
        </Confirm>
      )}
    </Page>
  );
}

/** Shows a new key once. */
function Made({ env, made, close }: { env: string; made: Key; close: () => void }) {
  return (
    <section aria-label="New key" className="listed">
      <p>
        The key <strong>{made.name}</strong> is shown this once:
      </p>
      <p className="once">
        <code>{made.token}</code>
      </p>
      <div className="buttons">
        <Copy text={made.token ?? ''}>Copy key</Copy>
        <Button size="compact-sm" variant="subtle" onClick={close}>
          Done
        </Button>
      </div>
      <p>A first event with it:</p>
      <Curl text={curlOf(env, made.token)} />
    </section>
  );
}

interface CreateProps {
  env: string;
  projects: Project[];
  close: () => void;
  made: (key: Key) => void;
}

function Create({ env, projects, close, made }: CreateProps) {
  const [name, setName] = useState('');
  const [scope, setScope] = useState('all');
  const [project, setProject] = useState('');
  const [problem, setProblem] = useState('');
  const submit = (e: FormEvent): void => {
    e.preventDefault();
    const body = { name: name.trim(), scope, ...(project.trim() ? { project: project.trim() } : {}) };
    ask<Key>(env, 'api-keys', undefined, { body }).then(made, (error: Error) => setProblem(error.message));
  };
  return (
    <Dialog title="Create key" close={close}>
      <form onSubmit={submit}>
        <TextInput
          data-autofocus
          label="Name"
          value={name}
          error={problem || undefined}
          onChange={(e) => setName(e.currentTarget.value)}
        />
        <NativeSelect
          mt="sm"
          label="May"
          value={scope}
          onChange={(e) => setScope(e.currentTarget.value)}
          data={Object.entries(scopes).map(([value, label]) => ({ value, label }))}
        />
        <TextInput
          mt="sm"
          label="Project (optional)"
          description={`Empty: ${projects[0]?.name ?? 'the default one'}. A new name makes a new project.`}
          value={project}
          onChange={(e) => setProject(e.currentTarget.value)}
        />
        <div className="buttons">
          <Button type="submit" disabled={name.trim() === ''}>
            Create
          </Button>
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
