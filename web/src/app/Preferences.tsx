import { Anchor, Radio, Stack, Title, useMantineColorScheme } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { chooseScheme, chosenScheme, type Scheme } from './theme';

export function Preferences() {
  const { setColorScheme } = useMantineColorScheme();
  const [scheme, setScheme] = useState<Scheme>(chosenScheme());
  useEffect(() => {
    document.title = 'Preferences – Understudy';
  }, []);
  return (
    <main className="page">
      <Stack gap="md" maw={560}>
        <Title order={1} size="h3">
          Preferences
        </Title>
        <Radio.Group
          label="Theme"
          value={scheme}
          onChange={(v) => {
            const chosen = v as Scheme;
            setScheme(chosen);
            chooseScheme(chosen);
            setColorScheme(chosen);
          }}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="auto" label="As the system" />
            <Radio value="light" label="Light" />
            <Radio value="dark" label="Dark" />
          </Stack>
        </Radio.Group>
        <Anchor component={Link} to="/">
          Back
        </Anchor>
      </Stack>
    </main>
  );
}
