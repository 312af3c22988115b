import { Anchor, Button, TextInput } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { Dialog } from '../ui/Dialog';
import { Finder } from '../ui/Finder';
import { adminKey, findEnvironments } from './admin';

interface Props {
  env: string;
  close: () => void;
}

/** A dialog that opens another environment: by name with the admin key, otherwise by id. */
export function EnvironmentDialog({ env, close }: Props) {
  const navigate = useNavigate();
  const open = useCallback(
    (id: string): void => {
      close();
      const area = location.pathname.split('/')[4] ?? 'messaging';
      void navigate({ href: `/e/${encodeURIComponent(id)}/${area}` });
    },
    [close, navigate],
  );
  const find = useCallback(
    (q: string) =>
      findEnvironments(q).then((list) =>
        list.map((e) => ({
          key: e.id,
          title: e.name || e.id,
          detail: e.id === env ? 'this one' : e.name ? e.id : '',
          choose: () => open(e.id),
        })),
      ),
    [env, open],
  );
  return (
    <Dialog title="Environments" close={close}>
      {adminKey() ? (
        <Finder
          label="Find environment"
          placeholder="Name or id"
          find={find}
          empty="No environment by that name. Manage environments creates one."
        />
      ) : (
        <ById env={env} open={open} />
      )}
      <Anchor component={Link} to="/worlds" onClick={close}>
        Manage environments
      </Anchor>
    </Dialog>
  );
}

function ById({ env, open }: { env: string; open: (id: string) => void }) {
  const [id, setId] = useState('');
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        open(id.trim() || 'default');
      }}
    >
      <TextInput
        role="combobox"
        aria-expanded={false}
        label="Find environment"
        description={`This is ${env}. Without the admin key, give the id of another one.`}
        value={id}
        onChange={(e) => setId(e.currentTarget.value)}
        data-autofocus
      />
      <Button type="submit" my="sm">
        Open
      </Button>
    </form>
  );
}
