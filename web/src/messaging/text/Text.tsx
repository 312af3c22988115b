import { Fragment, type ReactNode } from 'react';
import { formatDay, formatTime } from '../../app/locale';
import { useMessaging, useShown } from '../context';
import { charOf, useEmoji } from '../emoji/emoji';
import { channelName } from '../state';
import type { Block } from '../types';
import { nameOf } from '../types';
import { type BlockNode, type Inline, parseMrkdwn, type Style } from './mrkdwn';

/** Draws stored message text. */
export function Text({ text }: { text: string }) {
  return <Nodes nodes={parseMrkdwn(text)} />;
}

function Nodes({ nodes }: { nodes: BlockNode[] }) {
  return nodes.map((n, i) => {
    const key = `${n.type}${i}`;
    switch (n.type) {
      case 'preformatted':
        return <pre key={key}>{n.text}</pre>;
      case 'quote':
        return (
          <blockquote key={key}>
            <Inlines inlines={n.inlines} />
          </blockquote>
        );
      case 'list': {
        const List = n.ordered ? 'ol' : 'ul';
        return (
          <List key={key}>
            {n.items.map((item, j) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the items of a message do not move
              <li key={j}>
                <Inlines inlines={item} />
              </li>
            ))}
          </List>
        );
      }
      default:
        return (
          <p key={key}>
            <Inlines inlines={n.inlines} />
          </p>
        );
    }
  });
}

function styled(style: Style | undefined, children: ReactNode): ReactNode {
  let out = children;
  if (style?.code) {
    out = <code>{out}</code>;
  }
  if (style?.strike) {
    out = <s>{out}</s>;
  }
  if (style?.italic) {
    out = <em>{out}</em>;
  }
  if (style?.bold) {
    out = <strong>{out}</strong>;
  }
  return out;
}

export function Inlines({ inlines }: { inlines: Inline[] }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message do not move
  return inlines.map((n, i) => <Fragment key={i}>{styled(n.style, <One node={n} />)}</Fragment>);
}

function One({ node }: { node: Inline }) {
  switch (node.type) {
    case 'text':
      return node.text;
    case 'link':
      return <SafeLink url={node.url}>{node.text}</SafeLink>;
    case 'user':
      return <Mention id={node.id} />;
    case 'channel':
      return <ChannelLink id={node.id} text={node.text} />;
    case 'broadcast':
      return <mark className="mention">@{node.range}</mark>;
    case 'date':
      return <DateText {...node} />;
    case 'emoji':
      return <EmojiText name={node.name} />;
  }
}

/** A link in a message. It allows only http, https and mailto, and opens a new tab. */
export function SafeLink({ url, children }: { url: string; children: ReactNode }) {
  if (!/^(https?:|mailto:)/i.test(url)) {
    return children;
  }
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function Mention({ id }: { id: string }) {
  const { store, openProfile } = useMessaging();
  const user = useShown((s) => s.people.get(id));
  if (!user) {
    store.want(id);
  }
  return (
    <button type="button" className={id === store.me ? 'mention mine' : 'mention'} onClick={() => openProfile(id)}>
      @{nameOf(user) || id}
    </button>
  );
}

function ChannelLink({ id, text }: { id: string; text?: string }) {
  const { store, hrefOf, go } = useMessaging();
  const known = useShown((s) => channelName(s, id));
  const name = text || known || id;
  if (name === id) {
    store.wantChannel(id);
  }
  return (
    <a
      className="mention"
      href={hrefOf(id)}
      onClick={(e) => {
        e.preventDefault();
        go(id);
      }}
    >
      #{name}
    </a>
  );
}

export function EmojiText({ name }: { name: string }) {
  useEmoji();
  const char = charOf(name);
  return char ? (
    <span role="img" aria-label={name} title={`:${name}:`} className="emoji">
      {char}
    </span>
  ) : (
    `:${name}:`
  );
}

function DateText({ timestamp, format, fallback }: { timestamp: number; format: string; fallback: string }) {
  const at = new Date(timestamp * 1000);
  if (Number.isNaN(at.getTime())) {
    return fallback;
  }
  const text = format.replace(/\{(\w+)\}/g, (whole, token: string) => {
    if (token.startsWith('time')) {
      return formatTime(at);
    }
    return token.startsWith('date') ? formatDay(at, new Date(0)) : whole;
  });
  return <time dateTime={at.toISOString()}>{text || fallback}</time>;
}

/** Draws a rich_text block. */
export function RichText({ block }: { block: Block }) {
  const elements = Array.isArray(block.elements) ? (block.elements as Block[]) : [];
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message do not move
  return elements.map((e, i) => <RichElement key={i} element={e} />);
}

function RichElement({ element }: { element: Block }) {
  const parts = Array.isArray(element.elements) ? (element.elements as Block[]) : [];
  switch (element.type) {
    case 'rich_text_preformatted':
      return <pre>{parts.map((p) => p.text ?? p.url ?? '').join('')}</pre>;
    case 'rich_text_quote':
      return (
        <blockquote>
          <Inlines inlines={parts.map(richInline)} />
        </blockquote>
      );
    case 'rich_text_list': {
      const List = element.style === 'ordered' ? 'ol' : 'ul';
      const start = element.style === 'ordered' && element.offset ? Number(element.offset) + 1 : undefined;
      return (
        <List start={start} className={`indent-${Math.min(Number(element.indent ?? 0), 5)}`}>
          {parts.map((p, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the items of a message do not move
            <li key={i}>
              <Inlines inlines={(Array.isArray(p.elements) ? (p.elements as Block[]) : []).map(richInline)} />
            </li>
          ))}
        </List>
      );
    }
    default:
      return (
        <p>
          <Inlines inlines={parts.map(richInline)} />
        </p>
      );
  }
}

function richInline(e: Block): Inline {
  const style = (e.style ?? undefined) as Style | undefined;
  switch (e.type) {
    case 'link':
      return { type: 'link', url: String(e.url ?? ''), text: String(e.text ?? e.url ?? ''), style };
    case 'user':
      return { type: 'user', id: String(e.user_id ?? ''), style };
    case 'channel':
      return { type: 'channel', id: String(e.channel_id ?? ''), style };
    case 'broadcast':
      return { type: 'broadcast', range: String(e.range ?? 'here'), style };
    case 'emoji':
      return { type: 'emoji', name: String(e.name ?? '') + (e.skin_tone ? `::skin-tone-${e.skin_tone}` : ''), style };
    case 'date':
      return {
        type: 'date',
        timestamp: Number(e.timestamp),
        format: String(e.format ?? ''),
        fallback: String(e.fallback ?? ''),
        style,
      };
    default:
      return { type: 'text', text: String(e.text ?? ''), style };
  }
}
