// Renders docs/clients.md from what the suites saw: `node test/sdk/clients.mjs`
// writes it, with --check it fails when the page is not what this run says.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SEEN } from './witness.mjs';

const PAGE = fileURLToPath(new URL('../../docs/clients.md', import.meta.url));
const KINDS = ['official', 'third party', 'MCP'];
const TITLES = { messaging: 'Messaging', crm: 'CRM', tracker: 'Tracker', ingest: 'Ingestion' };

const byVersion = (a, b) => a.localeCompare(b, 'en', { numeric: true });
const order = (a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || a.name.localeCompare(b.name, 'en') || byVersion(a.version, b.version);

function page(seen) {
  let out = `# Client programs that are tried

Written by the tests: every program below runs unmodified against the real binary each time \`make test\` runs, and a test fails
when one of its calls does not do what it should. A witness between program and server notes the calls, and which of them were
refused each time, as they are upstream or because the area is not served; \`make clients\`
writes this page anew, and \`make test\` fails when it is not what the run says.
`;
  for (const [service, title] of Object.entries(TITLES)) {
    const rows = seen.filter((s) => s.service === service).sort(order);
    if (rows.length === 0) continue;
    out += `\n## ${title}\n\n| program | version | kind | works | calls |\n| --- | --- | --- | --- | --- |\n`;
    // Versions that make the same calls share a row.
    const groups = new Map();
    for (const r of rows) {
      const key = JSON.stringify([r.kind, r.name, r.runs, r.calls, r.refused]);
      groups.set(key, [...(groups.get(key) ?? []), r]);
    }
    for (const group of groups.values()) {
      const [{ name, kind, runs, calls, refused = [] }] = group;
      out += `| ${name} | ${group.map((r) => r.version).join(', ')} | ${kind} | ${runs ? `yes; ${runs}` : 'yes'} | ${calls.map((c) => `\`${c}\`${refused.includes(c) ? ' (refused)' : ''}`).join(', ')} |\n`;
    }
  }
  return out;
}

const seen = readdirSync(SEEN).filter((f) => f.endsWith('.json')).map((f) => JSON.parse(readFileSync(join(SEEN, f), 'utf8')));
const text = page(seen);
if (process.argv.includes('--check')) {
  if (text !== readFileSync(PAGE, 'utf8')) {
    const [old, now] = [readFileSync(PAGE, 'utf8'), text].map((t) => new Set(t.split('\n')));
    for (const line of old) if (!now.has(line)) console.error(`- ${line}`);
    for (const line of now) if (!old.has(line)) console.error(`+ ${line}`);
    console.error('docs/clients.md is not what this run says: run make clients');
    process.exit(1);
  }
} else {
  writeFileSync(PAGE, text);
}
