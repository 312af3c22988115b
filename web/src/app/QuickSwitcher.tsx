import { Modal, TextInput } from '@mantine/core';
import { useId, useState } from 'react';
import { useMessaging } from '../messaging/context';

/** Finds a conversation by the beginning of a word; those with something unread come first. */
export function QuickSwitcher({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Modal opened={opened} onClose={close} title="Go to" closeButtonProps={{ 'aria-label': 'Close' }}>
      {opened && <Choices close={close} />}
    </Modal>
  );
}

function Choices({ close }: { close: () => void }) {
  const { store, state, go } = useMessaging();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const q = query.toLowerCase();
  const found = [...state.channels.values()]
    .map((c) => ({ c, title: store.titleOf(c) }))
    .filter(
      ({ title }) =>
        title
          .toLowerCase()
          .split(/[^\p{L}\p{N}]+/u)
          .some((w) => w.startsWith(q)) || title.toLowerCase().includes(q),
    )
    .sort((a, b) => Number(b.c.unread_count > 0) - Number(a.c.unread_count > 0) || a.title.localeCompare(b.title))
    .slice(0, 12);
  const choose = (n: number): void => {
    const chosen = found[n];
    if (chosen) {
      close();
      go(chosen.c.id);
    }
  };
  return (
    <>
      <TextInput
        data-autofocus
        role="combobox"
        aria-label="Go to"
        aria-expanded={found.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={found[at] ? `${id}-${at}` : undefined}
        placeholder="A channel or a person"
        value={query}
        onChange={(e) => {
          setQuery(e.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(e) => {
          if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
            e.preventDefault();
            setAt((at + (e.key === 'ArrowDown' ? 1 : -1) + found.length) % Math.max(found.length, 1));
          } else if (e.key === 'Enter') {
            e.preventDefault();
            choose(at);
          }
        }}
      />
      <div role="listbox" aria-label="Go to" id={`${id}-list`} className="choices">
        {found.map(({ c, title }, n) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox above holds the focus and handles the keys
          <div
            key={c.id}
            id={`${id}-${n}`}
            role="option"
            tabIndex={-1}
            aria-selected={n === at}
            className="choice"
            onClick={() => choose(n)}
          >
            <span className={c.unread_count > 0 ? 'unread' : ''}>
              {c.kind === 'im' || c.kind === 'mpim' ? title : `#${title}`}
            </span>
          </div>
        ))}
      </div>
      {found.length === 0 && (
        <p className="dimmed">Nothing by that name. Browse channels shows those that you are not in.</p>
      )}
    </>
  );
}
