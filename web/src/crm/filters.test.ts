import { expect, it } from 'vitest';
import { type Filter, filterGroups, inWords, operatorsOf, readFilters, writeFilters } from './filters';
import { type Definition, titleOf, typeOf } from './types';
import { curlOf, shown } from './values';

const definition = (more: Partial<Definition>): Definition => ({
  name: 'amount',
  label: 'Amount',
  type: 'number',
  fieldType: 'number',
  groupName: 'g',
  description: '',
  options: [],
  calculated: false,
  hasUniqueValue: false,
  hidden: false,
  ...more,
});

it('writes conditions as the API takes them, and reads its own addresses', () => {
  const groups: Filter[][] = [
    [
      ['amount', 'BETWEEN', '1', '5'],
      ['email', 'HAS_PROPERTY'],
    ],
    [['stage', 'IN', 'a', 'b']],
  ];
  expect(readFilters(writeFilters(groups))).toEqual(groups);
  expect(filterGroups(groups)).toEqual([
    {
      filters: [
        { propertyName: 'amount', operator: 'BETWEEN', value: '1', highValue: '5' },
        { propertyName: 'email', operator: 'HAS_PROPERTY' },
      ],
    },
    { filters: [{ propertyName: 'stage', operator: 'IN', values: ['a', 'b'] }] },
  ]);
});

it.each(['', '{', '[1]', '[[["a"]]]', '[[["a","DROP","x"]]]', '[[["a","EQ",1]]]', 'null'])(
  'reads nothing of %s',
  (text) => {
    expect(readFilters(text)).toEqual([]);
  },
);

it('says conditions in words', () => {
  const stage = definition({
    name: 'stage',
    label: 'Stage',
    type: 'enumeration',
    options: [{ label: 'Won', value: 'w', hidden: false }],
  });
  expect(inWords(['stage', 'EQ', 'w'], [stage])).toBe('Stage is Won');
  expect(inWords(['gone', 'NOT_HAS_PROPERTY'], [])).toBe('gone is unknown');
  expect(operatorsOf(stage)).not.toContain('GT');
  expect(operatorsOf(definition({}))).toContain('BETWEEN');
});

it('shows values by their definition', () => {
  const options = [{ label: 'Lead', value: 'lead', hidden: false }];
  const owner = { id: '7', email: 'l@x', firstName: 'Lena', lastName: 'Park', userId: 1, archived: false };
  expect(shown('lead;other', definition({ type: 'enumeration', options }))).toBe('Lead, other');
  expect(shown('7', definition({ name: 'hubspot_owner_id' }), [owner])).toBe('Lena Park');
  expect(shown('not a date', definition({ type: 'datetime' }))).toBe('not a date');
  expect(shown('99999999999999999999', definition({}))).toBe('99999999999999999999');
  expect(shown(null, undefined)).toBe('');
  expect(curlOf("http://x/a?b='c")).toContain("'\\''c");
});

it('names a record by what it has', () => {
  const r = (properties: Record<string, string | null>) => ({
    id: '5',
    properties,
    createdAt: '',
    updatedAt: '',
    archived: false,
  });
  expect(titleOf(typeOf('contacts'), r({ firstname: 'Anna', lastname: null }))).toBe('Anna');
  expect(titleOf(typeOf('contacts'), r({ email: 'a@x' }))).toBe('a@x');
  expect(titleOf(typeOf('deals'), r({}))).toBe('deal 5');
});
