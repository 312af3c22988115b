import { Button, Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../ui/Dialog';
import type { Definition } from './types';

interface Props {
  definitions: Definition[];
  chosen: string[];
  change: (columns: string[]) => void;
  close: () => void;
}

/** A dialog that selects the columns of a table. Selected ones come first. */
export function ColumnsDialog({ definitions, chosen, change, close }: Props) {
  const [q, setQ] = useState('');
  const [first] = useState(chosen); // the order does not change while the dialog is open
  const words = q.toLowerCase();
  const list = [...definitions]
    .filter((d) => !d.hidden || first.includes(d.name))
    .filter((d) => words === '' || d.label.toLowerCase().includes(words) || d.name.includes(words))
    .sort((a, b) => Number(first.includes(b.name)) - Number(first.includes(a.name)) || a.label.localeCompare(b.label));
  return (
    <Dialog title="Columns" close={close}>
      <TextInput
        data-autofocus
        type="search"
        aria-label="Find property"
        placeholder="Find property"
        value={q}
        onChange={(e) => setQ(e.currentTarget.value)}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions are reachable by keyboard */}
      <div className="columns-list" tabIndex={0}>
        {list.slice(0, 300).map((d) => (
          <Checkbox
            key={d.name}
            label={`${d.label} (${d.name})`}
            checked={chosen.includes(d.name)}
            onChange={(e) => change(e.currentTarget.checked ? [...chosen, d.name] : chosen.filter((c) => c !== d.name))}
          />
        ))}
        {list.length > 300 && <p className="dimmed">More properties have such names.</p>}
      </div>
      <div className="buttons">
        <Button onClick={close}>Done</Button>
      </div>
    </Dialog>
  );
}
