import { ActionIcon, Skeleton } from '@mantine/core';
import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useToasts } from '../app/Toasts';
import { Composer } from './composer/Composer';
import { useMessaging, useShown } from './context';
import { useFeedKeys } from './feed/keys';
import { threadKey } from './held';
import { MessageRow } from './MessageRow';
import { headingOf } from './state';
import { compareTs } from './window';

/** A thread beside its conversation. */
export function Thread({ channel, ts, close }: { channel: string; ts: string; close: () => void }) {
  const { store } = useMessaging();
  const toasts = useToasts();
  const thread = useShown((s) => s.threads.get(threadKey(channel, ts)));
  const c = useShown((s) => s.channels.get(channel));
  const [active, setActive] = useState('');
  const [editing, setEditing] = useState('');
  const end = useRef<HTMLDivElement>(null);
  const pane = useRef<HTMLElement>(null);
  const ephemeral = useShown((s) => s.ephemeral.get(channel));
  const own = ephemeral?.filter((m) => m.thread_ts === ts) ?? [];
  const messages = [...(thread?.messages ?? []), ...own].sort((a, b) => compareTs(a.ts, b.ts));
  const count = messages.length;
  const box = useRef<HTMLDivElement>(null);
  const focusOn = (ts: string): void => {
    setActive(ts);
    box.current?.querySelector<HTMLElement>(`[data-ts="${ts}"]`)?.focus();
  };
  const onKeys = useFeedKeys({
    box,
    messages,
    active: active || (messages[0]?.ts ?? ''),
    setActive,
    focusOn,
    first: () => focusOn(messages[0]?.ts ?? ''),
    newest: () => focusOn(messages.at(-1)?.ts ?? ''),
  });

  useEffect(() => {
    store.pages.openThread(channel, ts).catch((e) => toasts.failed(e));
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
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the articles inside */}
      <div className="scroller" ref={box} onKeyDown={onKeys}>
        {!thread ? (
          <Skeleton h={120} width="auto" m="md" />
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
        <Composer channel={channel} thread={ts} label="Reply in thread" broadcastTo={headingOf(store.snapshot(), c)} />
      )}
    </aside>
  );
}
