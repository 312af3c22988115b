/** The parts of a JSON schema that completion needs. */
export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  enum?: unknown[];
  type?: string | string[];
  description?: string;
}

/** A position in a document: the path of names ('-' is an item of a list), and the beginning of the word. */
export interface Spot {
  path: string[];
  value: boolean; // whether it is the value of the last name of the path
  word: string;
}

const line = /^(\s*)((?:- +)*)(?:(["']?)([^"':#{}[\],]+)\3\s*:(.*))?/;

/** Returns the position at the end of a YAML text, by indentation and the braces of the last line. */
export function spotOf(text: string): Spot | undefined {
  const lines = text.split('\n');
  const head = lines.pop() ?? '';
  if (/^\s*#/.test(head)) {
    return undefined;
  }
  const [, spaces = '', dashes = '', , name, rest = ''] = line.exec(head) ?? [];
  const path: string[] = dashes
    ? dashes
        .split('-')
        .slice(1)
        .map(() => '-')
    : [];
  let limit = spaces.length;
  for (let i = lines.length - 1; i >= 0 && limit >= 0; i--) {
    const [, before = '', items = '', , key] = line.exec(lines[i] ?? '') ?? [];
    if (key === undefined || /^\s*#/.test(lines[i] ?? '')) {
      continue;
    }
    const at = before.length + items.length;
    if (items && at === limit) {
      path.unshift('-'); // the beginning of its list item
      limit = before.length;
      continue;
    }
    // A list may have the same indentation as its name.
    if (at < limit || (at === limit && path[0] === '-' && items === '')) {
      path.unshift(key.trim());
      if (items) {
        path.unshift(
          ...items
            .split('-')
            .slice(1)
            .map(() => '-'),
        );
      }
      limit = items ? before.length : at;
    }
    if (limit === 0 && path[0] !== '-') {
      break;
    }
  }
  if (name === undefined) {
    return { path, value: false, word: head.slice(spaces.length + dashes.length) };
  }
  return inBraces([...path, name.trim()], rest);
}

/** Returns the position at the end of a value, which may be within braces. */
function inBraces(path: string[], rest: string): Spot | undefined {
  let value = true;
  let word = '';
  let open = 0; // braces that are open
  const at = [...path];
  for (const c of rest) {
    if (c === '{') {
      open++;
      value = false;
      word = '';
    } else if (c === ',' && open > 0) {
      if (value) {
        at.pop();
      }
      value = false;
      word = '';
    } else if (c === ':' && !value) {
      at.push(word.trim());
      value = true;
      word = '';
    } else if (c === '}') {
      if (value) {
        at.pop();
      }
      open--;
      value = true;
      word = '';
    } else {
      word += c;
    }
  }
  return /^\s|^$/.test(rest) ? { path: at, value, word: word.trimStart() } : undefined;
}

/** Resolves a schema: follows its reference, or selects the alternative that is not null. */
function resolve(root: Schema, of: Schema | undefined): Schema | undefined {
  if (of?.$ref) {
    return resolve(root, root.$defs?.[of.$ref.replace('#/$defs/', '')]);
  }
  const other = of?.anyOf?.find((s) => s.type !== 'null');
  return other ? { ...resolve(root, other), description: of?.description ?? other.description } : of;
}

/** Returns the schema at a position; undefined if the position cannot exist. */
function schemaAt(root: Schema, path: string[]): Schema | undefined {
  let at: Schema | undefined = root;
  for (const name of path) {
    const more: Schema | undefined = typeof at?.additionalProperties === 'object' ? at.additionalProperties : undefined;
    at = resolve(root, name === '-' ? at?.items : (at?.properties?.[name] ?? more));
  }
  return at;
}

export interface Suggestion {
  label: string;
  detail: string;
}

/** Returns the completions at a position. */
export function suggestionsAt(root: Schema, spot: Spot): Suggestion[] {
  const at = schemaAt(root, spot.path);
  if (spot.value) {
    const values = at?.enum ?? (at?.type === 'boolean' || at?.type?.includes('boolean') ? [true, false] : []);
    return values.filter((v) => v !== null).map((v) => ({ label: String(v), detail: '' }));
  }
  return Object.entries(at?.properties ?? {}).map(([label, of]) => ({
    label,
    detail: resolve(root, of)?.description ?? '',
  }));
}
