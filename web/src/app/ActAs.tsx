import { Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { Dialog } from '../ui/Dialog';
import { Finder } from '../ui/Finder';
import { findPeople } from './admin';
import { actAs } from './identity';
import { actInService, type Records } from './session';
import { useToasts } from './Toasts';

interface Props {
  env: string;
  service?: Records; // messaging without it
  close: () => void;
}

/** A dialog that selects the person this tab acts as. */
export function ActAsDialog({ env, service, close }: Props) {
  const toasts = useToasts();
  const navigate = useNavigate();
  const find = useCallback(
    (query: string) =>
      findPeople(env, { query }, service).then((people) =>
        people.map((p) => ({
          key: `${p.tenant} ${p.id}`,
          title: p.name || p.handle,
          detail: `@${p.handle}, ${p.tenant_name}`,
          choose: () =>
            void (service ? actInService(env, service, p.id, p.tenant) : actAs(env, p.id, p.tenant)).then(
              () => {
                close();
                if (!service) {
                  void navigate({ to: '/e/$env/messaging', params: { env } });
                }
              },
              (e) => toasts.failed(e),
            ),
        })),
      ),
    [env, service, close, navigate, toasts],
  );
  return (
    <Dialog title="Act as" close={close}>
      <Text size="sm" c="dimmed" mb="xs">
        What you do is done in their name, and recorded like a real client's. Looking leaves no trace.
      </Text>
      <Finder
        label="Find a person"
        placeholder="Name, handle or e-mail address"
        find={find}
        empty="Nobody by that name."
      />
    </Dialog>
  );
}
