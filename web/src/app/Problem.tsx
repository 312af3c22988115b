import { Button, Stack, Text, Title } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiError, send } from '../api/http';
import { NotLoaded, reloadOnce } from './notLoaded';

/** Replaces a component that failed unexpectedly. */
export function Problem({ error, reset }: { error: unknown; reset?: () => void }) {
  const router = useRouter();
  if (error instanceof NotLoaded) {
    return <Waiting error={error} />;
  }
  return (
    <Stack p="md" role="alert" align="flex-start">
      <Title order={2}>Something went wrong here</Title>
      <Text>{error instanceof Error ? error.message : String(error)}</Text>
      {error instanceof ApiError && error.requestId && <Text c="dimmed">Request {error.requestId}</Text>}
      <Button
        onClick={() => {
          reset?.();
          void router.invalidate();
        }}
      >
        Reload this panel
      </Button>
    </Stack>
  );
}

/** The pause between two questions whether the server is there, in milliseconds. */
const pause = 2000;

/** Waits until the server answers, and reloads the page then: its parts may be of another version by now. */
function Waiting({ error }: { error: Error }) {
  const [tries, setTries] = useState(0);
  const [there, setThere] = useState(false);
  useEffect(() => {
    const wait = setTimeout(
      () =>
        send('/ui/config.json', { patience: 5000 }).then(
          () => !reloadOnce() && setThere(true),
          () => setTries(tries + 1),
        ),
      tries === 0 ? 0 : pause,
    );
    return () => clearTimeout(wait);
  }, [tries]);
  return (
    <Stack p="md" role="alert" align="flex-start">
      <Title order={2}>{there ? 'Something went wrong here' : 'The server does not answer'}</Title>
      <Text>{there ? error.message : 'This page comes by itself as soon as it does.'}</Text>
      {there && <Button onClick={() => location.reload()}>Reload the page</Button>}
    </Stack>
  );
}
