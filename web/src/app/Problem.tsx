import { Button, Stack, Text, Title } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { ApiError } from '../api/http';

/** Replaces a component that failed unexpectedly. */
export function Problem({ error, reset }: { error: unknown; reset?: () => void }) {
  const router = useRouter();
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
