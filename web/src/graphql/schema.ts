import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
} from 'graphql';

/** Parses a schema that is known to be valid. */
export const readSchema = (text: string): GraphQLSchema => buildSchema(text, { assumeValid: true });

/** An entry in the tree of a schema: a type, a field or an enum value. */
export interface Entry {
  key: string;
  name: string;
  detail: string; // arguments and type, or what kind of type it is
  description: string;
  type?: string; // the named type whose entries are the children
  root?: 'query' | 'mutation'; // for a field of Query or Mutation
}

type AnyField = GraphQLField<unknown, unknown>;

const argumentsOf = (args: readonly GraphQLArgument[]): string =>
  args.length === 0 ? '' : `(${args.map((a) => `${a.name}: ${a.type}`).join(', ')})`;

/** Returns the entries below a type: its fields or enum values. */
export function entriesOf(schema: GraphQLSchema, type: string, path: string): Entry[] {
  const t = schema.getType(type);
  const root =
    type === schema.getQueryType()?.name ? 'query' : type === schema.getMutationType()?.name ? 'mutation' : undefined;
  if (isObjectType(t) || isInterfaceType(t) || isInputObjectType(t)) {
    return Object.values(t.getFields()).map((f) => {
      const named = getNamedType(f.type as GraphQLOutputType);
      return {
        key: `${path}.${f.name}`,
        name: f.name,
        detail: `${'args' in f ? argumentsOf((f as AnyField).args) : ''}: ${f.type}`,
        description: f.description ?? '',
        type: isLeafType(named) && !isEnumType(named) ? undefined : named.name,
        root,
      };
    });
  }
  return isEnumType(t)
    ? t.getValues().map((v) => ({
        key: `${path}.${v.name}`,
        name: v.name,
        detail: '',
        description: v.description ?? '',
      }))
    : [];
}

/** Returns the root entries of a tree: operation types first, then all others by name. */
export function rootsOf(schema: GraphQLSchema): Entry[] {
  const first = [schema.getQueryType(), schema.getMutationType()].flatMap((t) => (t ? [t.name] : []));
  const others = Object.keys(schema.getTypeMap())
    .filter((n) => !n.startsWith('__') && !first.includes(n))
    .sort();
  return [...first, ...others].map((name) => typeEntry(schema, name));
}

function typeEntry(schema: GraphQLSchema, name: string): Entry {
  const t = schema.getType(name);
  const kind = isObjectType(t)
    ? 'type'
    : isInputObjectType(t)
      ? 'input'
      : isEnumType(t)
        ? 'enum'
        : isInterfaceType(t)
          ? 'interface'
          : isLeafType(t)
            ? 'scalar'
            : 'union';
  const below = kind === 'scalar' || kind === 'union' ? undefined : name;
  return { key: name, name, detail: kind, description: t?.description ?? '', type: below };
}

/** Returns at most `most` types and fields whose names contain a text, those that begin with it first. */
export function findEntries(schema: GraphQLSchema, text: string, most: number): Entry[] {
  const words = text.toLowerCase();
  const all = rootsOf(schema).flatMap((t) => [
    t,
    ...(t.type ? entriesOf(schema, t.type, t.key).map((e) => ({ ...e, name: `${t.name}.${e.name}` })) : []),
  ]);
  const rank = (e: Entry): number => {
    const name = (e.name.split('.').at(-1) ?? '').toLowerCase();
    return name === words ? 0 : name.startsWith(words) ? 1 : name.includes(words) ? 2 : 3;
  };
  return all
    .map((e) => ({ e, r: rank(e) }))
    .filter((x) => x.r < 3)
    .sort((a, b) => a.r - b.r)
    .slice(0, most)
    .map((x) => x.e);
}

export interface Template {
  query: string;
  variables: string;
}

const listed = ['after', 'before', 'first', 'last', 'filter', 'includeArchived', 'orderBy', 'sort'];

/** Returns an operation of a root field, as the official client has one for each, with the values that it needs. */
export function templateOf(schema: GraphQLSchema, root: 'query' | 'mutation', name: string): Template | undefined {
  const type = root === 'query' ? schema.getQueryType() : schema.getMutationType();
  const field = type?.getFields()[name];
  if (!field) {
    return undefined;
  }
  const args = field.args.filter((a) => isNonNullType(a.type) || listed.slice(0, 5).includes(a.name));
  const given = args.filter((a) => isNonNullType(a.type) || a.name === 'first');
  const head = given.length > 0 ? `(${given.map((a) => `$${a.name}: ${a.type}`).join(', ')})` : '';
  const call = given.length > 0 ? `(${given.map((a) => `${a.name}: $${a.name}`).join(', ')})` : '';
  const selection = selectionOf(schema, getNamedType(field.type).name, 1, 3);
  const variables = Object.fromEntries(given.map((a) => [a.name, sampleOf(schema, a.type.toString())]));
  return {
    query: `${root} ${name}${head} {\n  ${name}${call}${selection}\n}\n`,
    variables: given.length > 0 ? `${JSON.stringify(variables, null, 2)}\n` : '',
  };
}

/** Returns the fields of a type that need no arguments: its scalars, and of its objects the id and name. */
function selectionOf(schema: GraphQLSchema, type: string, level: number, deepest: number): string {
  const t = schema.getType(type);
  if (!isObjectType(t) && !isInterfaceType(t)) {
    return '';
  }
  const indent = '  '.repeat(level + 1);
  const lines = Object.values(t.getFields())
    .filter((f) => !f.args.some((a) => isNonNullType(a.type)) && f.deprecationReason === undefined)
    .flatMap((f): string[] => {
      const named = getNamedType(f.type);
      if (isLeafType(named)) {
        return level < deepest || ['id', 'name', 'title', 'identifier'].includes(f.name) ? [f.name] : [];
      }
      const carries = ['nodes', 'pageInfo'].includes(f.name) || /(Payload|Connection)$/.test(type);
      const below =
        carries && level < deepest
          ? selectionOf(schema, named.name, level + 1, f.name === 'nodes' ? level + 2 : deepest)
          : '';
      return below === '' ? [] : [`${f.name}${below}`];
    });
  return lines.length === 0
    ? ' { __typename }'
    : ` {\n${lines.map((l) => `${indent}${l}`).join('\n')}\n${'  '.repeat(level)}}`;
}

/** Returns a sample value of a type that contains only the required fields. */
function sampleOf(schema: GraphQLSchema, type: string): unknown {
  const name = type.replaceAll(/[[\]!]/g, '');
  if (type.startsWith('[')) {
    return [sampleOf(schema, name)];
  }
  const t = schema.getType(name);
  if (isInputObjectType(t)) {
    const needed = Object.values(t.getFields()).filter((f) => isNonNullType(f.type));
    return Object.fromEntries(needed.map((f) => [f.name, sampleOf(schema, f.type.toString())]));
  }
  if (isEnumType(t)) {
    return t.getValues()[0]?.name;
  }
  return { Int: 10, Float: 0, Boolean: true }[name] ?? '';
}
