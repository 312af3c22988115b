import { Button, Checkbox } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { type KeyboardEvent, useCallback, useId, useRef, useState } from 'react';
import { ApiError } from '../../api/http';
import { call } from '../../app/identity';
import { sends } from '../../app/prefs';
import { useToasts } from '../../app/Toasts';
import { waitOf } from '../../ui/Countdown';
import { ProblemText } from '../../ui/ProblemText';
import { useKeptText } from '../../ui/useKeptText';
import { useMessaging } from '../context';
import { EmojiDialog } from '../emoji/lazy';
import { withMentions } from '../escape';
import { type Suggestion, useSuggestions, wordBefore } from './completion';
import { formatOf, formats } from './format';
import { type Tool, Toolbar } from './Toolbar';

interface Props {
  channel: string;
  label: string;
  thread?: string;
  broadcastTo?: string;
}

/** The message editor. Drafts are kept for each conversation while the tab is open. */
export function Composer({ channel, label, thread, broadcastTo }: Props) {
  const { store } = useMessaging();
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const toasts = useToasts();
  const [text, setText, drop] = useKeptText(`us.draft.${env}.${store.me}.${channel}.${thread ?? ''}`);
  const [caret, setCaret] = useState(text.length);
  const [broadcast, setBroadcast] = useState(false);
  const [emoji, setEmoji] = useState(false);
  const [chosen, setChosen] = useState(0);
  const [dismissed, setDismissed] = useState('');
  const [focused, setFocused] = useState(false); // a draft that is only shown suggests nothing
  const [problem, setProblem] = useState('');
  const [running, setRunning] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const mentions = useRef(new Map<string, string>()); // handle that a completion inserted → id
  const id = useId();

  const word = wordBefore(text, caret);
  const suggestions = useSuggestions(env, !focused || word === dismissed ? '' : word);

  const change = (value: string, at = value.length, to = at): void => {
    setText(value);
    setCaret(to);
    setChosen(0);
    setProblem('');
    requestAnimationFrame(() => {
      const el = box.current;
      if (el && (el.selectionStart !== at || el.selectionEnd !== to) && document.activeElement === el) {
        el.setSelectionRange(at, to);
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

  const use = (tool: Tool): void => {
    const el = box.current;
    switch (tool) {
      case 'emoji':
        setEmoji(true);
        return;
      case 'mention':
        insert('@');
        return;
      case 'commands':
        // The text stays: it becomes what the command is given.
        change(text.startsWith('/') ? text : `/${text}`, 1);
        el?.focus();
        return;
    }
    if (el) {
      const made = formats[tool]({ text, from: el.selectionStart, to: el.selectionEnd });
      change(made.text, made.from, made.to);
      el.focus();
    }
  };
  const latest = useRef(use);
  latest.current = use;
  const act = useCallback((tool: Tool) => latest.current(tool), []);

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

  /** Runs a slash command, one at a time. Its text is removed after the app has accepted it; text that is typed meanwhile is kept. */
  const command = async (body: string): Promise<void> => {
    if (running) {
      return;
    }
    const [name = '', ...rest] = body.split(' ');
    setRunning(true);
    try {
      await call(env, '/api/commands/execute', { body: { command: name, text: rest.join(' '), channel } });
      // The app's answer arrives over the live connection.
      if (!box.current) {
        drop(); // another conversation was opened meanwhile
      } else if (box.current.value === text) {
        change('');
      }
    } catch (e) {
      if (e instanceof ApiError && e.status === 404) {
        setProblem(`There is no command ${name}`);
      } else {
        toasts.failed(e, waitOf(e) > 0 ? () => void command(body) : undefined);
      }
    } finally {
      setRunning(false);
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
    if (e.key === 'Enter' && sends(e) && !e.nativeEvent.isComposing) {
      e.preventDefault();
      submit();
    } else if (e.key === 'PageUp' && text === '') {
      e.preventDefault();
      dispatchEvent(new CustomEvent('us-page-up', { detail: channel }));
    } else if (e.key === 'ArrowUp' && text === '' && !thread) {
      e.preventDefault();
      dispatchEvent(new CustomEvent('us-edit-last', { detail: channel }));
    } else if ((e.ctrlKey || e.metaKey) && !e.altKey) {
      const format = formatOf(e);
      if (format) {
        e.preventDefault();
        use(format);
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
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onSelect={(e) => setCaret(e.currentTarget.selectionStart)}
        onKeyDown={onKeyDown}
      />
      <div className="composer-bar">
        <Toolbar act={act} commands={!thread} />
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
          loading={running}
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
