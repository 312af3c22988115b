import { ActionIcon, Button, TextInput } from '@mantine/core';
import { X } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import { method } from '../app/identity';
import { useToasts } from '../app/Toasts';
import { Dialog } from '../ui/Dialog';
import { ProblemText } from '../ui/ProblemText';
import { Stamp } from '../ui/Stamp';
import { Avatar } from './Avatar';
import { useMessaging, useShown } from './context';
import { EmojiText } from './text/Text';
import { nameOf, type User } from './types';

/** The profile of a person. */
export function Profile({ user: id, close }: { user: string; close: () => void }) {
  const { store, env, go } = useMessaging();
  const presence = useShown((s) => s.presence.get(id));
  const toasts = useToasts();
  const [editing, setEditing] = useState(false);
  const user = useShown((s) => s.people.get(id));
  useEffect(() => store.want(id), [store, id]);
  const message = (): void => {
    method<{ channel: { id: string } }>(env, 'conversations.open', { users: id })
      .then(async ({ channel }) => {
        await store.reload();
        go(channel.id);
      })
      .catch((e) => toasts.failed(e));
  };
  const p = user?.profile;
  const fact = (name: string, value: string | undefined) =>
    value && (
      <>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </>
    );
  return (
    <aside aria-label="Profile" className="pane" data-region onKeyDown={(e) => e.key === 'Escape' && close()}>
      <div className="heading">
        <h2>{nameOf(user) || id}</h2>
        <ActionIcon variant="subtle" color="gray" size={32} aria-label="Close profile" onClick={close}>
          <X size={16} />
        </ActionIcon>
      </div>
      <div className="pad scroller">
        <Avatar id={id} name={nameOf(user) || id} size={64} />
        <dl>
          {fact('Presence', presence ?? 'not known')}
          {(p?.status_text || p?.status_emoji) && (
            <>
              <dt>Status</dt>
              <dd>
                {p.status_emoji && <EmojiText name={p.status_emoji.replace(/^:|:$/g, '')} />} {p.status_text}
                {p.status_expiration ? (
                  <span className="dimmed">
                    {' '}
                    until <Stamp at={p.status_expiration * 1000} />
                  </span>
                ) : null}
              </dd>
            </>
          )}
          {fact('Title', p?.title)}
          {fact('E-mail', p?.email)}
          {fact('Phone', p?.phone)}
          {fact('Handle', user && `@${user.name}`)}
          {user?.deleted && fact('Account', 'deactivated')}
        </dl>
        <div className="buttons">
          {!user?.is_bot && !user?.deleted && <Button onClick={message}>Send a message</Button>}
          {id === store.me && (
            <Button variant="default" onClick={() => setEditing(true)}>
              Edit profile
            </Button>
          )}
        </div>
      </div>
      {editing && user && <EditProfile user={user} close={() => setEditing(false)} />}
    </aside>
  );
}

function EditProfile({ user, close }: { user: User; close: () => void }) {
  const { store } = useMessaging();
  const [values, setValues] = useState({
    real_name: user.profile.real_name ?? '',
    display_name: user.profile.display_name ?? '',
    title: user.profile.title ?? '',
    phone: user.profile.phone ?? '',
  });
  const [problem, setProblem] = useState('');
  const submit = (e: FormEvent): void => {
    e.preventDefault();
    store.setProfile(values).then(close, (e: Error) => setProblem(e.message));
  };
  const field = (name: keyof typeof values, label: string) => (
    <TextInput
      label={label}
      value={values[name]}
      data-autofocus={name === 'real_name' || undefined}
      onChange={(e) => setValues({ ...values, [name]: e.currentTarget.value })}
    />
  );
  return (
    <Dialog title="Edit profile" close={close}>
      <form onSubmit={submit}>
        <ProblemText>{problem}</ProblemText>
        {field('real_name', 'Full name')}
        {field('display_name', 'Display name')}
        {field('title', 'Title')}
        {field('phone', 'Phone')}
        <Button type="submit" mt="md">
          Save profile
        </Button>
      </form>
    </Dialog>
  );
}
