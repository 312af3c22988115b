import { ActionIcon, Button, Tabs } from '@mantine/core';
import { X } from 'lucide-react';
import { useState } from 'react';
import { formatBytes } from '../app/locale';
import type { TraceEvent } from './api';
import { formatDuration, readable } from './format';

/** Above so many characters a payload is cut until someone asks for all of it. */
const most = 256 * 1024;

/** One event of a trace. */
export function EventDetails({ event: e, close }: { event: TraceEvent; close: () => void }) {
  return (
    <aside aria-label="Event details" className="pane" data-region>
      <div className="heading">
        <h2>{e.primitive_name}</h2>
        <ActionIcon variant="subtle" color="gray" size={32} aria-label="Close details" onClick={close}>
          <X size={16} />
        </ActionIcon>
      </div>
      <div className="pad scroller">
        <dl className="facts">
          <dt>Status</dt>
          <dd>{e.success === null ? 'running' : e.success ? 'succeeded' : 'failed'}</dd>
          <dt>Duration</dt>
          <dd>{formatDuration(e.latency)}</dd>
          {e.model && (
            <>
              <dt>Model</dt>
              <dd>{e.model}</dd>
            </>
          )}
        </dl>
        <Tabs defaultValue="output" keepMounted={false}>
          <Tabs.List aria-label="Parts of the event">
            <Tabs.Tab value="input">Input</Tabs.Tab>
            <Tabs.Tab value="output">Output</Tabs.Tab>
            <Tabs.Tab value="checkpoints">Checkpoints</Tabs.Tab>
            <Tabs.Tab value="metadata">Metadata</Tabs.Tab>
            <Tabs.Tab value="raw">Raw</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="input">
            <Payload text={readable(e.args)} />
          </Tabs.Panel>
          <Tabs.Panel value="output">
            <Payload text={readable(e.result)} />
          </Tabs.Panel>
          <Tabs.Panel value="checkpoints">
            {e.checkpoints.length === 0 && <p className="dimmed">This event has no checkpoints.</p>}
            <ul className="plain-list">
              {e.checkpoints.map((c) => (
                <li key={`${c.name} ${c.offset_ms}`}>
                  {c.name} <span className="dimmed">{formatDuration(c.offset_ms)}</span>
                </li>
              ))}
            </ul>
          </Tabs.Panel>
          <Tabs.Panel value="metadata">
            <Payload text={readable(e.metadata)} />
          </Tabs.Panel>
          <Tabs.Panel value="raw">
            <Payload text={JSON.stringify({ ...e, children: undefined }, null, 2)} />
          </Tabs.Panel>
        </Tabs>
      </div>
    </aside>
  );
}

function Payload({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  return (
    <>
      <Button size="compact-sm" variant="subtle" onClick={() => void navigator.clipboard?.writeText(text)}>
        Copy
      </Button>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard */}
      <pre className="json" tabIndex={0}>
        {all ? text : text.slice(0, most)}
      </pre>
      {!all && text.length > most && (
        <Button size="compact-sm" variant="default" onClick={() => setAll(true)}>
          Show all {formatBytes(text.length)}
        </Button>
      )}
    </>
  );
}
