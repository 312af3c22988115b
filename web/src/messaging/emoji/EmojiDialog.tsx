import '@mantine/core/styles/Group.layer.css';
import '@mantine/core/styles/Radio.layer.css';
import { Group, Radio, TextInput } from '@mantine/core';
import { type KeyboardEvent, useRef, useState } from 'react';
import { Dialog } from '../../ui/Dialog';
import { charOf, type Emoji, searchEmoji, useEmoji } from './emoji';

const place = 'us.emoji.recent';
const columns = 9;
const tonePlace = 'us.emoji.tone';
const tones = ['No skin tone', 'Light', 'Medium-light', 'Medium', 'Medium-dark', 'Dark'];

function recent(all: Emoji[]): Emoji[] {
  const names = (localStorage.getItem(place) ?? 'thumbsup,tada,eyes,heart,white_check_mark,rocket,joy').split(',');
  return names.flatMap((n) => all.find((e) => e.names.includes(n)) ?? []);
}

/** A dialog to select one of the server's emoji. */
export function EmojiDialog({ close, choose }: { close: () => void; choose: (name: string) => void }) {
  const all = useEmoji();
  const [query, setQuery] = useState('');
  const [tone, setTone] = useState(localStorage.getItem(tonePlace) ?? '0');
  const toned = (e: Emoji): string => {
    const name = e.names[0] ?? '';
    return e.tones && tone !== '0' ? `${name}::skin-tone-${Number(tone) + 1}` : name;
  };
  const grid = useRef<HTMLDivElement>(null);
  const found = query === '' ? [...new Set([...recent(all), ...all])].slice(0, 360) : searchEmoji(all, query, 180);
  const pick = (e: Emoji): void => {
    const name = e.names[0] ?? '';
    const old = (localStorage.getItem(place) ?? '').split(',').filter((n) => n && n !== name);
    localStorage.setItem(place, [name, ...old].slice(0, 18).join(','));
    choose(toned(e));
  };
  const onKeyDown = (e: KeyboardEvent): void => {
    const buttons = [...(grid.current?.querySelectorAll('button') ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[e.key];
    if (step !== undefined && at >= 0) {
      e.preventDefault();
      buttons[Math.min(Math.max(at + step, 0), buttons.length - 1)]?.focus();
    }
  };
  const rows: Emoji[][] = [];
  for (let i = 0; i < found.length; i += columns) {
    rows.push(found.slice(i, i + columns));
  }
  return (
    <Dialog close={close} title="Choose an emoji" size="sm">
      <TextInput
        type="search"
        role="searchbox"
        aria-label="Search emoji"
        placeholder="Search emoji"
        data-autofocus
        value={query}
        onChange={(e) => setQuery(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key === 'Enter' && found[0]) {
            e.preventDefault();
            pick(found[0]);
          } else if (e.key === 'ArrowDown') {
            e.preventDefault();
            grid.current?.querySelector('button')?.focus();
          }
        }}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: a table would not be a grid of buttons */}
      <div role="grid" aria-label="Emoji" className="emoji-grid" ref={grid} onKeyDown={onKeyDown} tabIndex={-1}>
        {rows.map((row) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: the buttons take the focus
          <div role="row" key={row[0]?.names[0]}>
            {row.map((e) => (
              // biome-ignore lint/a11y/useSemanticElements: as above
              // biome-ignore lint/a11y/useFocusableInteractive: the button takes the focus
              <div role="gridcell" key={e.names[0]}>
                <button type="button" aria-label={e.names[0]} title={`:${e.names[0]}:`} onClick={() => pick(e)}>
                  {charOf(toned(e)) ?? e.char}
                </button>
              </div>
            ))}
          </div>
        ))}
      </div>
      <Radio.Group
        label="Skin tone"
        value={tone}
        onChange={(v) => {
          localStorage.setItem(tonePlace, v);
          setTone(v);
        }}
      >
        <Group gap="xs" mt={4}>
          {tones.map((name, n) => (
            <Radio key={name} size="xs" value={String(n)} label={name} />
          ))}
        </Group>
      </Radio.Group>
    </Dialog>
  );
}
