import { Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { basePath, type Service } from '../api/base';
import { Page } from '../ui/Page';
import { Frame } from './Frame';
import { useWorldClock } from './worldClock';

function Docs({ href, children }: { href: string; children: string }) {
  return (
    <li>
      <a href={href} target="_blank" rel="noreferrer">
        {children}
      </a>
    </li>
  );
}

/** Links to the API docs of all services of this environment. */
export function ApiDocs() {
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const world = useWorldClock(env);
  const docs = (s: Service): string => `${basePath(env, s)}/api/docs`;
  return (
    <Frame env={env} area="API docs" clock={world.clock} clockChanged={world.changed}>
      <Page title="API docs" env={env}>
        <ul className="plain-list">
          <Docs href={docs('messaging')}>Messaging</Docs>
          <Docs href={docs('crm')}>CRM</Docs>
          <Docs href={docs('tracker')}>Tracker</Docs>
          <Docs href={docs('ingest')}>Ingestion</Docs>
          <Docs href="/admin/v1/docs">Admin plane</Docs>
        </ul>
        <Text>
          Tool servers for agents (Model Context Protocol) answer at {basePath(env, 'messaging')}/mcp and{' '}
          {basePath(env, 'tracker')}/mcp.
        </Text>
      </Page>
    </Frame>
  );
}
