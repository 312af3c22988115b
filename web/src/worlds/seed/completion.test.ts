import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Schema, spotOf, suggestionsAt } from './completion';

const schema = JSON.parse(readFileSync('../docs/seed-document.schema.json', 'utf8')) as Schema;
const names = (text: string): string[] => {
  const spot = spotOf(text);
  return spot ? suggestionsAt(schema, spot).map((s) => s.label) : [];
};

describe('what a seed document may have at a place', () => {
  it('knows the services, their parts and the fields of what a document names', () => {
    expect(names('')).toEqual(expect.arrayContaining(['messaging', 'crm', 'tracker', 'ingest']));
    expect(names('messaging:\n  chan')).toContain('channels');
    expect(names('messaging:\n  channels:\n    launch:\n      pur')).toContain('purpose');
    expect(names('messaging:\n  channels:\n    launch:\n      purpose: Out\ncrm:\n  ')).toContain('contacts');
    expect(names('crm:\n  contacts:\n    # a remark\n\n    grace:\n      ')).toContain('properties');
  });

  it('knows the items of lists, wherever they are indented', () => {
    expect(names('crm:\n  associations:\n    - from: contacts/a\n      ')).toContain('to');
    expect(names('crm:\n  associations:\n  - ')).toContain('from');
  });

  it('knows what stands in braces, and values', () => {
    expect(names('messaging:\n  channels:\n    launch: {purpose: Out, ')).toContain('topic');
    expect(names('messaging:\n  channels:\n    launch: {archived: ')).toEqual(['true', 'false']);
    expect(names('messaging:\n  channels:\n    launch:\n      archived: t')).toEqual(['true', 'false']);
    expect(names('messaging:\n  channels:\n    launch:\n      kind: ')).toContain('private');
  });

  it('suggests nothing where the document is free, in remarks, or where it is wrong', () => {
    expect(names('messaging:\n  channels:\n    ')).toEqual([]);
    expect(names('# mess')).toEqual([]);
    expect(names('nothing:\n  ')).toEqual([]);
    expect(names('crm:\n  contacts:\n    grace: {properties: {')).toEqual([]);
  });
});
