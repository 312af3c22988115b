import { Button, Stack, Text, Title } from '@mantine/core';
import { useParams, useRouter } from '@tanstack/react-router';
import { ApiError } from '../api/http';
import { Gone } from './Gone';

/** Reports whether a call failed because its environment is not there. */
export const isGone = (error: unknown): boolean => error instanceof ApiError && error.code === 'environment_not_found';

/** What stands where a component failed unexpectedly. */
export function Problem({ error, reset }: { error: unknown; reset?: () => void }) {
  const router = useRouter();
  const { env } = useParams({ strict: false }) as { env?: string };
  if (isGone(error)) {
    return <Gone env={env} />;
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
