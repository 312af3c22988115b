import { Button } from '@mantine/core';
import { useToasts } from '../../app/Toasts';
import { Dialog } from '../../ui/Dialog';

interface Props {
  secrets: [name: string, value: string | undefined][];
  warnings?: string[];
  close: () => void;
}

/** Shows secrets this once; they are kept nowhere. */
export function SecretsDialog({ secrets, warnings = [], close }: Props) {
  const toasts = useToasts();
  const copy = (name: string, value: string): void => {
    navigator.clipboard?.writeText(value).then(
      () => toasts.done(`The ${name} was copied.`),
      (e) => toasts.failed(e),
    );
  };
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
                  <Button size="compact-sm" variant="default" onClick={() => copy(name.toLowerCase(), value)}>
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
