import '@mantine/core/styles/Tabs.layer.css';
import { ActionIcon, Button, Tabs, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useState } from 'react';
import { method } from '../app/identity';
import { useToasts } from '../app/Toasts';
import { Confirm } from '../ui/Dialog';
import { Refused } from '../ui/Page';
import { useMessaging, useShown } from './context';
import { PeopleField } from './dialogs';
import { LeavePrivate } from './LeavePrivate';
import { byName, type Channel, nameOf } from './types';

interface Props {
  channel: Channel;
  tab: string;
  setTab: (tab: string) => void;
  close: () => void;
}

/** The details of a channel: topic, purpose and members. */
export function Details({ channel: c, tab, setTab, close }: Props) {
  const { store } = useMessaging();
  return (
    <aside aria-label="Channel details" className="pane" data-region onKeyDown={(e) => e.key === 'Escape' && close()}>
      <div className="heading">
        <h2>{store.titleOf(c)}</h2>
        <ActionIcon variant="subtle" color="gray" size={32} aria-label="Close details" onClick={close}>
          <X size={16} />
        </ActionIcon>
      </div>
      <Tabs
        value={tab === 'members' ? 'members' : 'details'}
        onChange={(v) => setTab(v ?? 'details')}
        className="scroller"
      >
        <Tabs.List>
          <Tabs.Tab value="details">About</Tabs.Tab>
          <Tabs.Tab value="members">Members</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="details" p="sm">
          <About channel={c} />
        </Tabs.Panel>
        <Tabs.Panel value="members" p="sm">
          <Members channel={c} />
        </Tabs.Panel>
      </Tabs>
    </aside>
  );
}

interface Info {
  channel: { name: string; topic: { value: string }; purpose: { value: string } };
}

function About({ channel: c }: { channel: Channel }) {
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const { store } = useMessaging();
  const toasts = useToasts();
  const queries = useQueryClient();
  const [asking, setAsking] = useState<'leave' | 'archive' | ''>('');
  const key = ['channel', env, c.id];
  const info = useQuery({ queryKey: key, queryFn: () => method<Info>(env, 'conversations.info', { channel: c.id }) });
  const act = (name: string, args: Record<string, unknown>): void => {
    method(env, name, { channel: c.id, ...args })
      .then(() => Promise.all([store.reload(), queries.invalidateQueries({ queryKey: key })]))
      .catch((e) => toasts.failed(e));
  };
  if (c.kind === 'im' || c.kind === 'mpim') {
    return (
      <p>
        A conversation of {c.kind === 'im' ? 'two people' : `${c.members?.length} people`}. Nobody else can read it.
      </p>
    );
  }
  return (
    <>
      {info.data && (
        <div key={info.dataUpdatedAt}>
          <Field
            label="Topic"
            value={info.data.channel.topic.value}
            save={(topic) => act('conversations.setTopic', { topic })}
          />
          <Field
            label="Purpose"
            value={info.data.channel.purpose.value}
            save={(purpose) => act('conversations.setPurpose', { purpose })}
          />
          <Field
            label="Channel name"
            value={info.data.channel.name}
            save={(name) => act('conversations.rename', { name })}
          />
        </div>
      )}
      <div className="buttons">
        {!c.is_general && (
          <Button
            variant="default"
            size="compact-md"
            onClick={() => (c.kind === 'private' ? setAsking('leave') : act('conversations.leave', {}))}
          >
            Leave channel
          </Button>
        )}
        {!c.is_general && !c.archived && (
          <Button variant="default" size="compact-md" onClick={() => setAsking('archive')}>
            Archive channel
          </Button>
        )}
      </div>
      {asking === 'leave' && (
        <LeavePrivate name={c.name} close={() => setAsking('')} confirm={() => act('conversations.leave', {})} />
      )}
      {asking === 'archive' && (
        <Confirm
          title={`Archive #${c.name}?`}
          act="Archive"
          danger
          close={() => setAsking('')}
          confirm={() => act('conversations.archive', {})}
        >
          <p>Its messages stay, but nobody can write in it any more. It cannot be taken back.</p>
        </Confirm>
      )}
    </>
  );
}

function Field({ label, value, save }: { label: string; value: string; save: (value: string) => void }) {
  const [text, setText] = useState(value);
  return (
    <div className="field">
      <TextInput label={label} value={text} onChange={(e) => setText(e.currentTarget.value)} />
      <Button size="xs" variant="default" disabled={text === value} onClick={() => save(text)} aria-description={label}>
        Save
      </Button>
    </div>
  );
}

function Members({ channel: c }: { channel: Channel }) {
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const { store, openProfile } = useMessaging();
  const people = useShown((s) => s.people);
  const toasts = useToasts();
  const queries = useQueryClient();
  const [adding, setAdding] = useState<string[]>([]);
  const key = ['members', env, c.id];
  const members = useQuery({
    queryKey: key,
    queryFn: () =>
      method<{ members: string[]; response_metadata?: { next_cursor?: string } }>(env, 'conversations.members', {
        channel: c.id,
        limit: 200,
      }),
  });
  const named = (id: string): string => nameOf(people.get(id)) || id;
  const act = (name: string, args: Record<string, unknown>): void => {
    method(env, name, { channel: c.id, ...args })
      .then(() => Promise.all([key, ['channel', env, c.id]].map((queryKey) => queries.invalidateQueries({ queryKey }))))
      .catch((e) => toasts.failed(e));
  };
  return (
    <>
      {c.kind !== 'im' && c.kind !== 'mpim' && (
        <>
          <PeopleField label="Add people" value={adding} onChange={setAdding} />
          <Button
            mt="xs"
            size="compact-md"
            disabled={adding.length === 0}
            onClick={() => {
              act('conversations.invite', { users: adding.join(',') });
              setAdding([]);
            }}
          >
            Add
          </Button>
        </>
      )}
      <ul className="people" aria-label="Members">
        {byName(members.data?.members ?? [], named).map((id) => {
          if (!people.has(id)) {
            store.want(id);
          }
          const name = named(id);
          return (
            <li key={id}>
              <button type="button" className="author" onClick={() => openProfile(id)}>
                {name}
              </button>
              {id !== store.me && !c.is_general && (c.kind === 'public' || c.kind === 'private') && (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  color="gray"
                  onClick={() => act('conversations.kick', { user: id })}
                  aria-label={`Remove ${name}`}
                >
                  Remove
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      {members.error && <Refused error={members.error} again={() => void members.refetch()} />}
      {members.data?.response_metadata?.next_cursor && (
        <p className="dimmed">These are 200 of the members. There are more.</p>
      )}
    </>
  );
}
