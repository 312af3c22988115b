import { MantineProvider } from '@mantine/core';
import { Mark } from '../app/Mark';
import { chosenScheme, theme, variables } from '../app/theme';
import { useTitle } from '../app/title';
import { Console } from './Console';

/** The console without the rest of the UI, as browsers receive it at the URL of a GraphQL endpoint. */
export default function Standalone({ nonce }: { nonce: string }) {
  useTitle('GraphQL console');
  const endpoint = location.pathname;
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme={chosenScheme()}
      getStyleNonce={() => nonce}
      cssVariablesResolver={variables}
    >
      <main className="page" aria-labelledby="heading">
        <h1 id="heading">
          <Mark size={20} /> GraphQL console
        </h1>
        <p>
          Operations are posted to <code>{endpoint}</code> with the headers below: an API key or an access token as
          Authorization.
        </p>
        <Console endpoint={endpoint} schemaPath={endpoint.replace(/graphql$/, 'schema.graphql')} />
      </main>
    </MantineProvider>
  );
}
