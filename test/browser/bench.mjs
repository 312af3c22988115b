// Measures the web UI's budgets against the real binary and writes
// docs/performance/web.md. MESSAGES (1,000,000), SECONDS of scrolling (8), MEMORY_SECONDS of more of it (300) and
// LIVE_SECONDS (60) bound it; it takes about a quarter of an hour, and stops after 24 minutes.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { measureAreas } from './bench-areas.mjs';
import { startBrowser, startServer } from './server.mjs';

const root = join(import.meta.dirname, '..', '..');
const messages = Number(process.env.MESSAGES ?? 1_000_000);
const scrollSeconds = Number(process.env.SECONDS ?? 8);
const memorySeconds = Number(process.env.MEMORY_SECONDS ?? 300);
const liveSeconds = Number(process.env.LIVE_SECONDS ?? 60);
const rounds = Number(process.env.ROUNDS ?? 5);
const rows = [];
const add = (what, budget, value, unit, digits = 0) => {
  rows.push([what, `${budget} ${unit}`.trim(), `${value.toFixed(digits)} ${unit}`.trim()]);
  console.log(`${what}: ${value.toFixed(digits)} ${unit} (budget ${budget})`);
};
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;
const p95 = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length * 0.95)] ?? Number.NaN;

const [server, browser] = await Promise.all([
  startServer('--fixture', 'demo', '--rate-limits', 'off'),
  startBrowser(),
]);
// However it ends, nothing is left running.
const giveUp = async (e) => {
  console.error(e);
  await browser.close().catch(() => undefined);
  await server.stop();
  process.exit(1);
};
process.once('uncaughtException', giveUp);
process.once('SIGTERM', giveUp);
setTimeout(giveUp, 24 * 60_000, 'the measurement took more than 24 minutes').unref();
const base = server.credentials.messaging.base_url;
const user = server.credentials.messaging.user_token;
async function call(method, body, token = user) {
  const reply = await fetch(`${base}/api/${method}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
  });
  const value = await reply.json();
  if (!value.ok) {
    throw new Error(`${method}: ${value.error}`);
  }
  return value;
}

const { channel: big } = await call('conversations.create', { name: 'a-million' });
const { channel: other } = await call('conversations.create', { name: 'another' });
console.log(`posting ${messages} messages`);
let posted = 0;
await Promise.all(
  Array.from({ length: 48 }, async () => {
    while (posted < messages) {
      const n = posted++;
      if (n > 0 && n % 100_000 === 0) {
        console.log(`${n} messages are posted`);
      }
      await call('chat.postMessage', { channel: big.id, text: `Message ${n} ${'word '.repeat(n % 37)}` });
    }
  }),
);
for (let n = 0; n < 300; n++) {
  await call('chat.postMessage', { channel: other.id, text: `Note ${n}` });
}

const area = `${server.ui}e/default/messaging/${server.credentials.messaging.workspace_id}`;
const key = `#key=${server.credentials.admin.key}&as=admin`;
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', reducedMotion: 'reduce' });

// First load, with a cold cache.
const paints = [];
const usable = [];
let transferred = 0;
for (let i = 0; i < rounds; i++) {
  const cold = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
  const page = await cold.newPage();
  const began = performance.now();
  await page.goto(`${area}/${other.id}${key}`);
  await page.getByRole('article').first().waitFor();
  usable.push(performance.now() - began);
  paints.push(await page.evaluate(() => performance.getEntriesByType('paint').find((e) => e.name === 'first-contentful-paint')?.startTime ?? Number.NaN));
  transferred = await page.evaluate(() =>
    performance.getEntriesByType('resource').filter((r) => /\.(js|css)$/.test(new URL(r.name).pathname)).reduce((n, r) => n + r.encodedBodySize, 0),
  );
  await cold.close();
}
add('JS and CSS of a first load of messaging, gzip', 260, transferred / 1024, 'KiB');
add('first paint, cold, p50', 500, median(paints), 'ms');
add('usable (list filled), cold, p50', 1000, median(usable), 'ms');
const assets = join(root, 'web', 'dist', 'assets');
const raw = readdirSync(assets).filter((n) => !n.endsWith('.gz')).reduce((n, f) => n + statSync(join(assets, f)).size, 0);
add('all assets, raw', 3, raw / 1e6, 'MB', 2);

const page = await context.newPage();
await page.goto(`${area}/${other.id}${key}`);
await page.getByRole('article').first().waitFor();

// Switching between conversations.
const switchTo = (name) =>
  page.evaluate(
    (name) =>
      new Promise((resolve, reject) => {
        const began = performance.now();
        const wait = () => {
          const heading = document.querySelector('#heading')?.textContent;
          const shown = document.querySelector(`[role=feed][aria-label="Messages in #${name}"] article`);
          if (heading === `#${name}` && shown) {
            requestAnimationFrame(() => resolve(performance.now() - began));
          } else if (performance.now() - began > 10_000) {
            reject(new Error(`#${name} was not shown`));
          } else {
            requestAnimationFrame(wait);
          }
        };
        document.querySelector(`nav[aria-label=Channels] a[aria-label="${name}"]`)?.click();
        wait();
      }),
    name,
  );
add('switch to a channel not seen before', 200, await switchTo('a-million'), 'ms');
const seen = [];
for (let i = 0; i < 10; i++) {
  seen.push(await switchTo(i % 2 === 0 ? 'another' : 'a-million'));
}
add('switch to a channel seen before, p50', 50, median(seen), 'ms');

// From a key to its glyph.
await switchTo('another').catch(() => undefined);
await page.getByRole('textbox', { name: /^Message #/ }).focus();
await page.evaluate(() => {
  window.keys = [];
  document.querySelector('.composer textarea')?.addEventListener(
    'keydown',
    (e) =>
      requestAnimationFrame(() => {
        // A message that is posted before a frame is drawn arrives after it: the glyph stands there then.
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => window.keys.push(performance.now() - e.timeStamp);
        port2.postMessage('');
      }),
    true,
  );
});
for (const c of 'the quick brown fox jumps over the lazy dog and on it goes') {
  await page.keyboard.press(c === ' ' ? 'Space' : c);
  await page.waitForTimeout(20); // nobody types faster; keys without a pause are all handled before a frame is drawn
}
await page.waitForTimeout(200);
add('key to glyph in the composer, p95 (until the frame with it is drawn)', 32, p95(await page.evaluate(() => window.keys)), 'ms', 1);
await page.getByRole('textbox', { name: /^Message #/ }).fill('');

// Scrolling up through the large channel.
await switchTo('a-million').catch(() => undefined);
const scrolled = await page.evaluate(
  (seconds) =>
    new Promise((resolve) => {
      const box = document.querySelector('.feed-box .scroller');
      const frames = [];
      let last = performance.now();
      let most = 0;
      const end = last + seconds * 1000;
      const step = (now) => {
        frames.push(now - last);
        last = now;
        most = Math.max(most, document.querySelectorAll('*').length);
        box.scrollBy(0, -600);
        if (now < end) {
          requestAnimationFrame(step);
        } else {
          resolve({ frames: frames.slice(1), most, heap: performance.memory?.usedJSHeapSize ?? Number.NaN });
        }
      };
      requestAnimationFrame(step);
    }),
  scrollSeconds,
);
add(`scrolling ${messages.toLocaleString('en')} messages, frames a second`, '≥ 55', (scrolled.frames.length * 1000) / scrolled.frames.reduce((a, b) => a + b, 0), 'fps', 1);
add('the same, p95 of a frame', 20, p95(scrolled.frames), 'ms', 1);
add('the same, longest frame', 100, Math.max(...scrolled.frames), 'ms', 1);
add('DOM nodes while scrolling', 3000, scrolled.most, '');
add('JavaScript heap after it', 150, scrolled.heap / 1e6, 'MB', 1);

// Memory after more of it: up, and down again from the beginning.
const { most, heap } = await page.evaluate(
  (seconds) =>
    new Promise((resolve) => {
      const box = document.querySelector('.feed-box .scroller');
      const end = performance.now() + seconds * 1000;
      let most = 0;
      let way = -600;
      const step = (now) => {
        most = Math.max(most, document.querySelectorAll('*').length);
        const before = box.scrollTop;
        box.scrollBy(0, way);
        way = box.scrollTop === before && before === 0 ? 600 : way;
        if (now < end) {
          requestAnimationFrame(step);
        } else {
          resolve({ most, heap: performance.memory?.usedJSHeapSize ?? Number.NaN });
        }
      };
      requestAnimationFrame(step);
    }),
  memorySeconds,
);
add(`JavaScript heap after ${memorySeconds} s more of scrolling`, 150, heap / 1e6, 'MB', 1);
add('DOM nodes at most in that time', 3000, most, '');

// Live messages in the open channel.
await switchTo('another').catch(() => undefined);
await page.keyboard.press('End');
await page.waitForFunction(() => document.querySelector('[aria-label=Connection]')?.textContent === '');
await page.evaluate(() => {
  window.longest = 0;
  window.running = true;
  let last = performance.now();
  const step = (now) => {
    window.longest = Math.max(window.longest, now - last);
    last = now;
    if (window.running) {
      requestAnimationFrame(step);
    }
  };
  requestAnimationFrame(step);
});
let sent = 0;
const until = performance.now() + liveSeconds * 1000;
while (performance.now() < until) {
  const began = performance.now();
  await Promise.all(Array.from({ length: 20 }, () => call('chat.postMessage', { channel: other.id, text: `Live ${sent++}` })));
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, 100 - (performance.now() - began))));
}
await page.getByRole('article', { name: new RegExp(`Live ${sent - 1}$`) }).first().waitFor({ timeout: 30_000 });
const longest = await page.evaluate(() => {
  window.running = false;
  return window.longest;
});
add(`longest frame while ${Math.round(sent / liveSeconds)} messages a second come`, 100, longest, 'ms', 1);

// None is lost, none is there twice: from the end back through up to 2,000 of them.
const checked = Math.min(sent, 2000);
const wrong = await page.evaluate(
  async ([last, count]) => {
    const box = document.querySelector('.feed-box .scroller');
    const seen = new Map();
    let twice = 0;
    const deadline = performance.now() + 60_000;
    while (seen.size < count && performance.now() < deadline) {
      for (const a of box.querySelectorAll('article')) {
        const n = Number(/Live (\d+)$/.exec(a.getAttribute('aria-label'))?.[1] ?? -1);
        if (n >= 0 && n > last - count) {
          twice += seen.has(n) && seen.get(n) !== a.dataset.ts ? 1 : 0;
          seen.set(n, a.dataset.ts);
        }
      }
      box.scrollBy(0, -400);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    return twice + count - seen.size;
  },
  [sent - 1, checked],
);
add(`of the last ${checked.toLocaleString('en')} of them, lost or there twice`, 0, wrong, '');

await page.context().close();
await measureAreas(server, browser, add);

await browser.close();
await server.stop();
const model = cpus()[0]?.model ?? 'unknown';
writeFileSync(
  join(root, 'docs', 'performance', 'web.md'),
  `# The web UI

Written by \`make bench-web\` on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores (${model}), SQLite, the browser on the same machine,
without a graphics processor. ${messages.toLocaleString('en')} messages in one channel; first loads are medians of ${rounds}.
There is no column for PostgreSQL: nearly all of this is work of the browser. What the server takes for the pages and lists
beneath on either database stands in the tables of messaging, the tracker, environments and ingestion.

| what | budget | measured |
| --- | --- | --- |
${rows.map((r) => `| ${r.join(' | ')} |`).join('\n')}
`,
);
