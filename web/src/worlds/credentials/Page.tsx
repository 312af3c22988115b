import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { adminCall } from '../../app/admin';
import { Confirm } from '../../ui/lazy';
import { Page, Refused } from '../../ui/Page';
import { pathOf, useEnv } from '../api';
import { useChange } from '../environments/change';
import { CopyCredentials, CredentialList, Snippets } from './Credentials';
import type { Credentials } from './view';

/** The credentials of an environment. */
export function CredentialsPage() {
  const env = useEnv();
  const change = useChange();
  const [asking, setAsking] = useState(false);
  const found = useQuery({
    queryKey: ['world', env, 'credentials'],
    queryFn: () => adminCall<Credentials>(pathOf(env, '/credentials')),
    gcTime: 0, // secrets are in memory only while they are shown
  });
  return (
    <Page title="Credentials" env={env}>
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      {found.isPending && <Skeleton className="late" h={200} />}
      {found.data && (
        <>
          <CopyCredentials env={env} all={found.data} />
          <Snippets all={found.data} />
          <CredentialList all={found.data} />
          <h2>Rotate</h2>
          <p>All of them are made anew; programs that use the old ones are refused.</p>
          <Button variant="default" onClick={() => setAsking(true)}>
            Rotate credentials
          </Button>
        </>
      )}
      {asking && (
        <Confirm
          title="Rotate credentials?"
          act="Rotate"
          danger
          close={() => setAsking(false)}
          confirm={() =>
            change(() => adminCall(pathOf(env, '/credentials/rotate'), { body: {} }), 'The credentials were made anew.')
          }
        >
          <p>Tokens, keys and secrets of this environment stop working at once.</p>
        </Confirm>
      )}
    </Page>
  );
}
