import { Button, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../ui/Dialog';
import { secondsOf } from '../ui/duration';
import { adminCall, adminKey } from './admin';
import { readDeliveries } from './deliveries';
import { formatFull } from './locale';
import { useToasts } from './Toasts';
import type { ClockProps } from './worldClock';

/** The most pending deliveries that are read for the count. */
const most = 1000;

const steps = [
  ['+1 min', 60],
  ['+1 h', 3600],
  ['+1 d', 86_400],
] as const;

/** Returns a function that describes how many pending deliveries become due when the clock advances by some seconds. */
function useDue(env: string, now: string): (seconds: number) => string {
  const pending = useQuery({
    queryKey: ['world', env, 'deliveries', 'pending'],
    queryFn: () => readDeliveries<{ next_attempt_at: string }>(env, { status: 'pending' }, most),
    enabled: adminKey() !== undefined,
    staleTime: 0,
  });
  const times = pending.data?.map((d) => Date.parse(d.next_attempt_at));
  return (seconds) => {
    const n = times?.filter((t) => t <= Date.parse(now) + seconds * 1000).length;
    return n === undefined ? '…' : `${(times?.length ?? 0) >= most ? 'at least ' : ''}${n}`;
  };
}

/** Shows the clock, and sets it if the tab has the admin key. */
export function ClockDialog({ env, clock, changed, close }: ClockProps & { close: () => void }) {
  const toasts = useToasts();
  const [freeze, setFreeze] = useState(new Date(clock.now).toISOString().slice(0, 16));
  const [advance, setAdvance] = useState('90s');
  const due = useDue(env, clock.now);
  const seconds = secondsOf(advance);
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
          ? `The clock of this environment stands still at ${formatFull(new Date(clock.now))}.`
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
              required
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
              set({ advance: `${seconds}s` });
            }}
          >
            <TextInput
              label="Advance by"
              description={
                seconds === undefined ? 'A time such as 90s, 5m or 1h30m.' : `Deliveries that fall due: ${due(seconds)}`
              }
              value={advance}
              onChange={(e) => setAdvance(e.currentTarget.value)}
            />
            <Button type="submit" variant="default" disabled={seconds === undefined}>
              Advance
            </Button>
          </form>
          <div className="buttons">
            {steps.map(([text, length]) => (
              <Button key={text} variant="default" size="compact-md" onClick={() => set({ advance: `${length}s` })}>
                {text}
              </Button>
            ))}
            <Button size="compact-md" onClick={() => set({ run: true })} disabled={!clock.frozen}>
              Run
            </Button>
          </div>
          <Text c="dimmed" size="sm">
            Deliveries that fall due: {steps.map(([text, length]) => `${due(length)} with ${text}`).join(', ')}.
          </Text>
        </>
      ) : (
        <Text c="dimmed" size="sm">
          The admin key can set it; so does understudy env clock.
        </Text>
      )}
    </Dialog>
  );
}
