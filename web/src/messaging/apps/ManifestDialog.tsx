import { Button, NativeSelect, Skeleton } from '@mantine/core';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { Dialog } from '../../ui/Dialog';
import { ProblemText } from '../../ui/ProblemText';
import { useKeptText } from '../../ui/useKeptText';
import { faultsOf, readManifest, templates } from './manifests';

const Editor = lazy(() => import('../../ui/Editor'));

interface Props {
  draft: string; // the storage key of the text
  title: string;
  act: string;
  text?: string; // initial text; a template if absent
  submit: (manifest: unknown) => Promise<void>;
  close: () => void;
}

/** A dialog with an editor for a manifest in JSON or YAML. */
export function ManifestDialog({ draft, title, act, text: begun, submit, close }: Props) {
  const [text, setText, drop] = useKeptText(draft, begun ?? templates.Bot);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const send = async (e: FormEvent): Promise<void> => {
    e.preventDefault();
    setBusy(true);
    setProblem('');
    try {
      await submit(await readManifest(text));
      drop();
    } catch (e) {
      setProblem((e as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      close={() => {
        drop();
        close();
      }}
      size="lg"
    >
      <form onSubmit={send}>
        {begun === undefined && (
          <NativeSelect
            label="Template"
            data={Object.keys(templates)}
            onChange={(e) => setText(templates[e.currentTarget.value] ?? '')}
          />
        )}
        <p className="field-name">
          Manifest <span className="dimmed">JSON or YAML</span>
        </p>
        <Suspense fallback={<Skeleton h={240} />}>
          <Editor label="Manifest" language="yaml" value={text} change={setText} check={faultsOf} />
        </Suspense>
        <ProblemText>{problem}</ProblemText>
        <Button type="submit" mt="sm" loading={busy}>
          {act}
        </Button>
      </form>
    </Dialog>
  );
}
