import { Button, NativeSelect, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Dialog } from '../../ui/Dialog';
import { readManifest, templates } from './manifests';

interface Props {
  title: string;
  act: string;
  text?: string; // without it one begins with a template
  submit: (manifest: unknown) => Promise<void>;
  close: () => void;
}

/** Where a manifest is written, JSON or YAML. */
export function ManifestDialog({ title, act, text: begun, submit, close }: Props) {
  const [text, setText] = useState(begun ?? templates.Bot ?? '');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const send = async (e: FormEvent): Promise<void> => {
    e.preventDefault();
    setBusy(true);
    setProblem('');
    try {
      await submit(await readManifest(text));
    } catch (e) {
      setProblem((e as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} close={close} size="lg">
      <form onSubmit={send}>
        {begun === undefined && (
          <NativeSelect
            label="Template"
            data={Object.keys(templates)}
            onChange={(e) => setText(templates[e.currentTarget.value] ?? '')}
          />
        )}
        <Textarea
          mt="xs"
          label="Manifest"
          description="JSON or YAML"
          autosize
          minRows={12}
          maxRows={20}
          spellCheck={false}
          className="manifest"
          data-autofocus
          value={text}
          onChange={(e) => setText(e.currentTarget.value)}
        />
        {problem && (
          <p role="alert" className="problem">
            {problem}
          </p>
        )}
        <Button type="submit" mt="sm" loading={busy}>
          {act}
        </Button>
      </form>
    </Dialog>
  );
}
