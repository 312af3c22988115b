import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete';
import { yaml } from '@codemirror/lang-yaml';
import { keymap } from '@codemirror/view';
import { adminCall } from '../../app/admin';
import Editor from '../../ui/Editor';
import { type Schema, spotOf, suggestionsAt } from './completion';

let schema: Promise<Schema> | undefined;

/** Returns the completions at the cursor, by the schema from the server. */
async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  const spot = spotOf(context.state.sliceDoc(0, context.pos));
  if (!spot || (!context.explicit && spot.word === '')) {
    return null;
  }
  schema ??= adminCall<Schema>('/seed-schema.json');
  const options = await schema.then(
    (s) => suggestionsAt(s, spot),
    () => {
      schema = undefined;
      return [];
    },
  );
  return {
    from: context.pos - spot.word.length,
    options: options.map((o) => ({
      label: o.label,
      info: o.detail || undefined,
      apply: spot.value ? o.label : `${o.label}: `,
      type: spot.value ? 'constant' : 'property',
    })),
    validFor: /^[\w-]*$/,
  };
}

const language = [yaml(), autocompletion({ override: [complete], icons: false }), keymap.of(completionKeymap)];

interface Props {
  value: string;
  change: (text: string) => void;
  goTo?: { line: number };
}

/** An editor for seed documents. It completes names and values (Ctrl Space). */
export default function SeedEditor(props: Props) {
  return <Editor label="Seed document" language={language} {...props} />;
}
