import { ActionIcon, Skeleton } from '@mantine/core';
import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useToasts } from '../app/Toasts';
import { Composer } from './Composer';
import { useMessaging } from './context';
import { MessageRow } from './MessageRow';
import { compareTs } from './window';

/** A thread beside its conversation. */
export function Thread({ channel, ts, close }: { channel: string; ts: string; close: () => void }) {
  const { store, state } = useMessaging();
  const toasts = useToasts();
  const thread = state.threads.get(`${channel}/${ts}`);
  const c = state.channels.get(channel);
  const [active, setActive] = useState('');
  const [editing, setEditing] = useState('');
  const end = useRef<HTMLDivElement>(null);
  const pane = useRef<HTMLElement>(null);
  const own = state.ephemeral.get(channel)?.filter((m) => m.thread_ts === ts) ?? [];
  const messages = [...(thread?.messages ?? []), ...own].sort((a, b) => compareTs(a.ts, b.ts));
  const count = messages.length;

  useEffect(() => {
    store.openThread(channel, ts).catch((e) => toasts.failed(e));
  }, [store, channel, ts, toasts]);
  useEffect(() => {
    if (count > 0) {
      end.current?.scrollIntoView({ block: 'end' });
    }
  }, [count]);
  useEffect(() => {
    pane.current?.querySelector('textarea')?.focus();
  }, []);

  return (
    <aside ref={pane} aria-label="Thread" className="pane" data-region onKeyDown={(e) => e.key === 'Escape' && close()}>
      <div className="heading">
        <h2>Thread</h2>
        <ActionIcon variant="subtle" color="gray" size={32} aria-label="Close thread" onClick={close}>
          <X size={16} />
        </ActionIcon>
      </div>
      <div className="scroller">
        {!thread ? (
          <Skeleton h={120} m="md" />
        ) : (
          <div role="feed" aria-label="Thread messages">
            {messages.map((m) => (
              <MessageRow
                key={m.client_msg_id || m.ts}
                channel={channel}
                message={m}
                follows={false}
                active={active ? active === m.ts : m === messages[0]}
                editing={editing === m.ts}
                setEditing={setEditing}
                onFocus={setActive}
              />
            ))}
          </div>
        )}
        <div ref={end} />
      </div>
      {c && !c.archived && (
        <Composer
          channel={channel}
          thread={ts}
          label="Reply in thread"
          broadcastTo={c.kind === 'im' || c.kind === 'mpim' ? store.titleOf(c) : `#${c.name}`}
        />
      )}
    </aside>
  );
}
