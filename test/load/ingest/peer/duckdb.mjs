// DuckDB keeps the same events and answers the same questions, within its own
// process: node duckdb.mjs FOLDER, which holds events.ndjson and users.ndjson.
import { createReadStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DuckDBInstance } from '@duckdb/node-api';

const dir = process.argv[2];
const batch = 500;
const batched = 100_000; // events that are sent in batches, each durable

const columns = {
  event_id: 'UUID', session_id: 'UUID', primitive_name: 'VARCHAR', primitive_type: 'VARCHAR', args: 'VARCHAR', result: 'VARCHAR', success: 'BOOLEAN',
  latency: 'BIGINT', timestamp: 'BIGINT', parent_id: 'UUID', metadata: 'JSON', customer_id: 'VARCHAR', user_id: 'VARCHAR', input_tokens: 'BIGINT',
  output_tokens: 'BIGINT', model: 'VARCHAR',
};
const declared = Object.entries(columns).map(([name, type]) => `"${name}" ${type}`).join(', ');
const file = join(dir, 'events.ndjson');
const db = await DuckDBInstance.create(join(dir, 'events.duckdb'), { threads: '2' });
const on = await db.connect();
const ms = (since) => Number(process.hrtime.bigint() - since) / 1e6;

await on.run(`CREATE TABLE events (${declared})`);
await on.run(`CREATE TABLE small (${declared})`);
await on.run(`CREATE TABLE users AS SELECT * FROM read_json('${join(dir, 'users.ndjson')}', columns = {user_id: 'VARCHAR', plan: 'VARCHAR'})`);

// In batches as clients send them: one statement and one durable commit each.
const shape = JSON.stringify([columns]);
const insert = await on.prepare(`INSERT INTO small SELECT unnest(from_json($1, '${shape}'), max_depth := 2)`);
let lines = [];
let [sent, spent] = [0, 0];
for await (const line of createInterface({ input: createReadStream(file) })) {
  lines.push(line);
  if (lines.length < batch) continue;
  insert.bindVarchar(1, `[${lines.join(',')}]`);
  const began = process.hrtime.bigint();
  await insert.run();
  spent += ms(began);
  sent += lines.length;
  lines = [];
  if (sent >= batched) break;
}

// All at once, as it is quickest.
const began = process.hrtime.bigint();
await on.run(`INSERT INTO events SELECT * FROM read_json('${file}', format = 'newline_delimited', columns = ${JSON.stringify(columns).replaceAll('"', "'")})`);
const bulk = ms(began);
await on.run('DROP TABLE small');
await on.run('CHECKPOINT');
const [[events]] = (await on.runAndReadAll('SELECT count(*) FROM events')).getRows();

const percentiles = 'quantile_cont(latency, [0.5, 0.95, 0.99])';
const questions = {
  tools: `SELECT primitive_name, count(*), count(*) FILTER (NOT success), ${percentiles}, sum(input_tokens), sum(output_tokens) FROM events GROUP BY ALL`,
  tools_trait: `SELECT primitive_name, count(*), count(*) FILTER (NOT success), ${percentiles}, sum(input_tokens), sum(output_tokens)
    FROM events WHERE user_id IN (SELECT user_id FROM users WHERE plan = 'pro') GROUP BY ALL`,
  users_by_day: `SELECT timestamp // 86400000, count(*), count(DISTINCT user_id) FROM events WHERE user_id IN (SELECT user_id FROM users WHERE plan = 'pro') GROUP BY ALL`,
  hours_by_tool: `SELECT timestamp // 3600000, primitive_name, count(*), ${percentiles} FROM events GROUP BY ALL`,
  word: `SELECT event_id FROM events WHERE contains(args, '98765') OR contains(result, '98765') ORDER BY timestamp DESC LIMIT 50`,
  newest: `SELECT * FROM events WHERE primitive_name = 'tool_03' ORDER BY timestamp DESC LIMIT 50`,
};
const times = {};
for (const [name, sql] of Object.entries(questions)) {
  const all = [];
  for (let i = 0; i < 5; i++) {
    const asked = process.hrtime.bigint();
    await (await on.runAndReadAll(sql)).getRows();
    all.push(ms(asked));
  }
  times[name] = all.sort((a, b) => a - b)[2];
}
const [[version]] = (await on.runAndReadAll('SELECT version()')).getRows();
console.log(JSON.stringify({ version, events: Number(events), batch_rate: sent / spent * 1000, bulk_rate: Number(events) / bulk * 1000,
  bytes: statSync(join(dir, 'events.duckdb')).size, times }));
