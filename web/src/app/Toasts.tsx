import { ActionIcon, Button, Paper, Text } from '@mantine/core';
import { X } from 'lucide-react';
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import { ApiError } from '../api/http';
import { Countdown, waitOf } from '../ui/Countdown';

interface Toast {
  id: number;
  kind: 'done' | 'failed';
  text: string;
  detail?: string;
  again?: () => void;
  wait?: number; // seconds until it is retried automatically
}

interface Toaster {
  done: (text: string) => void;
  failed: (e: unknown, again?: () => void) => void;
}

const Context = createContext<Toaster>({ done: () => undefined, failed: () => undefined });

export const useToasts = (): Toaster => useContext(Context);

let next = 1;

/** Shows messages about results and failures. They stay until dismissed. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const add = useCallback((t: Omit<Toast, 'id'>) => setToasts((old) => [...old.slice(-3), { ...t, id: next++ }]), []);
  const dismiss = (id: number): void => setToasts((old) => old.filter((t) => t.id !== id));
  const toaster = useMemo<Toaster>(
    () => ({
      done: (text) => add({ kind: 'done', text }),
      failed: (e, again) => {
        const error = e instanceof Error ? e : new Error(String(e));
        const id = error instanceof ApiError && error.requestId ? `Request ${error.requestId}` : undefined;
        add({ kind: 'failed', text: error.message, detail: id, again, wait: again && waitOf(error) });
      },
    }),
    [add],
  );
  return (
    <Context.Provider value={toaster}>
      {children}
      <div className="toasts">
        <div role="status">
          {toasts.map((t) => t.kind === 'done' && <Entry key={t.id} toast={t} dismiss={() => dismiss(t.id)} />)}
        </div>
        {toasts.map(
          (t) =>
            t.kind === 'failed' && (
              <div role="alert" key={t.id}>
                <Entry toast={t} dismiss={() => dismiss(t.id)} />
              </div>
            ),
        )}
      </div>
    </Context.Provider>
  );
}

function Entry({ toast, dismiss }: { toast: Toast; dismiss: () => void }) {
  const again = (): void => {
    dismiss();
    toast.again?.();
  };
  return (
    <Paper withBorder shadow="md" p="xs" className={`toast ${toast.kind}`}>
      <div>
        <Text size="md">{toast.text}</Text>
        {toast.detail && (
          <Text size="sm" c="dimmed">
            {toast.detail}
          </Text>
        )}
        {!!toast.wait && (
          <Text size="sm">
            <Countdown seconds={toast.wait} what="Tried again" act={again} />
          </Text>
        )}
        {toast.again && (
          <Button size="compact-sm" variant="light" onClick={again}>
            Try again
          </Button>
        )}
      </div>
      <ActionIcon variant="subtle" color="gray" aria-label="Dismiss" onClick={dismiss}>
        <X size={16} />
      </ActionIcon>
    </Paper>
  );
}
