import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const teal: MantineColorsTuple = [
  '#e6f4f3',
  '#cfe7e5',
  '#a3d1cd',
  '#73bab4',
  '#4aa69f',
  '#2f9991',
  '#1f8f86',
  '#0e7a72',
  '#036b64',
  '#005c55',
];

export const theme = createTheme({
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  primaryColor: 'teal',
  primaryShade: { light: 8, dark: 7 },
  colors: { teal },
  defaultRadius: 4,
  fontSizes: { xs: '11px', sm: '12px', md: '13px', lg: '15px', xl: '18px' },
  lineHeights: { md: '20px' },
  focusRing: 'auto',
  respectReducedMotion: true,
});

// The components use the same warm greys as the pages, dark enough to be readable.
const shared = {
  '--mantine-color-dimmed': 'var(--dim)',
  '--mantine-color-placeholder': 'var(--dim)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-body': 'var(--ground)',
  '--mantine-color-error': 'var(--bad)',
  // The text of a red button is white in both themes.
  '--mantine-color-red-filled': '#b3261e',
  '--mantine-color-red-filled-hover': '#951f18',
};

export const variables: CSSVariablesResolver = () => ({ variables: {}, light: shared, dark: shared });

export type Scheme = 'auto' | 'light' | 'dark';
const place = 'us.theme';

export function chosenScheme(): Scheme {
  const stored = localStorage.getItem(place);
  return stored === 'light' || stored === 'dark' ? stored : 'auto';
}

export function chooseScheme(scheme: Scheme): void {
  localStorage.setItem(place, scheme);
  applyTheme();
}

/** Sets the colour scheme of the document before the first render. */
export function applyTheme(): void {
  const scheme = chosenScheme();
  const dark = scheme === 'dark' || (scheme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
}
