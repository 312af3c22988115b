import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldGutter, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, linter, lintKeymap } from '@codemirror/lint';
import { Annotation, EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { getNonce } from 'get-nonce';
import { useEffect, useRef } from 'react';
import './editor.css';

/** A mistake in a text. */
export interface Fault {
  from: number;
  to: number;
  message: string;
}

interface Props {
  label: string;
  value: string;
  change?: (value: string) => void; // without it the editor is read-only
  language: 'json' | 'yaml' | Extension; // a language support for others
  /** Called with the editor once it exists. */
  ready?: (view: EditorView) => void;
  /** Returns the mistakes in the text. */
  check?: (text: string) => Promise<Fault[]>;
  goTo?: { line: number }; // each new value moves the cursor there
}

/** Marks a change that comes from the value property, not from the keyboard. */
const given = Annotation.define<boolean>();

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--dim)' },
]);

/**
 * Inserts typed text through the editor's state. Browsers that insert it themselves add style attributes when coloured
 * text is replaced, which the Content-Security-Policy forbids.
 */
function typed(e: InputEvent, view: EditorView): boolean {
  if (e.inputType !== 'insertText' || e.data === null || e.isComposing || view.state.readOnly) {
    return false;
  }
  e.preventDefault();
  // The selection of the page may not have reached the editor's state yet.
  const selection = document.getSelection();
  const inside = selection?.rangeCount && view.contentDOM.contains(selection.anchorNode) && !selection.isCollapsed;
  const range = inside ? selection.getRangeAt(0) : undefined;
  const from = range && view.posAtDOM(range.startContainer, range.startOffset);
  const change =
    range && from !== undefined
      ? {
          changes: { from, to: view.posAtDOM(range.endContainer, range.endOffset), insert: e.data },
          selection: { anchor: from + e.data.length }, // otherwise the typed text is selected, and the next key replaces it
        }
      : view.state.replaceSelection(e.data);
  view.dispatch(change, { userEvent: 'input.type', scrollIntoView: true });
  return true;
}

/** An editor with line numbers that renders only visible lines. Tab leaves it, so that keyboard users are not trapped. */
export default function Editor({ label, value, change, language, check, ready, goTo }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const changed = useRef(change);
  changed.current = change;
  const typedTexts = useRef<string[]>([]); // reported values that have not returned as the value property yet

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once; its text is set below
  useEffect(() => {
    const extensions: Extension[] = [
      lineNumbers(),
      foldGutter(),
      history(),
      drawSelection(),
      bracketMatching(),
      indentOnInput(),
      syntaxHighlighting(colours),
      language === 'json' ? json() : language === 'yaml' ? yaml() : language,
      keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
      EditorView.cspNonce.of(getNonce() ?? ''),
      EditorView.domEventHandlers({ beforeinput: typed }),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': label, 'data-autofocus': '', tabindex: '0' }),
      EditorView.updateListener.of((u) => {
        if (u.docChanged && changed.current && !u.transactions.some((t) => t.annotation(given))) {
          const text = u.state.doc.toString();
          typedTexts.current.push(text);
          changed.current(text);
        }
      }),
    ];
    if (!change) {
      extensions.push(EditorState.readOnly.of(true));
    }
    if (check) {
      extensions.push(
        linter(async (v) => {
          const length = v.state.doc.length;
          return (await check(v.state.doc.toString())).map(
            (f): Diagnostic => ({
              from: Math.min(f.from, length),
              to: Math.min(Math.max(f.to, f.from), length),
              severity: 'error',
              message: f.message,
            }),
          );
        }),
      );
    }
    const made = new EditorView({
      parent: place.current ?? undefined,
      state: EditorState.create({ doc: value, extensions }),
    });
    view.current = made;
    ready?.(made);
    return () => made.destroy();
  }, []);

  useEffect(() => {
    const v = view.current;
    // A value that the editor reported earlier must not replace newer input when it returns late.
    const own = typedTexts.current.lastIndexOf(value);
    typedTexts.current.splice(0, own + 1);
    if (own >= 0) {
      return;
    }
    if (v && v.state.doc.toString() !== value) {
      v.dispatch({ changes: { from: 0, to: v.state.doc.length, insert: value }, annotations: given.of(true) });
    }
  }, [value]);

  useEffect(() => {
    const v = view.current;
    if (v && goTo) {
      const line = v.state.doc.line(Math.min(Math.max(goTo.line, 1), v.state.doc.lines));
      v.dispatch({ selection: { anchor: line.from, head: line.to }, scrollIntoView: true });
      v.focus();
    }
  }, [goTo]);

  return <div ref={place} className="editor" />;
}
