import { ActionIcon, Button } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useEffect } from 'react';
import { method } from '../app/identity';
import { useToasts } from '../app/Toasts';
import { Avatar } from './Avatar';
import { useMessaging } from './context';
import { EmojiText } from './text/Text';
import { nameOf } from './types';

/** Who someone is. */
export function Profile({ user: id, close }: { user: string; close: () => void }) {
  const { store, state, go } = useMessaging();
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const toasts = useToasts();
  const user = state.people.get(id);
  useEffect(() => store.want(id), [store, id]);
  const message = (): void => {
    method<{ channel: { id: string } }>(env, 'conversations.open', { users: id })
      .then(async ({ channel }) => {
        await store.reload();
        close();
        go(channel.id);
      })
      .catch((e) => toasts.failed(e));
  };
  const p = user?.profile;
  return (
    <aside aria-label="Profile" className="pane" data-region onKeyDown={(e) => e.key === 'Escape' && close()}>
      <div className="heading">
        <h2>{nameOf(user) || id}</h2>
        <ActionIcon variant="subtle" color="gray" size={32} aria-label="Close profile" onClick={close}>
          <X size={16} />
        </ActionIcon>
      </div>
      <div className="pad">
        <Avatar id={id} name={nameOf(user) || id} size={64} />
        <dl>
          <dt>Presence</dt>
          <dd>{state.presence.get(id) ?? 'not known'}</dd>
          {(p?.status_text || p?.status_emoji) && (
            <>
              <dt>Status</dt>
              <dd>
                {p.status_emoji && <EmojiText name={p.status_emoji.replaceAll(':', '')} />} {p.status_text}
              </dd>
            </>
          )}
          {p?.title && (
            <>
              <dt>Title</dt>
              <dd>{p.title}</dd>
            </>
          )}
          {p?.email && (
            <>
              <dt>E-mail</dt>
              <dd>{p.email}</dd>
            </>
          )}
          <dt>Handle</dt>
          <dd>@{user?.name}</dd>
        </dl>
        {!user?.is_bot && <Button onClick={message}>Send a message</Button>}
      </div>
    </aside>
  );
}
