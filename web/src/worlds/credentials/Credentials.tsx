import '@mantine/core/styles/Tabs.layer.css';
import { Button, Tabs } from '@mantine/core';
import { useState } from 'react';
import { adminCall } from '../../app/admin';
import { Copy } from '../../ui/Copy';
import { pathOf } from '../api';
import { type Credentials, isSecret, partsOf, snippetsOf } from './view';

/** Reads credentials as environment variables. */
export const asVariables = (env: string): Promise<string> =>
  adminCall<string>(pathOf(env, '/credentials?format=env'), { as: 'text' });

interface Props {
  env: string;
  all: Credentials;
}

/** Buttons that copy credentials in the formats that programs use. */
export function CopyCredentials({ env, all }: Props) {
  return (
    <div className="buttons">
      <Copy text={() => asVariables(env)}>Copy as .env</Copy>
      <Copy text={() => JSON.stringify(all, null, 2)}>Copy as JSON</Copy>
      <Copy text={() => adminCall(pathOf(env, '/credentials?format=mcp')).then((v) => JSON.stringify(v, null, 2))}>
        Copy as MCP configuration
      </Copy>
    </div>
  );
}

/** Credentials by service. Secrets are masked until they are revealed. */
export function CredentialList({ all }: { all: Credentials }) {
  return partsOf(all).map(([service, values]) => (
    <section key={service} aria-label={service}>
      <h2 className={`service ${service}`}>{service}</h2>
      <dl className="facts">
        {values.map(([field, value]) => (
          <Field key={field} service={service} field={field} value={value} />
        ))}
      </dl>
    </section>
  ));
}

function Field({ service, field, value }: { service: string; field: string; value: unknown }) {
  const [shown, setShown] = useState(false);
  const secret = isSecret(field);
  const name = `${service} ${field.replaceAll('_', ' ')}`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return (
    <>
      <dt>{field.replaceAll('_', ' ')}</dt>
      <dd className="secret">
        {secret && !shown ? <span aria-hidden>••••••••••••</span> : <code>{text}</code>}
        {secret && (
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={`${shown ? 'Hide' : 'Show'} ${name}`}
            onClick={() => setShown(!shown)}
          >
            {shown ? 'Hide' : 'Show'}
          </Button>
        )}
        <Copy text={text} variant="subtle" aria-label={`Copy ${name}`}>
          Copy
        </Copy>
      </dd>
    </>
  );
}

/** Example calls in several languages. */
export function Snippets({ all }: { all: Credentials }) {
  const list = snippetsOf(all);
  return (
    <Tabs defaultValue="curl" mb="md">
      <Tabs.List aria-label="Language">
        {list.map(([language]) => (
          <Tabs.Tab key={language} value={language}>
            {language}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {list.map(([language, code]) => (
        <Tabs.Panel key={language} value={language}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions are reachable by keyboard */}
          <pre tabIndex={0}>{code}</pre>
          <Copy text={code}>{`Copy ${language} snippet`}</Copy>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
