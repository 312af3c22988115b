import { Checkbox, TextInput } from '@mantine/core';
import { secondsOf } from '../../ui/duration';

/** The inputs that the dialogs for new environments and forks share. */
export interface Typed {
  name: string;
  seed: string;
  clock: string; // of a date and time box, in UTC
  limits: string;
  ttl: string; // for example 30m or 2h
  ephemeral: boolean;
}

export const nothing: Typed = { name: '', seed: '', clock: '', limits: '', ttl: '', ephemeral: false };

/** Returns the body of a request from the inputs. Empty inputs are omitted. */
export function bodyOf(t: Typed): Record<string, unknown> {
  return {
    ...(t.name && { name: t.name }),
    ...(t.seed && { seed: Number(t.seed) }),
    ...(t.clock && { clock: `${t.clock.length === 16 ? `${t.clock}:00` : t.clock}Z` }),
    ...(t.limits && { rate_limits: t.limits }),
    ...(t.ttl && { ttl_seconds: secondsOf(t.ttl) }),
    ...(t.ephemeral && { ephemeral: true }),
  };
}

/** Returns the mistakes of the inputs, by field. */
export function problemsOf(t: Typed): Partial<Record<keyof Typed, string>> {
  return {
    ...(t.seed && !/^-?\d{1,15}$/.test(t.seed) && { seed: 'A whole number.' }),
    ...(t.ttl && secondsOf(t.ttl) === undefined && { ttl: 'A time such as 30m, 2h or 1d.' }),
    ...(t.limits && !/^(real|off|x\d+(\.\d+)?)$/.test(t.limits) && { limits: 'real, off, or a multiple such as x10.' }),
  };
}

interface Props {
  typed: Typed;
  change: (t: Typed) => void;
  fork?: boolean;
}

/** The input for the name of a new environment. It has the focus when its dialog opens. */
export function NameInput({ typed, change }: Omit<Props, 'fork'>) {
  return (
    <TextInput
      data-autofocus
      label="Name"
      description="The id when left out."
      maxLength={100}
      value={typed.name}
      onChange={(e) => change({ ...typed, name: e.currentTarget.value })}
    />
  );
}

/** The other inputs for a new environment. */
export function Fields({ typed, change, fork }: Props) {
  const problems = problemsOf(typed);
  const set = (part: Partial<Typed>): void => change({ ...typed, ...part });
  return (
    <div className="form-grid">
      <TextInput
        label="Seed"
        description={fork ? "The parent's goes on when left out." : 'Ids and order repeat with it.'}
        inputMode="numeric"
        value={typed.seed}
        error={problems.seed}
        onChange={(e) => set({ seed: e.currentTarget.value })}
      />
      <TextInput
        type="datetime-local"
        label="Clock"
        description={fork ? "UTC; the parent's when left out." : 'UTC; it stands at this time.'}
        value={typed.clock}
        onChange={(e) => set({ clock: e.currentTarget.value })}
      />
      <TextInput
        label="Rate limits"
        description="real, off, or a multiple: x10."
        placeholder={fork ? "the parent's" : 'real'}
        value={typed.limits}
        error={problems.limits}
        onChange={(e) => set({ limits: e.currentTarget.value })}
      />
      <TextInput
        label="Time to live"
        description="Real time, such as 30m, 2h, 1d."
        placeholder="for ever"
        value={typed.ttl}
        error={problems.ttl}
        onChange={(e) => set({ ttl: e.currentTarget.value })}
      />
      <Checkbox
        label="Ephemeral"
        description="Kept in memory alone."
        checked={typed.ephemeral}
        onChange={(e) => set({ ephemeral: e.currentTarget.checked })}
      />
    </div>
  );
}
