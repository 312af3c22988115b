import '@mantine/core/styles/PasswordInput.layer.css';
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type InputHTMLAttributes, type ReactNode, type Ref, useState } from 'react';
import { ApiError } from '../api/http';
import { Countdown, waitOf } from '../ui/Countdown';

interface FormProps {
  act: string;
  submit: () => Promise<void>;
  focus?: () => void;
  children: ReactNode;
}

/** A form that shows why the server refused it. */
export function RefusableForm({ act, submit, focus, children }: FormProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const send = async (e: FormEvent): Promise<void> => {
    e.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      await submit();
    } catch (e) {
      setProblem(e);
      focus?.();
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={send}>
      <Stack gap="sm">
        {problem !== undefined && (
          <div role="alert" className="problem">
            {sentence(problem)}{' '}
            {waitOf(problem) > 0 && (
              <Countdown seconds={waitOf(problem)} what="Try again" act={() => setProblem(undefined)} />
            )}
          </div>
        )}
        {children}
        <Button type="submit" loading={busy}>
          {act}
        </Button>
      </Stack>
    </form>
  );
}

function sentence(e: unknown): string {
  if (e instanceof ApiError && e.code === 'invalid_credentials') {
    return 'The e-mail address or the password is wrong.';
  }
  if (e instanceof ApiError && e.code === 'unauthorized') {
    return 'This is not the admin key. It stands in credentials.json, under admin.';
  }
  if (e instanceof ApiError && e.status === 429) {
    return 'Too many tries.';
  }
  return e instanceof Error ? e.message : String(e);
}

type FieldProps = Pick<InputHTMLAttributes<HTMLInputElement>, 'autoComplete' | 'minLength'> & {
  label: string;
  value: string;
  onValue: (value: string) => void;
};

export const required = { required: true, withAsterisk: false };

/** The input for the e-mail address of a sign-in. */
export function EmailField({ value, onValue, field }: Omit<FieldProps, 'label'> & { field?: Ref<HTMLInputElement> }) {
  return (
    <TextInput
      ref={field}
      label="Email"
      type="email"
      autoComplete="username"
      {...required}
      value={value}
      onChange={(e) => onValue(e.currentTarget.value)}
      autoFocus={field !== undefined}
    />
  );
}

export function PasswordField({ label, value, onValue, ...more }: FieldProps) {
  return (
    <PasswordInput
      label={label}
      value={value}
      onChange={(e) => onValue(e.currentTarget.value)}
      {...required}
      {...more}
    />
  );
}
