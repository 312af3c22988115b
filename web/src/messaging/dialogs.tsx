import '../ui/select';
import '@mantine/core/styles/Switch.layer.css';
import { Button, MultiSelect, Switch, TextInput } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { call, method } from '../app/identity';
import { Dialog } from '../ui/Dialog';
import { ProblemText } from '../ui/ProblemText';
import { useMessaging } from './context';
import { byName, nameOf, type User } from './types';

export function CreateChannel({ close }: { close: () => void }) {
  return (
    <Dialog close={close} title="Create a channel">
      <CreateForm close={close} />
    </Dialog>
  );
}

function CreateForm({ close }: { close: () => void }) {
  const { store, go } = useMessaging();
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const [name, setName] = useState('');
  const [purpose, setPurpose] = useState('');
  const [isPrivate, setPrivate] = useState(false);
  const [problem, setProblem] = useState('');
  const submit = async (e: FormEvent): Promise<void> => {
    e.preventDefault();
    try {
      const { channel } = await method<{ channel: { id: string } }>(env, 'conversations.create', {
        name,
        is_private: isPrivate,
      });
      if (purpose) {
        await method(env, 'conversations.setPurpose', { channel: channel.id, purpose }).catch(() => undefined);
      }
      await store.reload();
      close();
      go(channel.id);
    } catch (e) {
      setProblem((e as Error).message);
    }
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        label="Name"
        data-autofocus
        required
        withAsterisk={false}
        value={name}
        error={problem || undefined}
        onChange={(e) => setName(e.currentTarget.value)}
      />
      <TextInput
        mt="xs"
        label="Purpose (optional)"
        value={purpose}
        onChange={(e) => setPurpose(e.currentTarget.value)}
      />
      <Switch mt="sm" label="Private" checked={isPrivate} onChange={(e) => setPrivate(e.currentTarget.checked)} />
      <Button mt="md" type="submit">
        Create channel
      </Button>
    </form>
  );
}

/** An input that searches for people while typing. */
export function PeopleField({
  label,
  value,
  onChange,
  most,
}: {
  label: string;
  value: string[];
  onChange: (ids: string[]) => void;
  most?: number;
}) {
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const [query, setQuery] = useState('');
  const [known, setKnown] = useState<Map<string, string>>(new Map());
  useEffect(() => {
    const wait = setTimeout(() => {
      call<{ people: User[] }>(env, `/api/client/people?limit=50&q=${encodeURIComponent(query)}`).then(
        (r) => setKnown((old) => new Map([...old, ...r.people.map((u) => [u.id, nameOf(u)] as const)])),
        () => undefined,
      );
    }, 100);
    return () => clearTimeout(wait);
  }, [env, query]);
  return (
    <MultiSelect
      label={label}
      data-autofocus
      searchable
      maxValues={most}
      data={byName([...known], ([, name]) => name).map(([value, label]) => ({ value, label }))}
      value={value}
      onChange={onChange}
      searchValue={query}
      onSearchChange={setQuery}
      nothingFoundMessage="Nobody by that name"
    />
  );
}

export function NewMessage({ close }: { close: () => void }) {
  const { store, go } = useMessaging();
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const [people, setPeople] = useState<string[]>([]);
  const [problem, setProblem] = useState('');
  const open = async (): Promise<void> => {
    try {
      const { channel } = await method<{ channel: { id: string } }>(env, 'conversations.open', {
        users: people.join(','),
      });
      await store.reload();
      close();
      setPeople([]);
      go(channel.id);
    } catch (e) {
      setProblem((e as Error).message);
    }
  };
  return (
    <Dialog close={close} title="New message">
      <PeopleField label="To" value={people} onChange={setPeople} most={8} />
      <ProblemText>{problem}</ProblemText>
      <Button mt="md" onClick={() => void open()} disabled={people.length === 0}>
        Open conversation
      </Button>
    </Dialog>
  );
}
