import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Dialog } from '../../ui/Dialog';
import { placeOf } from '../api';
import { CopyCredentials, CredentialList, Snippets } from '../credentials/Credentials';
import type { Credentials } from '../credentials/view';

/** Shows the credentials of a new environment. */
export function MadeDialog({ all, close }: { all: Credentials; close: () => void }) {
  const navigate = useNavigate();
  const env = String(all.id);
  return (
    <Dialog title="Credentials" close={close} size="lg">
      <p role="status">The environment {env} is ready.</p>
      <CopyCredentials env={env} all={all} />
      <Snippets all={all} />
      <CredentialList all={all} />
      <div className="buttons">
        <Button
          onClick={() => {
            close();
            void navigate({ href: placeOf(env) });
          }}
        >
          Open environment
        </Button>
        <Button variant="default" onClick={close}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
