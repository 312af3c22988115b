import type { Definition } from './types';

/** One condition: a property, an operator, and the values that it needs. */
export type Filter = [property: string, operator: string, ...values: string[]];

interface Operator {
  label: string;
  values: 0 | 1 | 2 | 'many';
}

export const operators: Record<string, Operator> = {
  EQ: { label: 'is', values: 1 },
  NEQ: { label: 'is not', values: 1 },
  LT: { label: 'is below', values: 1 },
  LTE: { label: 'is at most', values: 1 },
  GT: { label: 'is above', values: 1 },
  GTE: { label: 'is at least', values: 1 },
  BETWEEN: { label: 'is between', values: 2 },
  IN: { label: 'is one of', values: 'many' },
  NOT_IN: { label: 'is none of', values: 'many' },
  HAS_PROPERTY: { label: 'is known', values: 0 },
  NOT_HAS_PROPERTY: { label: 'is unknown', values: 0 },
  CONTAINS_TOKEN: { label: 'contains the word', values: 1 },
  NOT_CONTAINS_TOKEN: { label: 'does not contain the word', values: 1 },
};

const ordered = ['LT', 'LTE', 'GT', 'GTE', 'BETWEEN'];
const words = ['CONTAINS_TOKEN', 'NOT_CONTAINS_TOKEN'];

/** Returns the operators that apply to a property. */
export function operatorsOf(d: Definition | undefined): string[] {
  const numeric = d?.type === 'number' || d?.type === 'date' || d?.type === 'datetime';
  return Object.keys(operators).filter((o) =>
    ordered.includes(o) ? numeric : words.includes(o) ? d?.type === 'string' : true,
  );
}

/** Parses the groups of a URL: all conditions of at least one group must hold. Invalid ones are left out. */
export function readFilters(text: string | undefined): Filter[][] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    const groups = Array.isArray(value) ? value : [];
    return groups
      .map((g: unknown) =>
        (Array.isArray(g) ? g : []).filter(
          (f): f is Filter =>
            Array.isArray(f) &&
            f.length >= 2 &&
            f.every((x) => typeof x === 'string') &&
            operators[f[1] ?? ''] !== undefined,
        ),
      )
      .filter((g) => g.length > 0);
  } catch {
    return [];
  }
}

/** Formats groups for a URL; undefined if there are none. */
export const writeFilters = (groups: Filter[][]): string | undefined => {
  const all = groups.filter((g) => g.length > 0);
  return all.length > 0 ? JSON.stringify(all) : undefined;
};

/** Returns the API's filterGroups. */
export const filterGroups = (groups: Filter[][]): { filters: object[] }[] =>
  groups.map((g) => ({
    filters: g.map(([propertyName, operator, ...values]) => {
      switch (operators[operator]?.values) {
        case 0:
          return { propertyName, operator };
        case 2:
          return { propertyName, operator, value: values[0], highValue: values[1] };
        case 'many':
          return { propertyName, operator, values };
        default:
          return { propertyName, operator, value: values[0] };
      }
    }),
  }));

/** Returns a condition in words. */
export function inWords([property, operator, ...values]: Filter, definitions: Definition[]): string {
  const d = definitions.find((x) => x.name === property);
  const named = values.map((v) => d?.options.find((o) => o.value === v)?.label ?? v);
  return [
    d?.label ?? property,
    operators[operator]?.label ?? operator,
    named.join(operator === 'BETWEEN' ? ' and ' : ', '),
  ]
    .join(' ')
    .trim();
}
