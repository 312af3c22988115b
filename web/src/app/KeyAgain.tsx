import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Dialog } from '../ui/Dialog';
import { KeyForm } from './SignIn';

/** Asks for the new admin key over the page after a rotation, so that unsaved text is not lost. */
export function KeyAgain({ env }: { env: string }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const next = location.pathname + location.search;
  return (
    <Dialog
      title="The admin key was changed"
      close={() => void navigate({ to: '/sign-in', search: { env, by: 'key', next } as never })}
    >
      <Text mb="sm">The key that this page was opened with is not good any more.</Text>
      <KeyForm env={env} arrived={() => void queries.invalidateQueries()} />
    </Dialog>
  );
}
