import { UnstyledButton } from '@mantine/core';
import { Clock } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { formatStamp } from './locale';
import type { ClockProps } from './worldClock';

const ClockDialog = lazy(() => import('./ClockDialog').then((m) => ({ default: m.ClockDialog })));

/** The environment's clock, and what sets it. */
export function ClockButton({ env, clock, changed }: ClockProps) {
  const [open, setOpen] = useState(false);
  const stamp = formatStamp(new Date(clock.now));
  const label = clock.frozen ? `Clock: frozen at ${stamp}` : 'Clock: running';
  return (
    <>
      <UnstyledButton className="clock" aria-label={label} title={label} onClick={() => setOpen(true)}>
        <Clock size={14} />
        <span>{clock.frozen ? stamp : 'running'}</span>
      </UnstyledButton>
      {open && (
        <Suspense>
          <ClockDialog env={env} clock={clock} changed={changed} close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
