import { Dialog } from './Dialog';

/** Shows a value as JSON. */
export function JsonDialog({ title, value, close }: { title: string; value: unknown; close: () => void }) {
  return (
    <Dialog title={title} close={close} size="lg">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions are reachable by keyboard */}
      <pre className="json" tabIndex={0}>
        {JSON.stringify(value, null, 2)}
      </pre>
    </Dialog>
  );
}
