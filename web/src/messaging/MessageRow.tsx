import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { SmilePlus } from 'lucide-react';
import { type KeyboardEvent, memo, useState } from 'react';
import { adminKey } from '../app/admin';
import { call } from '../app/identity';
import { formatFull, formatTime } from '../app/locale';
import { prefs, sends } from '../app/prefs';
import { useToasts } from '../app/Toasts';
import { useCopy } from '../ui/Copy';
import { Countdown } from '../ui/Countdown';
import { useFocusReturn } from '../ui/focus';
import { Confirm, JsonDialog } from '../ui/lazy';
import { ProblemText } from '../ui/ProblemText';
import { useKeptText } from '../ui/useKeptText';
import { Actions, type Dialog } from './Actions';
import { Avatar } from './Avatar';
import { Blocks } from './blocks/Blocks';
import { useMessaging, useShown } from './context';
import { EmojiDialog } from './emoji/lazy';
import { unescapeText } from './escape';
import { channelName } from './state';
import { plainText } from './text/mrkdwn';
import { EmojiText, Text } from './text/Text';
import { dateOf, type Message, nameOf } from './types';

interface Props {
  channel: string;
  message: Message;
  follows: boolean;
  active: boolean;
  marked?: boolean;
  editing: boolean;
  /** Starts editing the message with a ts; '' ends editing. */
  setEditing: (ts: string) => void;
  onFocus: (ts: string) => void;
  openThread?: (ts: string) => void;
}

