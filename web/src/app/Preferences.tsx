import '@mantine/core/styles/Radio.layer.css';
import { Checkbox, Radio, Stack, Text, useMantineColorScheme } from '@mantine/core';
import { useState } from 'react';
import { Page } from '../ui/Page';
import { Frame } from './Frame';
import { lastEnv } from './lastEnv';
import { zoneName } from './locale';
import { type Prefs, setPrefs, usePrefs } from './prefs';
import { chooseScheme, chosenScheme, type Scheme } from './theme';

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  choices: Record<T, string>;
  choose: (value: T) => void;
}

function Choice<T extends string>({ label, value, choices, choose }: ChoiceProps<T>) {
  return (
    <Radio.Group label={label} value={value} onChange={(v) => choose(v as T)}>
      <Stack gap="xs" mt="xs">
        {Object.entries<string>(choices).map(([v, text]) => (
          <Radio key={v} value={v} label={text} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

export function Preferences() {
  const { setColorScheme } = useMantineColorScheme();
  const [scheme, setScheme] = useState<Scheme>(chosenScheme());
  const p = usePrefs();
  return (
    <Frame env={lastEnv()} area="Preferences">
      <Page title="Preferences">
        <Stack gap="md" maw={560}>
          <Choice<Scheme>
            label="Theme"
            value={scheme}
            choices={{ auto: 'As the system', light: 'Light', dark: 'Dark' }}
            choose={(v) => {
              setScheme(v);
              chooseScheme(v);
              setColorScheme(v);
            }}
          />
          <Choice<Prefs['density']>
            label="Density"
            value={p.density}
            choices={{ comfortable: 'Comfortable', compact: 'Compact' }}
            choose={(density) => setPrefs({ density })}
          />
          <Choice<Prefs['time']>
            label="Time format"
            value={p.time}
            choices={{ '24': '24 hours (14:05)', '12': '12 hours (2:05 pm)' }}
            choose={(time) => setPrefs({ time })}
          />
          <Text c="dimmed" size="sm">
            Times are shown in the zone of this browser, {zoneName()}.
          </Text>
          <Choice<Prefs['send']>
            label="Send with"
            value={p.send}
            choices={{ enter: 'Enter (Shift Enter is a new line)', 'ctrl-enter': 'Ctrl Enter (Enter is a new line)' }}
            choose={(send) => setPrefs({ send })}
          />
          <Checkbox
            label="Single letters are shortcuts in lists"
            checked={p.letters}
            onChange={(e) => setPrefs({ letters: e.currentTarget.checked })}
          />
        </Stack>
      </Page>
    </Frame>
  );
}
