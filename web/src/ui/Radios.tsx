import '@mantine/core/styles/Radio.layer.css';
import { Radio } from '@mantine/core';

interface Props {
  label: string; // read aloud, not shown
  options: readonly (readonly [value: string, label: string])[];
  value: string;
  change: (value: string) => void;
}

/** A radio group in one line. Its label is only for screen readers: Mantine needs one to name the group. */
export function Radios({ label, options, value, change }: Props) {
  return (
    <Radio.Group label={label} labelProps={{ className: 'visually-hidden' }} value={value} onChange={change}>
      <div className="inline">
        {options.map(([v, title]) => (
          <Radio key={v} value={v} label={title} />
        ))}
      </div>
    </Radio.Group>
  );
}
