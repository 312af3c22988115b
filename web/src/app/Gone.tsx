import { Link } from '@tanstack/react-router';
import { Page } from '../ui/Page';

/** Replaces all pages of an environment that no longer exists. */
export function Gone({ env }: { env: string }) {
  return (
    <Page title="This environment is gone" env={env}>
      <p>It was deleted, its time to live is over, or it was never here.</p>
      <Link to="/worlds">All environments</Link>
    </Page>
  );
}
