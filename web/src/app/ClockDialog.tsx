import { Button, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../ui/Dialog';
import { adminCall, adminKey } from './admin';
import type { ClockProps } from './Clock';
import { formatStamp } from './locale';
import { useToasts } from './Toasts';

/** Shows the clock and, with the admin key, sets it. */
export function ClockDialog({ env, clock, changed, close }: ClockProps & { close: () => void }) {
  const toasts = useToasts();
  const [freeze, setFreeze] = useState(new Date(clock.now).toISOString().slice(0, 16));
  const [advance, setAdvance] = useState('90s');
  const set = (body: object): void => {
    adminCall(`/environments/${encodeURIComponent(env)}/clock`, { body }).then(
      () => {
        changed();
        close();
      },
      (e) => toasts.failed(e),
    );
  };
  return (
    <Dialog title="Clock" close={close}>
      <Text>
        {clock.frozen
          ? `The clock of this environment stands still at ${formatStamp(new Date(clock.now))}.`
          : 'The clock of this environment runs.'}
      </Text>
      {adminKey() ? (
        <>
          <form
            className="field"
            onSubmit={(e) => {
              e.preventDefault();
              set({ freeze: new Date(`${freeze}Z`).toISOString() });
            }}
          >
            <TextInput
              type="datetime-local"
              label="Freeze at"
              description="UTC"
              value={freeze}
              onChange={(e) => setFreeze(e.currentTarget.value)}
            />
            <Button type="submit" variant="default">
              Freeze
            </Button>
          </form>
          <form
            className="field"
            onSubmit={(e) => {
              e.preventDefault();
              set({ advance });
            }}
          >
            <TextInput label="Advance by" value={advance} onChange={(e) => setAdvance(e.currentTarget.value)} />
            <Button type="submit" variant="default">
              Advance
            </Button>
          </form>
          <div className="buttons">
            {['+1 min', '+1 h', '+24 h'].map((text, i) => (
              <Button
                key={text}
                variant="default"
                size="compact-md"
                onClick={() => set({ advance: ['1m', '1h', '24h'][i] })}
              >
                {text === '+24 h' ? '+1 d' : text}
              </Button>
            ))}
            <Button size="compact-md" onClick={() => set({ run: true })} disabled={!clock.frozen}>
              Run
            </Button>
          </div>
        </>
      ) : (
        <Text c="dimmed" size="sm">
          The admin key can set it; so does understudy env clock.
        </Text>
      )}
    </Dialog>
  );
}