/** One message with its actions. */
export const MessageRow = memo(function MessageRow(p: Props) {
  const { message: m, channel } = p;
  const { store, env, hrefOf, openProfile } = useMessaging();
  const toasts = useToasts();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<Dialog | ''>('');
  const [near, setNear] = useState(false); // hovered or focused once: the actions are rendered
  const people = useShown((s) => s.people);
  useShown((s) => s.unjoined); // the names that the message's own name is made of
  const user = m.user ? people.get(m.user) : undefined;
  if (m.user && !user) {
    store.want(m.user);
  }
  const name = m.username || nameOf(user) || m.bot_profile?.name || m.user || 'Unknown';
  const at = dateOf(m.ts);
  const names = (kind: 'user' | 'channel', id: string): string =>
    (kind === 'user' ? nameOf(people.get(id)) : channelName(store.snapshot(), id)) || id;
  const plain = plainText(m.text, names).replace(/\s+/g, ' ');
  const system =
    m.subtype === 'channel_join' ||
    m.subtype === 'channel_leave' ||
    m.subtype === 'channel_topic' ||
    m.subtype === 'channel_purpose' ||
    m.subtype === 'channel_name';
  const mine = m.user === store.me && !m.is_ephemeral && !system;

  const act = (f: () => Promise<unknown>): void => {
    f().catch((e) => toasts.failed(e, () => act(f)));
  };
  const react = (emoji: string): void => act(() => store.outbox.toggleReaction(channel, m, emoji));
  const copy = useCopy();
  const copyLink = (): void =>
    copy(`${location.origin}/ui${hrefOf(channel).replace(/^\/ui/, '')}?at=${m.ts}`, 'The link was copied.');
  const showCause = (): void =>
    act(async () => {
      const { causeOf } = await import('../app/cause');
      await navigate({ href: await causeOf(env, 'messaging', 'message', `${channel}/${m.ts}`) });
    });
  const shortcut = (app_id: string, callback_id: string): void =>
    act(() =>
      call(env, '/api/interactions', {
        body: {
          app_id,
          payload: { type: 'message_action', callback_id, channel: { id: channel }, message: { ts: m.ts } },
        },
      }),
    );
  const markUnread = (): void => act(() => store.marks.keepUnread(channel, before(m.ts)));
  const threadTs = m.thread_ts ?? m.ts;

  const onKeyDown = (e: KeyboardEvent): void => {
    if (
      e.target !== e.currentTarget ||
      e.ctrlKey ||
      e.metaKey ||
      e.altKey ||
      (e.key.length === 1 && !prefs().letters)
    ) {
      return;
    }
    const actions: Record<string, () => void> = {
      r: () => setDialog('emoji'),
      t: () => p.openThread?.(threadTs),
      ArrowRight: () => p.openThread?.(threadTs),
      e: () => mine && p.setEditing(m.ts),
      Delete: () => mine && setDialog('delete'),
      u: markUnread,
      l: copyLink,
    };
    const action = actions[e.key];
    if (action) {
      e.preventDefault();
      action();
    }
  };

  return (
    <article
      tabIndex={p.active ? 0 : -1}
      data-ts={m.ts}
      aria-label={`${name} at ${formatTime(at)}: ${plain.slice(0, 120)}`}
      className={[
        'message',
        p.follows ? 'follows' : '',
        p.marked ? 'marked' : '',
        m.state ?? '',
        system ? 'system' : '',
      ].join(' ')}
      onKeyDown={onKeyDown}
      onMouseEnter={() => setNear(true)}
      onFocus={() => {
        setNear(true);
        p.onFocus(m.ts);
      }}
    >
      <div className="gutter">
        {p.follows ? (
          <time dateTime={at.toISOString()} title={formatFull(at)}>
            {formatTime(at)}
          </time>
        ) : (
          <Avatar id={m.user || m.bot_id || name} name={name} />
        )}
      </div>
      <div className="body">
        {!p.follows && (
          <div className="byline">
            <button type="button" className="author" onClick={() => m.user && openProfile(m.user)} disabled={!m.user}>
              {name}
            </button>
            {(m.is_bot || m.bot_id) && <span className="tag">app</span>}
            <time dateTime={at.toISOString()} title={formatFull(at)}>
              {formatTime(at)}
            </time>
            {user?.profile.status_emoji && <EmojiText name={user.profile.status_emoji.replace(/^:|:$/g, '')} />}
          </div>
        )}
        {m.is_ephemeral && (
          <p className="only">
            Only visible to you{' '}
            <Button size="compact-xs" variant="subtle" onClick={() => store.outbox.discard(channel, m)}>
              Dismiss
            </Button>
          </p>
        )}
        {m.subtype === 'thread_broadcast' && m.thread_ts && (
          <button type="button" className="replied" onClick={() => p.openThread?.(threadTs)}>
            replied to a thread
          </button>
        )}
        {p.editing ? (
          <Edit
            draft={`us.draft.${env}.${store.me}.${channel}.edit.${m.ts}`}
            message={m}
            done={() => p.setEditing('')}
            save={(text) => store.outbox.edit(channel, m.ts, text)}
          />
        ) : (
          <div className="text">
            <Content message={m} channel={channel} />
            {m.edited && <span className="dimmed"> (edited)</span>}
          </div>
        )}
        {m.state === 'failed' && (
          <p className="unsent">
            Not sent{m.wait ? '.' : ''}{' '}
            {!!m.wait && <Countdown key={m.wait} seconds={m.wait} what="It is sent again" />}{' '}
            <Button size="compact-xs" variant="light" onClick={() => act(() => store.outbox.retry(channel, m))}>
              Retry
            </Button>{' '}
            <Button size="compact-xs" variant="subtle" color="gray" onClick={() => store.outbox.discard(channel, m)}>
              Discard
            </Button>
          </p>
        )}
        {m.reactions && m.reactions.length > 0 && (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a form
          <div role="group" aria-label="Reactions" className="reactions">
            {m.reactions.map((r) => (
              <button
                key={r.name}
                type="button"
                className="reaction"
                aria-pressed={r.users.includes(store.me)}
                aria-label={`${r.name}, ${r.count} ${r.count === 1 ? 'person' : 'people'}`}
                title={r.users.map((u) => names('user', u)).join(', ')}
                onClick={() => react(r.name)}
              >
                <EmojiText name={r.name} /> {r.count}
              </button>
            ))}
            <button type="button" className="reaction" aria-label="Add reaction" onClick={() => setDialog('emoji')}>
              <SmilePlus size={14} />
            </button>
          </div>
        )}
        {p.openThread && !!m.reply_count && (
          <button
            type="button"
            className="replies"
            aria-description={m.latest_reply ? `last reply ${formatTime(dateOf(m.latest_reply))}` : undefined}
            onClick={() => p.openThread?.(m.ts)}
          >
            {m.reply_count} {m.reply_count === 1 ? 'reply' : 'replies'}
          </button>
        )}
      </div>
      {near && !m.state && !m.is_ephemeral && (
        <Actions
          mine={mine}
          reply={p.openThread && (() => p.openThread?.(threadTs))}
          edit={() => p.setEditing(m.ts)}
          open={setDialog}
          markUnread={markUnread}
          copyLink={copyLink}
          copyText={() => copy(plainText(m.text, names), 'The text was copied.')}
          run={shortcut}
          showCause={adminKey() && !m.is_ephemeral ? showCause : undefined}
        />
      )}
      {dialog === 'emoji' && (
        <EmojiDialog
          close={() => setDialog('')}
          choose={(name) => {
            setDialog('');
            if (!m.reactions?.some((r) => r.name === name && r.users.includes(store.me))) {
              react(name);
            }
          }}
        />
      )}
      {dialog === 'delete' && (
        <Confirm
          title="Delete message?"
          act="Delete"
          danger
          close={() => setDialog('')}
          confirm={() => act(() => store.outbox.delete(channel, m))}
        >
          <p>{plain.slice(0, 300)}</p>
        </Confirm>
      )}
      {dialog === 'json' && <JsonDialog title="Message as JSON" value={m} close={() => setDialog('')} />}
    </article>
  );
});

