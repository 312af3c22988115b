// Joins the server's short codes with the groups and words of emojibase-data,
// so that the picker offers exactly what the service accepts.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const data = require('emojibase-data/en/data.json');
const messages = require('emojibase-data/en/messages.json');
const groups = new Map(messages.groups.map((g) => [g.order, g.message]));
const bySequence = new Map();
for (const e of data) {
  bySequence.set(e.hexcode.replaceAll('-FE0F', ''), e);
}

const out = [];
const table = readFileSync(new URL('../../internal/messaging/emoji/table.txt', import.meta.url), 'utf8');
for (const line of table.split('\n')) {
  if (line === '' || line.startsWith('#')) {
    continue;
  }
  const [names, hex, tones] = line.split(' ');
  const char = hex
    .split('-')
    .map((h) => String.fromCodePoint(Number.parseInt(h, 16)))
    .join('');
  const known = bySequence.get(hex.toUpperCase().replaceAll('-FE0F', ''));
  out.push({
    names: names.split(','),
    char,
    group: groups.get(known?.group) ?? 'symbols',
    words: known?.tags ?? [],
    order: known?.order ?? 100000,
    tones: tones !== undefined || undefined,
  });
}
out.sort((a, b) => a.order - b.order);
mkdirSync(new URL('../src/messaging/emoji/', import.meta.url), { recursive: true });
writeFileSync(
  new URL('../src/messaging/emoji/table.json', import.meta.url),
  JSON.stringify(out.map(({ order, ...e }) => e)),
);
