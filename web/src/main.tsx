import './app/locale';
import './app/components';
import './styles.css';
import { setNonce } from 'get-nonce';
import { lazy, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App';
import { takeFragment } from './app/fragment';
import { applyTheme } from './app/theme';

// The fragment may contain a key. It is removed from the URL before anything else runs.
const arrival = takeFragment();

export const nonce = document.querySelector<HTMLMetaElement>('meta[name=nonce]')?.content ?? '';
setNonce(nonce);
applyTheme();

// Outside of /ui/ the page is served at a GraphQL endpoint, as its console.
const Standalone = lazy(() => import('./graphql/Standalone'));
const inApp = /^\/ui(\/|$)/.test(location.pathname);

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    inApp ? (
      <App nonce={nonce} arrival={arrival} />
    ) : (
      <Suspense>
        <Standalone nonce={nonce} />
      </Suspense>
    ),
  );
}
