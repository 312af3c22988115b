// biome-ignore-all lint/suspicious/noArrayIndexKey: a text is drawn anew as a whole
import { Lexer, type Token, type Tokens } from 'marked';
import { createElement, Fragment, type ReactNode, useMemo } from 'react';

const safe = /^(https?:|mailto:)/i;

/** The deepest level that is rendered, because a text of a million brackets has a million levels. */
const deepest = 40;

/** Renders a Markdown text. HTML is shown as text, images become links, and links allow only http, https and mailto. */
export default function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => new Lexer({ gfm: true }).lex(text.replaceAll('\0', '\uFFFD')), [text]);
  return <div className="markdown">{blocks(tokens, 0)}</div>;
}

function blocks(tokens: Token[], depth: number): ReactNode[] {
  return tokens.map((t, n) => <Fragment key={`${n} ${t.type}`}>{draw(t as Tokens.Generic, depth)}</Fragment>);
}

function inside(t: Tokens.Generic, depth: number): ReactNode {
  return t.tokens && depth < deepest ? blocks(t.tokens, depth + 1) : unescaped(String(t.text ?? t.raw));
}

function draw(t: Tokens.Generic, depth: number): ReactNode {
  switch (t.type) {
    case 'space':
    case 'def':
      return null;
    case 'paragraph':
      return <p>{inside(t, depth)}</p>;
    case 'heading':
      return createElement(`h${Math.min(t.depth + 2, 6)}`, null, inside(t, depth));
    case 'strong':
      return <strong>{inside(t, depth)}</strong>;
    case 'em':
      return <em>{inside(t, depth)}</em>;
    case 'del':
      return <del>{inside(t, depth)}</del>;
    case 'codespan':
      return <code>{t.text}</code>;
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
        <pre tabIndex={0}>{t.text}</pre>
      );
    case 'blockquote':
      return <blockquote>{inside(t, depth)}</blockquote>;
    case 'hr':
      return <hr />;
    case 'br':
      return <br />;
    case 'link':
      return link(t.href, inside(t, depth));
    case 'image':
      return link(t.href, `Image: ${unescaped(t.text) || t.href}`);
    case 'list':
      return list(t as Tokens.List, depth);
    case 'table':
      return table(t as Tokens.Table, depth);
    case 'text':
      return inside(t, depth);
    case 'escape':
      return t.text;
    default:
      return <span className="raw">{t.raw}</span>; // HTML, as it is written
  }
}

function link(href: string, children: ReactNode): ReactNode {
  return safe.test(href) ? (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ) : (
    <span title={href}>{children}</span>
  );
}

function list(t: Tokens.List, depth: number): ReactNode {
  if (depth >= deepest) {
    return t.raw;
  }
  const items = t.items.map((item, n) => (
    <li key={n} className={item.task ? 'task' : undefined}>
      {item.task && (
        <span role="img" aria-label={item.checked ? 'Done: ' : 'To do: '}>
          {item.checked ? '☑' : '☐'}{' '}
        </span>
      )}
      {blocks(
        item.tokens.filter((x) => x.type !== 'checkbox'),
        depth + 1,
      )}
    </li>
  ));
  return t.ordered ? <ol start={Number(t.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function table(t: Tokens.Table, depth: number): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
    <div className="wide" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {t.header.map((c, n) => (
              <th key={n}>{blocks(c.tokens, depth + 1)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {t.rows.map((row, n) => (
            <tr key={n}>
              {row.map((c, m) => (
                <td key={m}>{blocks(c.tokens, depth + 1)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

/** Removes the entities that the Markdown parser inserts. */
const unescaped = (text: string): string => text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (e) => entities[e] ?? e);
