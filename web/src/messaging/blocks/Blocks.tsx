import { Button } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../app/identity';
import { later } from '../../ui/later';
import { JsonDialog } from '../../ui/lazy';
import { ProblemText } from '../../ui/ProblemText';
import { Inlines, RichText, SafeLink, Text } from '../text/Text';
import type { Block, Message } from '../types';
import type { Press } from './Element';

const Element = later(() => import('./Element'), 'Element', <span className="dimmed">…</span>);

/** Renders the blocks of a message. Interactions are sent to the app that posted it. */
export function Blocks({ blocks, message, channel }: { blocks: Block[]; message: Message; channel: string }) {
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const [busy, setBusy] = useState('');
  const [problem, setProblem] = useState('');

  const press: Press = async (block, element, values) => {
    setBusy(String(element.action_id ?? ''));
    setProblem('');
    try {
      await call(env, '/api/interactions', {
        body: {
          app_id: message.app_id,
          payload: {
            type: 'block_actions',
            channel: { id: channel },
            ...(message.is_ephemeral
              ? { container: { type: 'message', message_ts: message.ts, channel_id: channel, is_ephemeral: true } }
              : { message: { ts: message.ts } }),
            actions: [
              {
                type: element.type,
                action_id: element.action_id,
                block_id: block.block_id,
                text: element.text,
                value: element.value,
                ...values,
              },
            ],
          },
        },
      });
    } catch (e) {
      setProblem(e instanceof Error ? e.message : String(e));
    } finally {
      setBusy('');
    }
  };

  return (
    <div className="blocks" aria-busy={busy !== ''}>
      {blocks.map((b, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a message do not move
        <One key={i} block={b} press={press} busy={busy} />
      ))}
      <ProblemText>{problem}</ProblemText>
    </div>
  );
}

export function TextObject({ text }: { text: Block | undefined }) {
  if (!text || typeof text.text !== 'string') {
    return null;
  }
  return text.type === 'mrkdwn' ? <Text text={text.text} /> : <Inlines inlines={[{ type: 'text', text: text.text }]} />;
}

function One({ block: b, press, busy }: { block: Block; press: Press; busy: string }) {
  switch (b.type) {
    case 'rich_text':
      return <RichText block={b} />;
    case 'section':
      return (
        <div className="section-block">
          <div>
            <TextObject text={b.text} />
            {Array.isArray(b.fields) && (
              <div className="fields">
                {b.fields.map((f: Block, i: number) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the fields of a message do not move
                  <div key={i}>
                    <TextObject text={f} />
                  </div>
                ))}
              </div>
            )}
          </div>
          {b.accessory &&
            (b.accessory.type === 'image' ? (
              <Picture image={b.accessory} />
            ) : (
              <Element block={b} element={b.accessory} press={press} busy={busy} />
            ))}
        </div>
      );
    case 'header':
      return (
        <p className="header-block">
          <TextObject text={b.text} />
        </p>
      );
    case 'divider':
      return <hr />;
    case 'markdown':
      return <Text text={String(b.text ?? '')} />;
    case 'context':
      return (
        <div className="context-block">
          {(Array.isArray(b.elements) ? b.elements : []).map((e: Block, i: number) =>
            // biome-ignore lint/suspicious/noArrayIndexKey: the elements of a message do not move
            e.type === 'image' ? <Picture key={i} image={e} /> : <TextObject key={i} text={e} />,
          )}
        </div>
      );
    case 'actions':
      return (
        <div className="actions-block">
          {(Array.isArray(b.elements) ? b.elements : []).map((e: Block, i: number) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the elements of a message do not move
            <Element key={i} block={b} element={e} press={press} busy={busy} />
          ))}
        </div>
      );
    case 'input':
      return (
        <div className="input-block">
          <Element block={b} element={b.element ?? {}} label={String(b.label?.text ?? '')} press={press} busy={busy} />
        </div>
      );
    case 'image':
      return <Picture image={b} />;
    default:
      return <Unknown block={b} />;
  }
}

/** An image as a link, because it is on another host. */
function Picture({ image }: { image: Block }) {
  const alt = String(image.alt_text || image.title?.text || 'Image');
  const url = String(image.image_url ?? image.slack_file?.url ?? '');
  return <SafeLink url={url}>{`Image: ${alt}`}</SafeLink>;
}

function Unknown({ block }: { block: Block }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <p className="dimmed">This page does not draw blocks of type {String(block.type)}.</p>
      <Button size="compact-sm" variant="default" onClick={() => setOpen(true)}>
        Show as JSON
      </Button>
      {open && <JsonDialog title={`Block of type ${String(block.type)}`} value={block} close={() => setOpen(false)} />}
    </>
  );
}
