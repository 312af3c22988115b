import { ApiError, type Call } from '../api/http';

/** A mistake in a document. */
export interface Problem {
  line: number;
  field: string;
  message: string;
}

/** Returns a document as the body of a request: JSON when it looks like JSON, else YAML. */
export const documentBody = (text: string): Call => ({
  method: 'POST',
  raw: { type: /^\s*\{/.test(text) ? 'application/json' : 'application/yaml', text },
});

/** Returns the problems in an error reply. A reply without any is one problem of the whole document. */
export function problemsIn(error: unknown): Problem[] {
  const list = error instanceof ApiError ? (error.details.problems as Problem[] | undefined) : undefined;
  return list && list.length > 0 ? list : [{ line: 1, field: '', message: (error as Error).message }];
}
