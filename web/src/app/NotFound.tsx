import { Link } from '@tanstack/react-router';
import { Page } from '../ui/Page';
import { Frame } from './Frame';
import { lastEnv } from './lastEnv';

export function NotFound() {
  return (
    <Frame env={lastEnv()} area="">
      <Page title="There is no such page">
        <p>The address may be mistyped, or of an area that this build does not have.</p>
        <Link to="/">Go to the start</Link>
      </Page>
    </Frame>
  );
}
