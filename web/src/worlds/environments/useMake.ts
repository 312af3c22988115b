import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { adminCall } from '../../app/admin';
import type { Credentials } from '../credentials/view';

/** Returns a mutation that creates an environment by a route of the admin plane. */
export function useMake(path: string) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Error>();
  const [made, setMade] = useState<Credentials>();
  const make = (body: object): void => {
    setBusy(true);
    setRefused(undefined);
    adminCall<Credentials>(path, { body })
      .then(setMade, setRefused)
      .finally(() => {
        setBusy(false);
        void queries.invalidateQueries({ queryKey: ['environments'] }); // a refusal may mean that one of them is gone
      });
  };
  return { make, busy, refused, made };
}
