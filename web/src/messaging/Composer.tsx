import { ActionIcon, Button, Checkbox } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import {
  AtSign,
  Bold,
  Code,
  Italic,
  Link as LinkIcon,
  List,
  ListOrdered,
  Quote,
  Send,
  Slash,
  Smile,
  SquareCode,
  Strikethrough,
} from 'lucide-react';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { ApiError } from '../api/http';
import { call } from '../app/identity';
import { usePrefs } from '../app/prefs';
import { useToasts } from '../app/Toasts';
import { ProblemText } from '../ui/ProblemText';
import { type Suggestion, useSuggestions, wordBefore } from './completion';
import { useMessaging } from './context';
import { EmojiDialog } from './emoji/lazy';
import { withMentions } from './escape';

interface Props {
  channel: string;
  label: string;
  thread?: string;
  broadcastTo?: string;
}

/** Where a person writes. Drafts stay with the conversation while the tab lives. */
export function Composer({ channel, label, thread, broadcastTo }: Props) {
  const { store } = useMessaging();
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const toasts = useToasts();
  const draft = `us.draft.${env}.${channel}.${thread ?? ''}`;
  const [text, setText] = useState(sessionStorage.getItem(draft) ?? '');
  const [caret, setCaret] = useState(text.length);
  const [broadcast, setBroadcast] = useState(false);
  const [emoji, setEmoji] = useState(false);
  const [chosen, setChosen] = useState(0);
  const [dismissed, setDismissed] = useState('');
  const [problem, setProblem] = useState('');
  const box = useRef<HTMLTextAreaElement>(null);
  const mentions = useRef(new Map<string, string>()); // what completions have put in → id
  const { send: sendKey } = usePrefs();
  const id = useId();

  const word = wordBefore(text, caret);
  const suggestions = useSuggestions(env, word === dismissed ? '' : word);

  const change = (value: string, at = value.length): void => {
    setText(value);
    setCaret(at);
    setChosen(0);
    setProblem('');
    sessionStorage.setItem(draft, value);
    requestAnimationFrame(() => {
      const el = box.current;
      if (el && el.selectionStart !== at && document.activeElement === el) {
        el.setSelectionRange(at, at);
      }
    });
  };

  const take = (s: Suggestion): void => {
    const start = caret - word.length;
    if (s.id) {
      mentions.current.set(s.insert, s.id);
    }
    const value = `${text.slice(0, start)}${s.insert} ${text.slice(caret)}`;
    change(value, start + s.insert.length + 1);
    box.current?.focus();
  };

  const insert = (what: string): void => {
    change(text.slice(0, caret) + what + text.slice(caret), caret + what.length);
    box.current?.focus();
  };

  const wrap = (mark: string): void => {
    const el = box.current;
    if (!el) {
      return;
    }
    const { selectionStart: from, selectionEnd: to } = el;
    change(text.slice(0, from) + mark + text.slice(from, to) + mark + text.slice(to), to + mark.length);
    el.focus();
  };

  /** Begins each chosen line with a mark, or takes the marks away. */
  const lines = (mark: (n: number) => string): void => {
    const el = box.current;
    if (!el) {
      return;
    }
    const from = text.lastIndexOf('\n', el.selectionStart - 1) + 1;
    const next = text.indexOf('\n', el.selectionEnd);
    const to = next < 0 ? text.length : next;
    const old = text.slice(from, to).split('\n');
    const has = old.every((line, n) => line.startsWith(mark(n)));
    const changed = old.map((line, n) => (has ? line.slice(mark(n).length) : mark(n) + line)).join('\n');
    change(text.slice(0, from) + changed + text.slice(to), from + changed.length);
    el.focus();
  };
  const ordered = (): void => lines((n) => `${n + 1}. `);
  const bulleted = (): void => lines(() => '• ');
  const quote = (): void => lines(() => '> ');
  const codeBlock = (): void => {
    const el = box.current;
    if (el) {
      const { selectionStart: from, selectionEnd: to } = el;
      const before = from > 0 && text[from - 1] !== '\n' ? '\n' : '';
      const block = `${before}\`\`\`\n${text.slice(from, to)}\n\`\`\``;
      change(text.slice(0, from) + block + text.slice(to), from + before.length + 4 + (to - from));
      el.focus();
    }
  };
  const link = (): void => {
    const el = box.current;
    if (el) {
      const { selectionStart: from, selectionEnd: to } = el;
      const words = text.slice(from, to);
      const isUrl = /^https?:/i.test(words);
      const made = isUrl ? `<${words}|>` : `<https://|${words}>`;
      change(text.slice(0, from) + made + text.slice(to), isUrl ? from + made.length - 1 : from + 9);
      el.focus();
    }
  };

  const submit = (): void => {
    const body = withMentions(text.trim(), mentions.current);
    if (body === '') {
      return;
    }
    if (body.startsWith('/') && !thread && /^\/[^\s/]+/.test(body)) {
      void command(body);
      return;
    }
    change('');
    mentions.current.clear();
    store.outbox.send(channel, body, thread ? { ts: thread, broadcast } : undefined).catch(() => undefined); // the message shows it
  };

  const command = async (body: string): Promise<void> => {
    const [name = '', ...rest] = body.split(' ');
    try {
      await call(env, '/api/commands/execute', { body: { command: name, text: rest.join(' '), channel } });
      change(''); // what the app answers comes by the live connection
    } catch (e) {
      if (e instanceof ApiError && e.status === 404) {
        setProblem(`There is no command ${name}`);
      } else {
        toasts.failed(e);
      }
    }
  };

  const onKeyDown = (e: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (suggestions.length > 0) {
      if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
        e.preventDefault();
        setChosen((chosen + (e.key === 'ArrowDown' ? 1 : -1) + suggestions.length) % suggestions.length);
        return;
      }
      const s = suggestions[chosen];
      if ((e.key === 'Tab' || e.key === 'Enter') && s) {
        e.preventDefault();
        take(s);
        return;
      }
      if (e.key === 'Escape') {
        e.stopPropagation();
        setDismissed(word);
        return;
      }
    }
    const sends = sendKey === 'enter' ? !e.shiftKey : e.ctrlKey || e.metaKey;
    if (e.key === 'Enter' && sends && !e.nativeEvent.isComposing) {
      e.preventDefault();
      submit();
    } else if (e.key === 'PageUp' && text === '') {
      e.preventDefault();
      dispatchEvent(new CustomEvent('us-page-up', { detail: channel }));
    } else if (e.key === 'ArrowUp' && text === '' && !thread) {
      e.preventDefault();
      dispatchEvent(new CustomEvent('us-edit-last', { detail: channel }));
    } else if ((e.ctrlKey || e.metaKey) && !e.altKey) {
      const format = {
        b: () => wrap('*'),
        i: () => wrap('_'),
        e: () => wrap('`'),
        'shift x': () => wrap('~'),
        'shift Digit7': ordered,
        'shift Digit8': bulleted,
        'shift Digit9': quote,
      }[e.shiftKey ? `shift ${/^Digit/.test(e.code) ? e.code : e.key.toLowerCase()}` : e.key];
      if (format) {
        e.preventDefault();
        format();
      }
    }
  };

  return (
    <div className="composer" data-region>
      {suggestions.length > 0 && (
        <div role="listbox" aria-label="Suggestions" id={`${id}-list`} className="suggestions">
          {suggestions.map((s, n) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the text box holds the focus and handles the keys
            <div
              key={s.insert}
              id={`${id}-${n}`}
              role="option"
              tabIndex={-1}
              aria-selected={n === chosen}
              className="choice"
              onMouseDown={(e) => e.preventDefault()}
              onClick={() => take(s)}
            >
              <span>{s.title}</span> <span className="dimmed">{s.detail}</span>
            </div>
          ))}
        </div>
      )}
      <ProblemText>{problem}</ProblemText>
      <textarea
        ref={box}
        aria-label={label}
        placeholder={label}
        rows={Math.min(12, text.split('\n').length)}
        value={text}
        aria-autocomplete="list"
        aria-controls={suggestions.length > 0 ? `${id}-list` : undefined}
        aria-activedescendant={suggestions.length > 0 ? `${id}-${chosen}` : undefined}
        onChange={(e) => change(e.currentTarget.value, e.currentTarget.selectionStart)}
        onSelect={(e) => setCaret(e.currentTarget.selectionStart)}
        onKeyDown={onKeyDown}
      />
      <div className="composer-bar">
        <div role="toolbar" aria-label="Formatting">
          <Tool label="Bold" onClick={() => wrap('*')} icon={<Bold size={15} />} />
          <Tool label="Italic" onClick={() => wrap('_')} icon={<Italic size={15} />} />
          <Tool label="Strikethrough" onClick={() => wrap('~')} icon={<Strikethrough size={15} />} />
          <Tool label="Link" onClick={link} icon={<LinkIcon size={15} />} />
          <Tool label="Ordered list" onClick={ordered} icon={<ListOrdered size={15} />} />
          <Tool label="Bulleted list" onClick={bulleted} icon={<List size={15} />} />
          <Tool label="Quote" onClick={quote} icon={<Quote size={15} />} />
          <Tool label="Code" onClick={() => wrap('`')} icon={<Code size={15} />} />
          <Tool label="Code block" onClick={codeBlock} icon={<SquareCode size={15} />} />
        </div>
        <Tool label="Emoji" onClick={() => setEmoji(true)} icon={<Smile size={15} />} />
        <Tool label="Mention someone" onClick={() => insert('@')} icon={<AtSign size={15} />} />
        {!thread && <Tool label="Commands" onClick={() => change('/')} icon={<Slash size={15} />} />}
        {thread && broadcastTo && (
          <Checkbox
            size="xs"
            label={`Also send to ${broadcastTo}`}
            checked={broadcast}
            onChange={(e) => setBroadcast(e.currentTarget.checked)}
          />
        )}
        <Button
          size="compact-md"
          ml="auto"
          leftSection={<Send size={14} />}
          onClick={submit}
          disabled={text.trim() === ''}
        >
          Send
        </Button>
      </div>
      {emoji && (
        <EmojiDialog
          close={() => setEmoji(false)}
          choose={(name) => {
            setEmoji(false);
            insert(`:${name}: `);
          }}
        />
      )}
    </div>
  );
}

function Tool({ label, icon, onClick }: { label: string; icon: React.ReactNode; onClick: () => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" size={28} aria-label={label} title={label} onClick={onClick}>
      {icon}
    </ActionIcon>
  );
}
