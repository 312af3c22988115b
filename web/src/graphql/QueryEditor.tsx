import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { type EditorView, keymap } from '@codemirror/view';
import { graphql, updateSchema } from 'cm6-graphql';
import type { GraphQLSchema } from 'graphql';
import { useEffect, useState } from 'react';
import Editor from '../ui/Editor';

interface Props {
  value: string;
  change: (value: string) => void;
  schema?: GraphQLSchema;
}

const language = [graphql(), autocompletion(), keymap.of(completionKeymap)];

/** The editor for operations. With a schema it offers completion and checks the text. */
export default function QueryEditor({ value, change, schema }: Props) {
  const [view, setView] = useState<EditorView>();
  useEffect(() => {
    if (view && schema) {
      updateSchema(view, schema);
    }
  }, [view, schema]);
  return <Editor label="Query" value={value} change={change} language={language} ready={setView} />;
}
