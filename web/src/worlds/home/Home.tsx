import { formatStamp } from '../../app/locale';
import { Page } from '../../ui/Page';
import { useEnv, useEnvironment } from '../api';

/** One environment. */
export function Home() {
  const env = useEnv();
  const found = useEnvironment(env);
  return (
    <Page title={found.data?.name || env} env={env}>
      <p>{found.data && formatStamp(new Date(found.data.created_at))}</p>
    </Page>
  );
}