/** Returns the largest ts below another. */
function before(ts: string): string {
  const [seconds = '0', micros = '000000'] = ts.split('.');
  const n = BigInt(seconds) * 1000000n + BigInt(micros) - 1n;
  return `${n / 1000000n}.${String(n % 1000000n).padStart(6, '0')}`;
}

function Content({ message: m, channel }: { message: Message; channel: string }) {
  return (
    <>
      {m.blocks && m.blocks.length > 0 ? (
        <Blocks blocks={m.blocks} message={m} channel={channel} />
      ) : (
        m.text && <Text text={m.text} />
      )}
      {m.attachments?.map((a, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the attachments of a message do not move
        <div className="attachment" key={i}>
          {a.pretext && <Text text={String(a.pretext)} />}
          {a.title && <strong>{String(a.title)}</strong>}
          {a.text && <Text text={String(a.text)} />}
          {Array.isArray(a.blocks) ? (
            <Blocks blocks={a.blocks} message={m} channel={channel} />
          ) : (
            !a.text && !a.pretext && a.fallback && <Text text={String(a.fallback)} />
          )}
          {Array.isArray(a.fields) &&
            a.fields.map((f: { title?: string; value?: string }, j: number) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the fields of an attachment do not move
              <div key={j}>
                <strong>{f.title}</strong> <Text text={String(f.value ?? '')} />
              </div>
            ))}
        </div>
      ))}
    </>
  );
}

interface EditProps {
  draft: string; // the storage key of the text
  message: Message;
  done: () => void;
  save: (text: string) => Promise<void>;
}

function Edit({ draft, message, done, save }: EditProps) {
  useFocusReturn();
  const [text, setText, drop] = useKeptText(draft, unescapeText(message.text));
  const [problem, setProblem] = useState('');
  const end = (): void => {
    drop();
    done();
  };
  const submit = (): void => {
    save(text).then(end, (e: Error) => setProblem(e.message));
  };
  return (
    <div>
      <textarea
        className="edit"
        aria-label="Edit message"
        // biome-ignore lint/a11y/noAutofocus: who asks to edit writes next
        autoFocus
        rows={Math.min(12, text.split('\n').length)}
        value={text}
        onChange={(e) => setText(e.currentTarget.value)}
        onFocus={(e) => e.currentTarget.setSelectionRange(text.length, text.length)}
        onKeyDown={(e) => {
          if (e.key === 'Escape') {
            e.stopPropagation();
            end();
          } else if (e.key === 'Enter' && sends(e) && !e.nativeEvent.isComposing) {
            e.preventDefault();
            submit();
          }
        }}
      />
      <ProblemText>{problem}</ProblemText>
      <div className="buttons">
        <Button size="compact-md" onClick={submit} disabled={text.trim() === ''}>
          Save changes
        </Button>
        <Button size="compact-md" variant="default" onClick={end}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
