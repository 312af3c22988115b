import { useCallback } from 'react';
import { basePath } from '../api/base';
import { ensureService } from '../app/session';
import { Page } from '../ui/Page';
import { Console } from './Console';

/** The GraphQL console of the tracker, used as the person of this tab. */
export function GraphQLPage({ env }: { env: string }) {
  const base = basePath(env, 'tracker');
  const token = useCallback(() => ensureService(env, 'tracker').then((p) => p?.token), [env]);
  return (
    <Page title="GraphQL console" env={env}>
      <Console endpoint={`${base}/graphql`} schemaPath={`${base}/schema.graphql`} token={token} />
    </Page>
  );
}
