import { ActionIcon } from '@mantine/core';
import { CalendarDays } from 'lucide-react';
import { useState } from 'react';
import { later } from '../../ui/later';

const DateDialog = later(() => import('../DateDialog'), 'DateDialog');

interface Jump {
  from: Date;
  to: (at: Date) => void;
}

/** A labelled separator between messages. */
export function Divider({ text, fresh, jump }: { text: string; fresh: boolean; jump?: Jump }) {
  return (
    <div className={fresh ? 'divider new' : 'divider'}>
      {/* biome-ignore lint/a11y/useSemanticElements: an hr has no text */}
      <div role="separator" aria-label={text} className="divider-text">
        {text}
      </div>
      {jump && <JumpToDate {...jump} />}
    </div>
  );
}

function JumpToDate(jump: Jump) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={24}
        aria-label="Jump to date"
        title="Jump to date"
        onClick={() => setOpen(true)}
      >
        <CalendarDays size={14} />
      </ActionIcon>
      {open && <DateDialog {...jump} close={() => setOpen(false)} />}
    </>
  );
}
