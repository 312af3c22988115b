import { Button } from '@mantine/core';
import { useCopy } from '../../ui/Copy';
import { Dialog } from '../../ui/Dialog';

interface Props {
  secrets: [name: string, value: string | undefined][];
  warnings?: string[];
  close: () => void;
}

/** Shows secrets once. They are not stored. */
export function SecretsDialog({ secrets, warnings = [], close }: Props) {
  const copy = useCopy();
  return (
    <Dialog title="Keep these secrets" close={close} closeOnClickOutside={false} size="lg">
      <p>They are shown this once. Who loses them makes new ones.</p>
      <dl className="secrets">
        {secrets.map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <code>{value}</code>{' '}
                  <Button
                    size="compact-sm"
                    variant="default"
                    onClick={() => copy(value, `The ${name.toLowerCase()} was copied.`)}
                  >
                    Copy {name.toLowerCase()}
                  </Button>
                </dd>
              </div>
            ),
        )}
      </dl>
      {warnings.length > 0 && (
        <>
          <p>What the manifest asks for in vain:</p>
          <ul>
            {warnings.map((w) => (
              <li key={w}>{w}</li>
            ))}
          </ul>
        </>
      )}
      <Button onClick={close} data-autofocus>
        I have kept them
      </Button>
    </Dialog>
  );
}
