import {
  ChevronDown,
  ChevronUp,
  Circle,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleX,
  Equal,
  Minus,
} from 'lucide-react';
import { priorities } from './types';

const signs = [Minus, CircleAlert, ChevronUp, Equal, ChevronDown];

/** The icon of a priority, with its name for screen readers. */
export function Priority({ value }: { value: number }) {
  const Sign = signs[value] ?? Minus;
  return (
    <span
      role="img"
      className={value === 1 ? 'priority urgent' : 'priority'}
      aria-label={priorities[value]}
      title={priorities[value]}
    >
      <Sign size={14} />
    </span>
  );
}

const icons: Record<string, typeof Circle> = {
  triage: CircleDashed,
  backlog: CircleDashed,
  unstarted: Circle,
  started: CircleDot,
  completed: CircleCheck,
  canceled: CircleX,
  duplicate: CircleX,
};

/** The icon of a state's type, in the colour of the state, which is darkened so that light grey is seen too. */
export function StateMark({ state }: { state: { name: string; type: string; color: string } }) {
  const Icon = icons[state.type] ?? Circle;
  return (
    <span role="img" aria-label={state.name} title={state.name} className="state-mark">
      <Icon size={14} style={{ stroke: `color-mix(in oklab, ${state.color} 60%, var(--ink))` }} />
    </span>
  );
}
