import { UnstyledButton } from '@mantine/core';
import { Clock } from 'lucide-react';
import { useState } from 'react';
import { later } from '../ui/later';
import { formatStamp, zoneName } from './locale';
import type { ClockProps } from './worldClock';

const ClockDialog = later(() => import('./ClockDialog'), 'ClockDialog');

/** A button with the environment's clock. It opens the dialog that sets it. */
export function ClockButton({ env, clock, changed }: ClockProps) {
  const [open, setOpen] = useState(false);
  const stamp = formatStamp(new Date(clock.now));
  const label = clock.frozen ? `Clock: frozen at ${stamp}` : 'Clock: running';
  const title = `${label}. Times are in the zone ${zoneName(new Date(clock.now))}.`;
  return (
    <>
      <UnstyledButton className="clock" aria-label={label} title={title} onClick={() => setOpen(true)}>
        <Clock size={14} />
        <span>{clock.frozen ? stamp : 'running'}</span>
      </UnstyledButton>
      {open && <ClockDialog env={env} clock={clock} changed={changed} close={() => setOpen(false)} />}
    </>
  );
}
