import { Button, Skeleton, Textarea } from '@mantine/core';
import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from 'react';
import { formatStamp } from '../app/locale';
import { prefs } from '../app/prefs';
import { inText } from '../app/regions';
import { useToasts } from '../app/Toasts';
import { useTracker } from './context';
import { addComment, type Comment, readComments, type WholeIssue, withComment } from './issue';

const Markdown = lazy(() => import('../ui/Markdown'));

interface Props {
  issue: WholeIssue;
  set: (change: (old: WholeIssue) => WholeIssue) => void;
}

/** The comments of an issue, with replies below their parents. */
export function Comments({ issue, set }: Props) {
  const { env } = useTracker();
  const toasts = useToasts();
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const f = (e: KeyboardEvent): void => {
      if (
        e.key === 'c' &&
        prefs().letters &&
        !e.ctrlKey &&
        !e.metaKey &&
        !e.altKey &&
        !inText(e.target) &&
        !document.querySelector('[role=dialog]')
      ) {
        e.preventDefault();
        box.current?.focus();
      }
    };
    addEventListener('keydown', f);
    return () => removeEventListener('keydown', f);
  }, []);
  const submit = (e?: FormEvent): void => {
    e?.preventDefault();
    if (text.trim() === '' || busy) {
      return;
    }
    setBusy(true);
    addComment(env, issue.id, text)
      .then(
        (c) => {
          set((old) => withComment(old, c));
          setText('');
        },
        (e) => toasts.failed(e),
      )
      .finally(() => setBusy(false));
  };
  const older = (): void => {
    readComments(env, issue.id, issue.before ?? '').then(
      (more) => set((old) => ({ ...old, before: more.before, comments: [...more.comments, ...old.comments] })),
      (e) => toasts.failed(e),
    );
  };
  const held = new Set(issue.comments.map((c) => c.id));
  const first = issue.comments.filter((c) => !c.parent || !held.has(c.parent.id));
  return (
    <section aria-label="Comments" className="comments">
      <h2>Comments</h2>
      {issue.before && (
        <Button size="compact-sm" variant="default" onClick={older}>
          Show earlier comments
        </Button>
      )}
      {issue.comments.length === 0 && <p className="dimmed">Nobody has said anything yet.</p>}
      {first.map((c) => (
        <div key={c.id} className="said">
          <Said comment={c} />
          {issue.comments
            .filter((r) => r.parent?.id === c.id)
            .map((r) => (
              <div key={r.id} className="answer">
                <Said comment={r} />
              </div>
            ))}
        </div>
      ))}
      <form onSubmit={submit}>
        <Textarea
          ref={box}
          label="Comment (Markdown)"
          autosize={false}
          rows={3}
          value={text}
          onChange={(e) => setText(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) {
              submit();
            }
          }}
        />
        <Button type="submit" mt="xs" disabled={text.trim() === ''} loading={busy}>
          Add comment
        </Button>
      </form>
    </section>
  );
}

function Said({ comment: c }: { comment: Comment }) {
  const who = c.user?.name ?? 'Someone';
  const at = formatStamp(new Date(c.createdAt));
  return (
    <article aria-label={`${who} at ${at}`}>
      <div className="byline">
        <strong>{who}</strong> <time dateTime={c.createdAt}>{at}</time>
        {c.editedAt && <span className="dimmed">(edited)</span>}
      </div>
      <Suspense fallback={<Skeleton h={20} />}>
        <Markdown text={c.body} />
      </Suspense>
    </article>
  );
}
