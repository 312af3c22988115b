import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { adminKey } from './admin';
import { causeOf } from './cause';
import { useToasts } from './Toasts';

interface Props {
  env: string;
  service: string;
  entity: string;
  id: string;
}

/** A button that opens the request that last wrote an object. It needs the admin key, and is absent without it. */
export function ShowCause({ env, service, entity, id }: Props) {
  const navigate = useNavigate();
  const toasts = useToasts();
  const [busy, setBusy] = useState(false);
  if (!adminKey()) {
    return null;
  }
  const show = (): void => {
    setBusy(true);
    causeOf(env, service, entity, id)
      .then(
        (href) => navigate({ href }),
        (e) => toasts.failed(e),
      )
      .finally(() => setBusy(false));
  };
  return (
    <Button size="compact-sm" variant="default" loading={busy} onClick={show}>
      Show cause
    </Button>
  );
}
