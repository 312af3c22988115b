import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatStamp } from '../app/locale';
import { Dialog } from '../ui/Dialog';

interface Props {
  from: Date;
  to: (at: Date) => void;
  close: () => void;
}

/** A dialog that asks for the day of a conversation to show. */
export function DateDialog({ from, to, close }: Props) {
  const [day, setDay] = useState(formatStamp(from).slice(0, 10));
  return (
    <Dialog title="Jump to date" close={close}>
      <form
        className="field"
        onSubmit={(e) => {
          e.preventDefault();
          const at = new Date(`${day}T00:00`);
          if (!Number.isNaN(at.getTime())) {
            close();
            to(at);
          }
        }}
      >
        <TextInput
          type="date"
          label="Date"
          data-autofocus
          value={day}
          onChange={(e) => setDay(e.currentTarget.value)}
        />
        <Button type="submit">Jump</Button>
      </form>
    </Dialog>
  );
}
