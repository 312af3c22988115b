import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ApiError } from '../api/http';
import { makeRouter } from '../routes';
import type { Arrival } from './fragment';
import { ToastProvider } from './Toasts';
import { chosenScheme, theme, variables } from './theme';

/** Reports whether a read is worth repeating immediately: not if the service replied with an error. */
const isWorthRetrying = (failures: number, e: Error): boolean =>
  failures < 1 && !(e instanceof ApiError && e.status < 500);

export function App({ nonce, arrival }: { nonce: string; arrival: Arrival }) {
  const queries = useMemo(
    () =>
      new QueryClient({
        defaultOptions: { queries: { retry: isWorthRetrying, staleTime: 10_000, refetchOnWindowFocus: false } },
      }),
    [],
  );
  const router = useMemo(() => makeRouter(arrival), [arrival]);
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme={chosenScheme()}
      getStyleNonce={() => nonce}
      cssVariablesResolver={variables}
    >
      <QueryClientProvider client={queries}>
        <ToastProvider>
          <RouterProvider router={router} />
        </ToastProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}
