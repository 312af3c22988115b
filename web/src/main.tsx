import './app/locale';
import './app/components';
import './styles.css';
import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { App } from './app/App';
import { takeFragment } from './app/fragment';
import { applyTheme } from './app/theme';

// The fragment may hold a key: it leaves the address before anything else runs.
const arrival = takeFragment();

export const nonce = document.querySelector<HTMLMetaElement>('meta[name=nonce]')?.content ?? '';
setNonce(nonce);
applyTheme();

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(<App nonce={nonce} arrival={arrival} />);
}
